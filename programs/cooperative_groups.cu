// Covers: cooperative groups within a block: thread_block, tiles of 32 to 2,
// tile shuffles, votes and matches, coalesced groups, cg::reduce, labelled and
// binary partitions, ranks and sizes.
// Output: one line per group, then "ok".
#include "check.h"

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

namespace cg = cooperative_groups;

__global__ void block_group(int *out)
{
    cg::thread_block block = cg::this_thread_block();
    __shared__ int cell[64];
    cell[block.thread_rank()] = block.size() - block.thread_rank();
    block.sync();
    out[block.thread_rank()] = cell[block.size() - 1 - block.thread_rank()] + block.group_index().x;
}

template <int Size>
__global__ void tiles(int *out)
{
    auto tile = cg::tiled_partition<Size>(cg::this_thread_block());
    int value = threadIdx.x;
    for (int step = tile.size() / 2; step > 0; step /= 2) {
        value += tile.shfl_down(value, step);
    }
    value = tile.shfl(value, 0);
    int rank = tile.thread_rank();
    int votes = tile.any(rank == Size - 1) + 2 * tile.all(rank < Size);
    tile.sync();
    out[threadIdx.x] = value * 10 + votes + 1000000 * tile.meta_group_rank();
}

// Threads that take the branch form a group of their own.
__global__ void coalesced(int *out, int *counter)
{
    out[threadIdx.x] = -1;
    if (threadIdx.x % 3 == 1) {
        cg::coalesced_group active = cg::coalesced_threads();
        int first = 0;
        if (active.thread_rank() == 0) {
            first = atomicAdd(counter, active.size());
        }
        first = active.shfl(first, 0);
        out[threadIdx.x] = first + active.thread_rank();
    }
}

__global__ void reductions(int *out)
{
    auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    int lane = tile.thread_rank();
    out[lane] = cg::reduce(tile, lane, cg::plus<int>());
    out[32 + lane] = cg::reduce(tile, lane ^ 21, cg::greater<int>());
    out[64 + lane] = cg::reduce(tile, 1 << (lane % 8), cg::bit_or<int>());
    out[96 + lane] = cg::inclusive_scan(tile, lane, cg::plus<int>());
    out[128 + lane] = cg::exclusive_scan(tile, 1);
    auto odd_or_even = cg::binary_partition(tile, lane & 1);
    out[160 + lane] = cg::reduce(odd_or_even, lane, cg::plus<int>());
    // Labels are matched by hardware, from sm_70 on.
#if __CUDA_ARCH__ >= 700
    auto by_label = cg::labeled_partition(tile, lane / 10);
    out[192 + lane] = by_label.size() * 100 + by_label.thread_rank();
#endif
}

template <int Size>
static void run_tiles(int *out)
{
    int got[64];
    tiles<Size><<<1, 64>>>(out);
    CHECK_LAUNCH();
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 64; i++) {
        int first = i / Size * Size;
        int sum = (2 * first + Size - 1) * Size / 2;
        REQUIRE(got[i] == sum * 10 + 3 + 1000000 * (i / Size));
    }
    printf("tiles of %d: %d\n", Size, got[63]);
}

int main()
{
    int *out, got[224], *counter;
    CHECK(cudaMalloc(&out, sizeof got));
    CHECK(cudaMalloc(&counter, sizeof(int)));
    block_group<<<2, 64>>>(out);
    CHECK_LAUNCH();
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    // Both blocks write the same places; either value is right.
    REQUIRE(got[0] == 1 || got[0] == 2);
    REQUIRE(got[63] == 64 || got[63] == 65);
    printf("block\n");
    run_tiles<32>(out);
    run_tiles<16>(out);
    run_tiles<8>(out);
    run_tiles<4>(out);
    run_tiles<2>(out);

    CHECK(cudaMemset(counter, 0, sizeof(int)));
    coalesced<<<1, 32>>>(out, counter);
    CHECK_LAUNCH();
    CHECK(cudaMemcpy(got, out, 32 * sizeof(int), cudaMemcpyDeviceToHost));
    for (int i = 0; i < 32; i++) {
        REQUIRE(got[i] == (i % 3 == 1 ? i / 3 : -1));
    }
    printf("coalesced %d\n", got[31]);

    int major;
    CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
    reductions<<<1, 32>>>(out);
    CHECK_LAUNCH();
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 32; i++) {
        REQUIRE(got[i] == 496 && got[32 + i] == 31 && got[64 + i] == 255);
        REQUIRE(got[96 + i] == i * (i + 1) / 2 && got[128 + i] == i);
        REQUIRE(got[160 + i] == (i & 1 ? 256 : 240));
        REQUIRE(major < 7 || got[192 + i] == (i < 30 ? 1000 + i % 10 : 200 + i % 10));
    }
    printf("reductions %d %d %d\n", got[0], got[127], got[161]);
    CHECK(cudaFree(out));
    CHECK(cudaFree(counter));
    printf("ok\n");
    return 0;
}
