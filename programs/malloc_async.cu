// Covers: cudaMallocAsync and cudaFreeAsync, the default memory pool, a pool of
// one's own, cudaMallocFromPoolAsync, reuse within a stream, cudaMemPoolTrimTo.
// Output: one line per step, then "ok".
#include "check.h"

__global__ void fill(int *data, int value)
{
    data[blockIdx.x * blockDim.x + threadIdx.x] = value + threadIdx.x;
}

int main()
{
    int supported;
    CHECK(cudaDeviceGetAttribute(&supported, cudaDevAttrMemoryPoolsSupported, 0));
    REQUIRE(supported == 1);
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    int got[64];
    for (int round = 0; round < 3; round++) {
        int *data;
        CHECK(cudaMallocAsync(&data, sizeof got, stream));
        fill<<<2, 32, 0, stream>>>(data, 100 * round);
        CHECK(cudaMemcpyAsync(got, data, sizeof got, cudaMemcpyDeviceToHost, stream));
        CHECK(cudaFreeAsync(data, stream));
        CHECK(cudaStreamSynchronize(stream));
        REQUIRE(got[0] == 100 * round && got[63] == 100 * round + 31);
        printf("round %d: %d\n", round, got[63]);
    }

    cudaMemPool_t pool;
    CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
    unsigned long long threshold = 1 << 20;
    CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
    unsigned long long seen = 0;
    CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &seen));
    REQUIRE(seen == threshold);
    CHECK(cudaMemPoolTrimTo(pool, 0));

    cudaMemPoolProps properties = {};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location.type = cudaMemLocationTypeDevice;
    properties.location.id = 0;
    cudaMemPool_t own;
    CHECK(cudaMemPoolCreate(&own, &properties));
    int *data;
    CHECK(cudaMallocFromPoolAsync(&data, sizeof got, own, stream));
    fill<<<2, 32, 0, stream>>>(data, 7);
    CHECK(cudaMemcpyAsync(got, data, sizeof got, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaFreeAsync(data, stream));
    CHECK(cudaStreamSynchronize(stream));
    REQUIRE(got[0] == 7 && got[33] == 8);
    CHECK(cudaMemPoolDestroy(own));
    printf("own pool %d\n", got[33]);

    // Memory of one kind may be freed by the other's function.
    CHECK(cudaMallocAsync(&data, 1024, stream));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaFree(data));
    CHECK(cudaStreamDestroy(stream));
    printf("ok\n");
    return 0;
}
