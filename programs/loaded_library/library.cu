// The library: a kernel and variables with the names that its user has too.
#include "../check.h"

static __device__ int calls = 0;
static __constant__ int amount = 50;

static __global__ void work(int *data, int count)
{
    if (threadIdx.x < count) {
        data[threadIdx.x] += amount;
    }
    if (threadIdx.x == 0) {
        calls++;
    }
}

extern "C" int loaded_run(int *data, int count)
{
    work<<<1, 64>>>(data, count);
    CHECK_LAUNCH();
    return 0;
}

extern "C" int loaded_calls()
{
    int value;
    CHECK(cudaMemcpyFromSymbol(&value, calls, sizeof value));
    return value;
}
