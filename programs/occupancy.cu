// Covers: cudaOccupancyMaxActiveBlocksPerMultiprocessor, its form with flags,
// cudaOccupancyMaxPotentialBlockSize with and without a function of the block
// size, cudaOccupancyAvailableDynamicSMemPerBlock, limits that must hold.
// Output: one line per step, then "ok"; the numbers are the chip's matter.
#include "check.h"

__global__ void plain(float *data)
{
    data[blockIdx.x * blockDim.x + threadIdx.x] += 1.0f;
}

__global__ void hungry(float *data)
{
    extern __shared__ float scratch[];
    scratch[threadIdx.x] = data[threadIdx.x];
    __syncthreads();
    data[threadIdx.x] = scratch[blockDim.x - 1 - threadIdx.x];
}

__global__ void __launch_bounds__(128, 2) bounded(float *data)
{
    data[threadIdx.x] *= 2.0f;
}

// Shared memory for a block of some size.
struct OneFloatEach {
    __host__ __device__ size_t operator()(int threads) const { return threads * sizeof(float); }
};

int main()
{
    cudaDeviceProp device;
    CHECK(cudaGetDeviceProperties(&device, 0));
    const int most = device.maxThreadsPerMultiProcessor;

    // Small blocks are limited by blocks or threads, large ones by threads.
    int blocks;
    for (int threads : {32, 64, 128, 256, 512, 1024}) {
        CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, plain, threads, 0));
        int by_threads = most / threads;
        int wanted = by_threads < device.maxBlocksPerMultiProcessor ? by_threads : device.maxBlocksPerMultiProcessor;
        REQUIRE(blocks == wanted);
    }
    // A block that is no multiple of a warp counts as whole warps.
    int odd, even;
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&odd, plain, 97, 0));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&even, plain, 128, 0));
    REQUIRE(odd == even);
    printf("limited by threads and blocks\n");

    // Shared memory: each block also takes what the system reserves.
    size_t bytes = 40 * 1024;
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, hungry, 64, bytes));
    int fit = int(device.sharedMemPerMultiprocessor / (bytes + device.reservedSharedMemPerBlock));
    REQUIRE(blocks == fit);
    int with_flags;
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&with_flags, hungry, 64, bytes, cudaOccupancyDefault));
    REQUIRE(with_flags == blocks);
    printf("limited by shared memory\n");

    size_t available;
    CHECK(cudaOccupancyAvailableDynamicSMemPerBlock(&available, hungry, 1, 64));
    REQUIRE(available >= 48 * 1024);
    printf("room for dynamic shared memory\n");

    int grid, block;
    CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, plain, 0, 0));
    REQUIRE(block > 0 && block <= 1024 && block % 32 == 0);
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, plain, block, 0));
    REQUIRE(blocks * block == most);
    REQUIRE(grid == blocks * device.multiProcessorCount);
    printf("best block size fills a multiprocessor\n");

    // No more than a limit, and with shared memory that grows with the block.
    CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, plain, 0, 128));
    REQUIRE(block <= 128);
    CHECK(cudaOccupancyMaxPotentialBlockSizeVariableSMem(
        &grid, &block, hungry, OneFloatEach(), 256));
    REQUIRE(block > 0 && block <= 256);
    CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, bounded, 0, 0));
    REQUIRE(block <= 128);
    printf("limits are kept\n");

    // What was computed can be launched.
    float *data, got[128];
    CHECK(cudaMalloc(&data, 1024 * sizeof(float)));
    CHECK(cudaMemset(data, 0, 1024 * sizeof(float)));
    plain<<<2, block>>>(data);
    CHECK_LAUNCH();
    CHECK(cudaMemcpy(got, data, block * sizeof(float), cudaMemcpyDeviceToHost));
    REQUIRE(got[block - 1] == 1);
    CHECK(cudaFree(data));
    printf("ok\n");
    return 0;
}
