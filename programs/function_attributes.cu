// Covers: cudaFuncGetAttributes: shared, constant and local memory, registers,
// the largest block, the architecture; cudaFuncSetAttribute seen in them.
// Output: what the source fixes, then "ok".
#include "check.h"

__constant__ int table[100];

__global__ void plain(int *out)
{
    out[threadIdx.x] = threadIdx.x;
}

__global__ void with_shared(int *out)
{
    __shared__ int scratch[300];
    scratch[threadIdx.x] = out[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = scratch[blockDim.x - 1 - threadIdx.x];
}

// An array with computed indices lives in local memory.
__global__ void with_local(int *out, int n)
{
    int values[64];
    for (int i = 0; i < 64; i++) {
        values[i] = out[i] * i;
    }
    int x = 0;
    for (int i = 0; i < n; i++) {
        x = values[(x + i) & 63];
    }
    out[threadIdx.x] = x;
}

__global__ void __launch_bounds__(96) bounded(int *out)
{
    out[threadIdx.x] = table[threadIdx.x];
}

template <typename T>
static cudaFuncAttributes of(T *kernel)
{
    cudaFuncAttributes a;
    CHECK(cudaFuncGetAttributes(&a, kernel));
    REQUIRE(a.numRegs > 0 && a.numRegs <= 255);
    REQUIRE(a.binaryVersion >= 30);
    return a;
}

int main()
{
    cudaDeviceProp device;
    CHECK(cudaGetDeviceProperties(&device, 0));
    cudaFuncAttributes a = of(plain);
    REQUIRE(a.binaryVersion / 10 == device.major);
    REQUIRE(a.sharedSizeBytes == 0 && a.localSizeBytes == 0 && a.maxThreadsPerBlock == 1024);
    printf("plain: shared %zu, block %d\n", a.sharedSizeBytes, a.maxThreadsPerBlock);

    a = of(with_shared);
    REQUIRE(a.sharedSizeBytes == 1200);
    printf("with shared: %zu\n", a.sharedSizeBytes);

    a = of(with_local);
    REQUIRE(a.localSizeBytes >= 256);
    printf("with local: at least 256\n");

    a = of(bounded);
    REQUIRE(a.maxThreadsPerBlock == 96 && a.constSizeBytes >= 400);
    printf("bounded: block %d\n", a.maxThreadsPerBlock);

    a = of(with_shared);
    int before = a.maxDynamicSharedSizeBytes;
    REQUIRE(before == 48 * 1024 - 1200);
    // A block may use more than 48 KiB from compute capability 7.0 on.
    int more = device.sharedMemPerBlockOptin > 48 * 1024 ? 50 * 1024 : 40 * 1024;
    CHECK(cudaFuncSetAttribute(with_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, more));
    a = of(with_shared);
    REQUIRE(a.maxDynamicSharedSizeBytes == more);
    printf("dynamic shared: %d, then %d\n", before, a.maxDynamicSharedSizeBytes);

    // Beyond its own bound a kernel is not launched.
    int *out;
    CHECK(cudaMalloc(&out, 1024 * sizeof(int)));
    bounded<<<1, 96>>>(out);
    CHECK_LAUNCH();
    bounded<<<1, 97>>>(out);
    cudaError_t error = cudaGetLastError();
    REQUIRE(error == cudaErrorInvalidValue || error == cudaErrorLaunchOutOfResources ||
            error == cudaErrorInvalidConfiguration);
    CHECK(cudaDeviceSynchronize());
    printf("97 threads: refused\n");
    cudaFuncAttributes none;
    CHECK_ERROR(cudaFuncGetAttributes(&none, (const void *)&device), cudaErrorInvalidDeviceFunction);
    CHECK(cudaFree(out));
    printf("ok\n");
    return 0;
}
