// The runtime API and the driver API in one program, over one context.
#include "driver.h"

int cudaMalloc(void **at, size_t bytes);
int cudaMemcpy(void *to, const void *from, size_t bytes, int kind);
int cudaStreamCreate(CUstream *stream);
int cudaDeviceSynchronize(void);
int cudaGetLastError(void);

int main(int argc, char **argv)
{
    CUcontext current, primary;
    int numbers[4] = {1, 2, 3, 4}, n = 4, k = 11;
    void *at;
    CHECK(cudaMalloc(&at, sizeof numbers));
    CHECK(cuInit(0));
    CHECK(cuCtxGetCurrent(&current));
    CHECK(cuDevicePrimaryCtxRetain(&primary, 0));
    REQUIRE(current == primary);
    CUfunction scale = find(load(argv), "scale");
    CUstream stream;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaMemcpy(at, numbers, sizeof numbers, 1));
    void *arguments[] = {&at, &n, &k};
    CHECK(cuLaunchKernel(scale, 1, 1, 1, 4, 1, 1, 0, stream, arguments, NULL));
    CHECK(cudaDeviceSynchronize());
    CHECK(cuMemcpyDtoH_v2(numbers, (CUdeviceptr)at, sizeof numbers));
    printf("%d %d %d %d\n", numbers[0], numbers[1], numbers[2], numbers[3]);
    // The driver's errors are not the runtime's last one.
    CHECK_ERROR(cuLaunchKernel(scale, 0, 1, 1, 4, 1, 1, 0, stream, arguments, NULL), INVALID_VALUE);
    CHECK_ERROR(cudaGetLastError(), 0);
    CHECK(cuMemFree_v2((CUdeviceptr)at));
}
