#include "work.h"

static __global__ void work(int *data, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        data[i] = -data[i];
    }
}

const void *negate_kernel()
{
    return (const void *)work;
}
