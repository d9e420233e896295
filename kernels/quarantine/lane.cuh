// Lets a block finish on the lanes that are left when one lane of an SM is bad.
//
// A good lane's rank among the good lanes of the block says which item it does;
// with fewer good threads than items they go round, so every item is done
// exactly once whatever is bad, and no thread is added:
//
//     const UpsetItems mine = upset_lane_items(lanes);
//     for (unsigned int i = mine.first; i < items; i += mine.step) { ... }
//
// Blocks are a row of whole warps. Threads of a warp must not depend on each
// other (shuffles, votes, matrices): `upset quarantine lane-check` looks for
// that in the machine code.

#ifndef UPSET_LANE_CUH
#define UPSET_LANE_CUH

// Set by the host.
struct UpsetLanes {
    unsigned int sm;    // the SM with bad lanes
    unsigned int bad;   // one bit for each of them, not all
};

// The items of a thread: `first`, then every `step`-th.
struct UpsetItems {
    unsigned int first;
    unsigned int step;
};

static __device__ __forceinline__ UpsetItems upset_lane_items(UpsetLanes lanes)
{
    unsigned int sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    const unsigned int good = sm == lanes.sm ? ~lanes.bad : ~0u;
    const unsigned int lane = threadIdx.x % 32;
    const unsigned int warp = threadIdx.x / 32;
    const unsigned int each = __popc(good);
    UpsetItems items;
    // No item has the last number, so a bad lane has none.
    items.first = good >> lane & 1 ? warp * each + __popc(good & ((1u << lane) - 1)) : ~0u;
    items.step = blockDim.x / 32 * each;
    return items;
}

#endif
