// Covers: abort() with a context open and work under way.
// Output: one line; dies of SIGABRT.
#include "check.h"

__global__ void fill(int *data)
{
    data[threadIdx.x] = 1;
}

int main()
{
    int *data;
    CHECK(cudaMalloc(&data, 4096));
    fill<<<1, 64>>>(data);
    CHECK_LAUNCH();
    fill<<<1, 64>>>(data);
    printf("about to abort\n");
    fflush(stdout);
    abort();
}
