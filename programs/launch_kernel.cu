// Covers: cudaLaunchKernel with an array of argument addresses, arguments of
// several sizes, an explicit stream, dynamic shared memory; kernels passed
// about as pointers; cudaLaunchKernelExC.
// Output: one line per launch form, then "ok".
#include "check.h"

__global__ void mixed(char c, double d, short s, int *out, long long l, float f)
{
    extern __shared__ int scratch[];
    scratch[threadIdx.x] = c + int(d) + s + int(l) + int(f);
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = scratch[blockDim.x - 1 - threadIdx.x] + threadIdx.x;
}

__global__ void set_seven(int *out)
{
    out[threadIdx.x] = 7;
}

__global__ void set_eight(int *out)
{
    out[threadIdx.x] = 8;
}

int main()
{
    int *out, got[64];
    CHECK(cudaMalloc(&out, sizeof got));

    char c = 1;
    double d = 20.5;
    short s = 300;
    long long l = 4000;
    float f = 50000.25f;
    void *args[] = {&c, &d, &s, &out, &l, &f};
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaLaunchKernel((const void *)mixed, dim3(2), dim3(32), args, 32 * sizeof(int), stream));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 64; i++) {
        REQUIRE(got[i] == 54321 + i % 32);
    }
    printf("cudaLaunchKernel %d\n", got[0]);

    // Shared memory and stream have defaults.
    void *one[] = {&out};
    CHECK(cudaLaunchKernel((const void *)set_seven, dim3(1), dim3(64), one));
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    REQUIRE(got[0] == 7 && got[63] == 7);
    printf("defaults %d\n", got[63]);

    void (*chosen)(int *) = got[0] == 7 ? set_eight : set_seven;
    chosen<<<1, 64>>>(out);
    CHECK_LAUNCH();
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    REQUIRE(got[0] == 8 && got[63] == 8);
    printf("through a pointer %d\n", got[0]);

    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(1);
    config.blockDim = dim3(64);
    config.stream = stream;
    CHECK(cudaLaunchKernelExC(&config, (const void *)set_seven, one));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    REQUIRE(got[0] == 7 && got[63] == 7);
    printf("cudaLaunchKernelExC %d\n", got[0]);

    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(out));
    printf("ok\n");
    return 0;
}
