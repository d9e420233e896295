// Host memory that kernels reach: pinned, registered, managed.
#include "driver.h"

CUresult cuMemHostAlloc(void **at, size_t bytes, unsigned flags);
CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *device, void *host, unsigned flags);
CUresult cuMemFreeHost(void *at);
CUresult cuMemHostRegister_v2(void *at, size_t bytes, unsigned flags);
CUresult cuMemHostUnregister(void *at);
CUresult cuMemAllocManaged(CUdeviceptr *at, size_t bytes, unsigned flags);

static CUfunction scale;

static void times(CUdeviceptr at, int n, int k)
{
    void *arguments[] = {&at, &n, &k};
    CHECK(cuLaunchKernel(scale, 1, 1, 1, 64, 1, 1, 0, NULL, arguments, NULL));
    CHECK(cuCtxSynchronize());
}

static void show(const char *what, const int *p)
{
    printf("%s %d %d %d\n", what, p[0], p[1], p[2]);
}

int main(int argc, char **argv)
{
    begin();
    scale = find(load(argv), "scale");
    int *pinned, own[1024];
    CUdeviceptr at, managed;
    CHECK(cuMemHostAlloc((void **)&pinned, 64, 2));
    CHECK(cuMemHostGetDevicePointer_v2(&at, pinned, 0));
    for (int i = 0; i < 16; i++)
        pinned[i] = own[i] = i + 1;
    times(at, 16, 3);
    show("pinned", pinned);
    CHECK(cuMemFreeHost(pinned));
    CHECK(cuMemHostRegister_v2(own, sizeof own, 2));
    CHECK(cuMemHostGetDevicePointer_v2(&at, own, 0));
    times(at, 16, 5);
    show("registered", own);
    CHECK(cuMemHostUnregister(own));
    CHECK(cuMemAllocManaged(&managed, 64, 1));
    int *p = (int *)managed;
    for (int i = 0; i < 16; i++)
        p[i] = i - 1;
    times(managed, 16, -2);
    p[1] += 7;
    times(managed, 16, 10);
    show("managed", p);
    CHECK(cuMemFree_v2(managed));
}
