// Covers: a kernel that writes where nothing is: the error arrives at the next
// synchronisation, every later call repeats it, cudaGetLastError does not clear
// it, and the program's own error path runs.
// Output: the error's name at each step; exit code 3.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

__global__ void wild(int *nowhere)
{
    if (threadIdx.x == 17) {
        *nowhere = 1;
    }
}

__global__ void harmless(int *data)
{
    data[threadIdx.x] = 1;
}

int main()
{
    int *data, host[32] = {};
    if (cudaMalloc(&data, sizeof host) != cudaSuccess) {
        fprintf(stderr, "no memory\n");
        return 1;
    }
    harmless<<<1, 32>>>(data);
    printf("before: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    wild<<<1, 32>>>(nullptr);
    cudaError_t error = cudaDeviceSynchronize();
    printf("synchronise: %s\n", cudaGetErrorName(error));
    printf("get last: %s\n", cudaGetErrorName(cudaGetLastError()));
    printf("get last again: %s\n", cudaGetErrorName(cudaGetLastError()));
    printf("malloc: %s\n", cudaGetErrorName(cudaMalloc(&data, 4)));
    printf("memcpy: %s\n", cudaGetErrorName(cudaMemcpy(host, data, 4, cudaMemcpyDeviceToHost)));
    harmless<<<1, 32>>>(data);
    printf("launch: %s\n", cudaGetErrorName(cudaPeekAtLastError()));
    printf("text: %s\n", cudaGetErrorString(error));
    if (error == cudaErrorIllegalAddress) {
        fprintf(stderr, "the application gives up\n");
        return 3;
    }
    return 1;
}
