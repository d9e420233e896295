// Launches with dynamic shared memory, with a configuration, and of grids that wait for
// each other; launches that are refused.
#include "driver.h"

struct attribute {
    int id;
    char gap[4];
    union {
        int cooperative;
        char room[64];
    } value;
};
struct config {
    unsigned grid[3], block[3], shared;
    CUstream stream;
    struct attribute *attributes;
    unsigned count;
};
CUresult cuLaunchKernelEx(const struct config *config, CUfunction f, void **arguments, void **extra);
CUresult cuLaunchCooperativeKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                                   unsigned by, unsigned bz, unsigned shared, CUstream stream,
                                   void **arguments);

int main(int argc, char **argv)
{
    begin();
    CUmodule module = load(argv);
    CUfunction sum = find(module, "sum"), together = find(module, "together");
    int in[128], out[4];
    for (int i = 0; i < 128; i++)
        in[i] = i;
    CUdeviceptr from = allocate(sizeof in), to = allocate(sizeof out), arrived = allocate(4);
    CHECK(cuMemcpyHtoD_v2(from, in, sizeof in));
    void *arguments[] = {&from, &to};
    CHECK(cuLaunchKernel(sum, 4, 1, 1, 32, 1, 1, 32 * sizeof(int), NULL, arguments, NULL));
    CHECK(cuMemcpyDtoH_v2(out, to, sizeof out));
    printf("%d %d %d %d\n", out[0], out[1], out[2], out[3]);
    struct config config = {{2, 1, 1}, {64, 1, 1}, 64 * sizeof(int), NULL, NULL, 0};
    CHECK(cuLaunchKernelEx(&config, sum, arguments, NULL));
    CHECK(cuMemcpyDtoH_v2(out, to, sizeof out));
    printf("%d %d\n", out[0], out[1]);
    void *waiting[] = {&arrived, &to};
    CHECK(cuMemsetD32_v2(arrived, 0, 1));
    CHECK(cuLaunchCooperativeKernel(together, 4, 1, 1, 32, 1, 1, 0, NULL, waiting));
    CHECK(cuMemcpyDtoH_v2(out, to, sizeof out));
    printf("%d %d %d %d\n", out[0], out[1], out[2], out[3]);
    struct attribute cooperative = {.id = 2, .value.cooperative = 1};
    struct config all = {{3, 1, 1}, {32, 1, 1}, 0, NULL, &cooperative, 1};
    CHECK(cuMemsetD32_v2(arrived, 0, 1));
    CHECK(cuLaunchKernelEx(&all, together, waiting, NULL));
    CHECK(cuMemcpyDtoH_v2(out, to, sizeof out));
    printf("%d %d %d\n", out[0], out[1], out[2]);
    CHECK_ERROR(cuLaunchKernel(sum, 0, 1, 1, 32, 1, 1, 0, NULL, arguments, NULL), INVALID_VALUE);
    CHECK_ERROR(cuLaunchKernel(sum, 1, 1, 1, 2048, 1, 1, 0, NULL, arguments, NULL), INVALID_VALUE);
    CHECK_ERROR(cuLaunchKernel(sum, 1, 1, 1, 32, 1, 1, 1 << 20, NULL, arguments, NULL), INVALID_VALUE);
    CHECK_ERROR(cuLaunchKernel(NULL, 1, 1, 1, 32, 1, 1, 0, NULL, arguments, NULL), INVALID_HANDLE);
    CHECK(cuCtxSynchronize());
}
