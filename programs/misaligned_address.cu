// Covers: a kernel that reads a word at an odd address, seen by a blocking copy.
// Output: the error's name and text; exit code 4.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void skewed(const char *bytes, int *out)
{
    out[threadIdx.x] = *reinterpret_cast<const int *>(bytes + threadIdx.x);
}

int main()
{
    char *bytes;
    int *out, got[8];
    cudaMalloc(&bytes, 64);
    cudaMalloc(&out, sizeof got);
    cudaMemset(bytes, 1, 64);
    skewed<<<1, 8>>>(bytes, out);
    cudaError_t error = cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost);
    printf("%s: %s\n", cudaGetErrorName(error), cudaGetErrorString(error));
    return error == cudaErrorMisalignedAddress ? 4 : 1;
}
