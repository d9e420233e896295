// Covers: dynamic shared memory, also beside static arrays, several arrays in
// one piece, and more than 48 KiB after cudaFuncSetAttribute (and only then);
// cudaFuncSetCacheConfig, the carve-out preference.
// Output: one line per step, then "ok".
#include "check.h"

#include <vector>

__global__ void reverse(int *data)
{
    extern __shared__ int scratch[];
    scratch[threadIdx.x] = data[threadIdx.x];
    __syncthreads();
    data[threadIdx.x] = scratch[blockDim.x - 1 - threadIdx.x];
}

// Floats, doubles and bytes in one dynamic piece, beside two static arrays.
__global__ void several(int n, float *out)
{
    extern __shared__ double piece[];
    __shared__ float fixed[32];
    __shared__ int counter;
    double *doubles = piece;
    float *floats = reinterpret_cast<float *>(doubles + n);
    unsigned char *bytes = reinterpret_cast<unsigned char *>(floats + n);
    int i = threadIdx.x;
    if (i == 0) {
        counter = 0;
    }
    __syncthreads();
    fixed[i % 32] = 0;
    doubles[i] = 0.5 * i;
    floats[i] = i;
    bytes[i] = i & 0x7f;
    atomicAdd(&counter, 1);
    __syncthreads();
    int j = n - 1 - i;
    if (i < 32) {
        fixed[i] = counter;
    }
    __syncthreads();
    out[i] = float(doubles[j]) + floats[j] + bytes[j] + fixed[i % 32];
}

// Touches the whole of a large piece.
__global__ void large(int words, unsigned *out)
{
    extern __shared__ unsigned words_at[];
    for (int i = threadIdx.x; i < words; i += blockDim.x) {
        words_at[i] = i * 2654435761u;
    }
    __syncthreads();
    unsigned sum = 0;
    for (int i = threadIdx.x; i < words; i += blockDim.x) {
        sum += words_at[words - 1 - i];
    }
    atomicAdd(out, sum);
}

int main()
{
    int *data, got[128];
    for (int i = 0; i < 128; i++) {
        got[i] = i;
    }
    CHECK(cudaMalloc(&data, sizeof got));
    CHECK(cudaMemcpy(data, got, sizeof got, cudaMemcpyHostToDevice));
    reverse<<<1, 128, sizeof got>>>(data);
    CHECK_LAUNCH();
    CHECK(cudaMemcpy(got, data, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 128; i++) {
        REQUIRE(got[i] == 127 - i);
    }
    printf("reversed %d %d\n", got[0], got[127]);

    const int n = 96;
    float *out, reals[n];
    CHECK(cudaMalloc(&out, sizeof reals));
    several<<<1, n, n * (sizeof(double) + sizeof(float) + 1)>>>(n, out);
    CHECK_LAUNCH();
    CHECK(cudaMemcpy(reals, out, sizeof reals, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++) {
        REQUIRE(reals[i] == 2.5f * (n - 1 - i) + n);
    }
    printf("several arrays %g %g\n", reals[0], reals[n - 1]);

    int most;
    CHECK(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
    unsigned *sum, seen;
    CHECK(cudaMalloc(&sum, sizeof seen));
    for (int kib : {16, 48, 60}) {
        // More than 48 KiB came with compute capability 7.0.
        if (kib * 1024 > most) {
            CHECK_ERROR(cudaFuncSetAttribute(large, cudaFuncAttributeMaxDynamicSharedMemorySize, kib * 1024),
                        cudaErrorInvalidValue);
            CHECK_ERROR(cudaGetLastError(), cudaErrorInvalidValue);
            continue;
        }
        int words = kib * 256;
        unsigned wanted = 0;
        for (int i = 0; i < words; i++) {
            wanted += i * 2654435761u;
        }
        if (kib > 48) {
            // Refused until asked for.
            large<<<1, 256, kib * 1024>>>(words, sum);
            CHECK_ERROR(cudaGetLastError(), cudaErrorInvalidValue);
            CHECK(cudaFuncSetAttribute(large, cudaFuncAttributeMaxDynamicSharedMemorySize, kib * 1024));
        }
        CHECK(cudaMemset(sum, 0, sizeof seen));
        large<<<1, 256, kib * 1024>>>(words, sum);
        CHECK_LAUNCH();
        CHECK(cudaMemcpy(&seen, sum, sizeof seen, cudaMemcpyDeviceToHost));
        REQUIRE(seen == wanted);
        printf("%d KiB: %08x\n", kib, seen);
    }
    // More than there is.
    CHECK_ERROR(cudaFuncSetAttribute(large, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 20),
                cudaErrorInvalidValue);
    CHECK_ERROR(cudaGetLastError(), cudaErrorInvalidValue);

    CHECK(cudaFuncSetAttribute(large, cudaFuncAttributePreferredSharedMemoryCarveout, cudaSharedmemCarveoutMaxShared));
    CHECK(cudaFuncSetCacheConfig(reverse, cudaFuncCachePreferShared));
    CHECK(cudaDeviceSetCacheConfig(cudaFuncCachePreferL1));
    CHECK(cudaMemset(sum, 0, sizeof seen));
    large<<<2, 64, 1024>>>(256, sum);
    CHECK_LAUNCH();
    CHECK(cudaFree(data));
    CHECK(cudaFree(out));
    CHECK(cudaFree(sum));
    printf("ok\n");
    return 0;
}
