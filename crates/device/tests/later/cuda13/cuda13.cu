// What compilers of CUDA 13 leave to others: a stack for recursion, which the file
// does not tell of; groups within a warp, kept apart by the guard of BRA.DIV; warp
// slots of an SM, in the middle of a special register.
// Compiled by ../make.sh, CUDA 13.4.

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

static __device__ __noinline__ int fibonacci(int n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

extern "C" __global__ void recursion(int *out)
{
    out[threadIdx.x] = fibonacci(threadIdx.x % 8);
}

// 1 where a thread of the group is the last one, 2 where all of them are below 8.
extern "C" __global__ void groups(int *out)
{
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    int rank = tile.thread_rank();
    out[threadIdx.x] = tile.any(rank == 7) + 2 * tile.all(rank < 8);
}

extern "C" __global__ void slots(int *out)
{
    unsigned warp, warps;
    asm volatile("mov.u32 %0, %%warpid;" : "=r"(warp));
    asm volatile("mov.u32 %0, %%nwarpid;" : "=r"(warps));
    out[threadIdx.x] = warp < warps && warps <= 64;
}
