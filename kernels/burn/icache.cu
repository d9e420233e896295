// Instruction caches: more code than any of them holds.
//
// 4,352 steps of two instructions, each with a constant of its own in its bits, one after the
// other: 136 KB. After every 64 steps what was computed so far is kept, so that a wrong bit in an
// instruction is found within 2 KB of code. A second pass finds in the caches what they still have.

#include "burn.h"

// The constant of step k: the host has the same function.
__device__ constexpr u32 mixed(u32 k) {
    return ((k + 1) * 0x9e3779b1u ^ ((k + 1) * 0x85ebca6bu >> 13)) | 1u;
}

#define STEP(k) x = (x ^ mixed(2 * (k))) + mixed(2 * (k) + 1);
#define STEPS4(k) STEP(k) STEP((k) + 1) STEP((k) + 2) STEP((k) + 3)
#define STEPS16(k) STEPS4(k) STEPS4((k) + 4) STEPS4((k) + 8) STEPS4((k) + 12)
#define BLOCK(b)                                                                        \
    STEPS16(64 * (b)) STEPS16(64 * (b) + 16) STEPS16(64 * (b) + 32) STEPS16(64 * (b) + 48) \
    asm volatile("st.volatile.global.u32 [%0], %1;" ::"l"(out + (b) * 32), "r"(x));
#define BLOCKS4(b) BLOCK(b) BLOCK((b) + 1) BLOCK((b) + 2) BLOCK((b) + 3)
#define BLOCKS16(b) BLOCKS4(b) BLOCKS4((b) + 4) BLOCKS4((b) + 8) BLOCKS4((b) + 12)

// One warp of each CTA: out[((cta * passes + pass) * 68 + block) * 32 + lane].
extern "C" __global__ void __launch_bounds__(1024) code_walk(u32 *out, uint4 *places, u32 passes) {
    u32 sm = this_sm(), warp = this_warp(), lane = threadIdx.x % 32;
    if (threadIdx.x < 32) {
        out += (size_t)blockIdx.x * passes * 68 * 32 + lane;
        for (u32 pass = 0; pass < passes; pass++, out += 68 * 32) {
            u32 x = lane * 0x01010101u;
            BLOCKS16(0) BLOCKS16(16) BLOCKS16(32) BLOCKS16(48) BLOCKS4(64)
        }
    }
    note_place(places, (blockIdx.x * blockDim.x + threadIdx.x) / 32, sm, warp);
}
