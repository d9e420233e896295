// Covers: assert in a kernel: one that holds, then one that fails for some
// threads, whose message goes to stderr; the error is sticky.
// Output: the error's name and text; exit code 5.
#include <cassert>
#include <cstdio>

#include <cuda_runtime.h>

__global__ void check(const int *data, int limit)
{
    assert(data[threadIdx.x] < limit);
}

int main()
{
    int host[32], *data;
    for (int i = 0; i < 32; i++) {
        host[i] = i;
    }
    cudaMalloc(&data, sizeof host);
    cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice);
    check<<<1, 32>>>(data, 32);
    printf("holds: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    fflush(stdout);
    check<<<1, 32>>>(data, 30);
    cudaError_t error = cudaDeviceSynchronize();
    printf("fails: %s: %s\n", cudaGetErrorName(error), cudaGetErrorString(error));
    printf("after: %s\n", cudaGetErrorName(cudaFree(data)));
    return error == cudaErrorAssert ? 5 : 1;
}
