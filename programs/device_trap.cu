// Covers: __trap() in one thread of a later block, found by cudaStreamQuery and
// cudaStreamSynchronize.
// Output: the error's name and text; exit code 6.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void give_up(const int *limit)
{
    if (blockIdx.x * blockDim.x + threadIdx.x == *limit) {
        __trap();
    }
}

int main()
{
    int *limit, far = 1000, near = 100;
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaMalloc(&limit, sizeof far);
    cudaMemcpy(limit, &far, sizeof far, cudaMemcpyHostToDevice);
    give_up<<<4, 64, 0, stream>>>(limit);
    printf("far: %s\n", cudaGetErrorName(cudaStreamSynchronize(stream)));
    cudaMemcpy(limit, &near, sizeof near, cudaMemcpyHostToDevice);
    give_up<<<4, 64, 0, stream>>>(limit);
    cudaError_t error = cudaStreamSynchronize(stream);
    printf("near: %s: %s\n", cudaGetErrorName(error), cudaGetErrorString(error));
    printf("query: %s\n", cudaGetErrorName(cudaStreamQuery(stream)));
    return error == cudaSuccess ? 1 : 6;
}
