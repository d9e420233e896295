// Threads have no context until they take one; all see the same memory.
#include <pthread.h>

#include "driver.h"

static CUcontext context;
static CUfunction scale;
static CUdeviceptr at;

static void *work(void *number)
{
    CUcontext now;
    CUdeviceptr part = at + 16 * (size_t)number;
    int n = 4, k = (int)(size_t)number + 1;
    void *arguments[] = {&part, &n, &k};
    CHECK(cuCtxGetCurrent(&now));
    REQUIRE(now == NULL);
    CHECK_ERROR(cuLaunchKernel(scale, 1, 1, 1, 4, 1, 1, 0, NULL, arguments, NULL), INVALID_CONTEXT);
    CHECK(cuCtxSetCurrent(context));
    CHECK(cuLaunchKernel(scale, 1, 1, 1, 4, 1, 1, 0, NULL, arguments, NULL));
    CHECK(cuCtxSynchronize());
    return NULL;
}

int main(int argc, char **argv)
{
    begin();
    CHECK(cuCtxGetCurrent(&context));
    scale = find(load(argv), "scale");
    at = allocate(64);
    CHECK(cuMemsetD32_v2(at, 10, 16));
    pthread_t threads[4];
    for (size_t i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    int out[16];
    CHECK(cuMemcpyDtoH_v2(out, at, sizeof out));
    printf("%d %d %d %d\n", out[0], out[4], out[8], out[15]);
}
