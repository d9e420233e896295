// Covers: a mistake on the host: device memory used as if it were the host's.
// Output: one line; dies of SIGSEGV.
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
    printf("about to read device memory on the host\n");
    fflush(stdout);
    int value = *static_cast<volatile int *>(data);
    printf("read %d\n", value);
    return 1;
}
