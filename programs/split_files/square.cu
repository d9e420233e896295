#include "../check.h"
#include "work.h"

// Both device files have a kernel of this name.
static __global__ void work(int *data, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        data[i] *= data[i];
    }
}

void square(int *on_device, int count)
{
    work<<<(count + 63) / 64, 64>>>(on_device, count);
    CHECK_LAUNCH();
}
