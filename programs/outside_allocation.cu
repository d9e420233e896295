// Covers: accesses outside of every allocation. The driver's own memory lies
// around a small first one and answers; far away nothing does.
// Output: what each access ends in.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void look(const int *at, int *found)
{
    *found = *at != 12345;
}

__global__ void put(int *at, int value)
{
    *at = value;
}

__global__ void look_again(const int *at, int *found)
{
    *found = *at;
}

static int *moved(int *from, long long bytes)
{
    return (int *)((char *)from + bytes);
}

int main()
{
    const long long KB = 1 << 10, MB = 1 << 20;
    int *data, found = 0;
    if (cudaMalloc(&data, KB) != cudaSuccess) {
        fprintf(stderr, "no memory\n");
        return 1;
    }
    const struct {
        const char *name;
        long long offset;
    } places[] = {{"1 KB below", -KB}, {"256 MB below", -256 * MB}, {"1 KB behind", 2 * KB},
                  {"72 MB above", 72 * MB}};
    for (const auto &place : places) {
        look<<<1, 1>>>(moved(data, place.offset), data);
        printf("read %s: %s\n", place.name, cudaGetErrorName(cudaDeviceSynchronize()));
    }
    put<<<1, 1>>>(moved(data, KB), 77);
    printf("write just behind: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    look_again<<<1, 1>>>(moved(data, KB), data);
    cudaMemcpy(&found, data, sizeof found, cudaMemcpyDeviceToHost);
    printf("read again: %d\n", found);
    look<<<1, 1>>>(moved(data, 1024 * MB), data);
    printf("read 1 GB above: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}
