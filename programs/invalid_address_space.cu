// Covers: a global access with an address of the shared window, an error of its
// own that stays like an illegal address.
// Output: the error's name at each step and its text.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void where(unsigned long long *at)
{
    __shared__ int cell;
    cell = 1;
    __syncthreads();
    *at = (unsigned long long)&cell + (cell == 2);
}

__global__ void look(unsigned long long at, int *found)
{
    int value;
    asm volatile("ld.global.s32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
    *found = value;
}

int main()
{
    unsigned long long *at, shared = 0;
    int *found;
    if (cudaMalloc(&at, sizeof *at) != cudaSuccess || cudaMalloc(&found, 4) != cudaSuccess) {
        fprintf(stderr, "no memory\n");
        return 1;
    }
    where<<<1, 1>>>(at);
    cudaMemcpy(&shared, at, sizeof shared, cudaMemcpyDeviceToHost);
    look<<<1, 1>>>(shared, found);
    const cudaError_t error = cudaDeviceSynchronize();
    printf("synchronise: %s, number %d\n", cudaGetErrorName(error), (int)error);
    printf("malloc: %s\n", cudaGetErrorName(cudaMalloc(&found, 4)));
    printf("text: %s\n", cudaGetErrorString(error));
    return 0;
}
