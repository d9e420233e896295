// Covers: exit() deep inside a program, with memory still allocated, a kernel
// just launched, and handlers and destructors that run afterwards, one of which
// still calls the runtime.
// Output: its lines up to there; exit code 9.
#include "check.h"

__global__ void fill(int *data)
{
    data[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}

static int *data;

static void at_exit()
{
    // The runtime may already be going down; both answers are right.
    cudaError_t error = cudaFree(data);
    REQUIRE(error == cudaSuccess || error == cudaErrorCudartUnloading);
    printf("handler\n");
}

struct Last {
    ~Last() { printf("destructor\n"); }
} last;

static void deep(int levels)
{
    if (levels > 0) {
        deep(levels - 1);
        return;
    }
    fill<<<4, 64>>>(data);
    printf("leaving\n");
    exit(9);
}

int main()
{
    atexit(at_exit);
    CHECK(cudaMalloc(&data, 4096));
    fill<<<4, 64>>>(data);
    CHECK_LAUNCH();
    deep(3);
    return 0;
}
