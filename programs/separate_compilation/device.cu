#include "shared.h"

__device__ int call_count = 100;
__constant__ float scale_factor = 1.5f;

__device__ int gcd(int a, int b)
{
    atomicAdd(&call_count, 1);
    while (b != 0) {
        int rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

__device__ float scaled(float x)
{
    return x * scale_factor;
}

static __device__ int difference(int a, int b)
{
    return a - b;
}

__device__ int (*operation)(int, int) = difference;

__global__ void from_the_other_file(int *out)
{
    out[threadIdx.x] = operation(1000, threadIdx.x);
}
