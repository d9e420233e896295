// Device memory.
//
// One launch is one element of a March test over all of it. A thread owns stripes of
// 16 bytes, so many CTAs' threads apart, and visits them in the order asked for: the
// order holds within a stripe and between launches, not between neighbours that other
// threads own. Each thread adds up the words that it read, which the host compares with
// what the sum must be; what differs from the expected word is reported with its
// address and read again by the host and by other SMs.

// Compiled with UPSET_INJECT as well: that variant makes errors on purpose.
#include "burn.h"

#define BEGIN                                   \
    u32 began_sm = this_sm();                   \
    u32 began_warp = this_warp();               \
    INJECT_HERE(began_sm, began_warp)
#define END note_place(places, (blockIdx.x * blockDim.x + threadIdx.x) / 32, began_sm, began_warp)

struct Report {
    unsigned long long word;  // number of the 32-bit word in the buffer
    unsigned found, expected;
    unsigned warp, lane;
};

#define READ 1u
#define WRITE 2u
#define DOWN 4u
// Data are the number of the word, not a pattern.
#define OWN 8u

__device__ __forceinline__ unsigned own(unsigned long long word) {
    return (unsigned)word * 0x9e3779b1u ^ (unsigned)(word >> 32);
}

__device__ __forceinline__ void judge(Report *reports, unsigned *count, unsigned room,
                                      unsigned long long word, unsigned found, unsigned expected) {
    if (found == expected) return;
    unsigned at = atomicAdd(count, 1);
    if (at >= room) return;
    Report r = {word, found, expected, (blockIdx.x * blockDim.x + threadIdx.x) / 32,
                threadIdx.x % 32};
    reports[at] = r;
}

// `quads` groups of four words. `first` turns which CTA has which stripes. sums[thread] is the
// sum of the words read, modulo 2^64.
extern "C" __global__ void element(uint4 *cells, uint4 *places, unsigned long long *sums,
                                   Report *reports, unsigned *count, unsigned room,
                                   unsigned long long quads, unsigned what, unsigned expected,
                                   unsigned written, unsigned first INJECT_PARAMETERS) {
    BEGIN;
    unsigned long long threads = (unsigned long long)gridDim.x * blockDim.x;
    unsigned cta = (blockIdx.x + first) % gridDim.x;
    unsigned long long mine = (unsigned long long)cta * blockDim.x + threadIdx.x;
    unsigned long long steps = mine < quads ? (quads - 1 - mine) / threads + 1 : 0;
    unsigned long long sum = 0;
    for (unsigned long long step = 0; step < steps; step++) {
        unsigned long long q = mine + threads * (what & DOWN ? steps - 1 - step : step);
        unsigned o[4];
#pragma unroll
        for (unsigned k = 0; k < 4; k++) o[k] = what & OWN ? own(4 * q + k) : 0;
        if (what & READ) {
            uint4 v;
            asm volatile("ld.volatile.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                         : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                         : "l"(cells + q));
            INJECT(v.x);
            sum += v.x;
            sum += v.y;
            sum += v.z;
            sum += v.w;
            judge(reports, count, room, 4 * q, v.x, expected ^ o[0]);
            judge(reports, count, room, 4 * q + 1, v.y, expected ^ o[1]);
            judge(reports, count, room, 4 * q + 2, v.z, expected ^ o[2]);
            judge(reports, count, room, 4 * q + 3, v.w, expected ^ o[3]);
        }
        if (what & WRITE)
            asm volatile("st.volatile.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(cells + q),
                         "r"(written ^ o[0]), "r"(written ^ o[1]), "r"(written ^ o[2]),
                         "r"(written ^ o[3]));
    }
    sums[blockIdx.x * blockDim.x + threadIdx.x] = sum;
    END;
}

// Modulo 20: words whose number leaves `offset` get `pattern`, then all others get the
// complement twice (`turn` 0 and 1), then the first are read (`turn` 2).
extern "C" __global__ void modulo20(unsigned *cells, uint4 *places, unsigned long long *sums,
                                    Report *reports, unsigned *count, unsigned room,
                                    unsigned long long words, unsigned offset, unsigned pattern,
                                    unsigned turn INJECT_PARAMETERS) {
    BEGIN;
    unsigned long long threads = (unsigned long long)gridDim.x * blockDim.x;
    unsigned long long sum = 0;
    volatile unsigned *cell = cells;
    for (unsigned long long i = blockIdx.x * blockDim.x + threadIdx.x; i < words; i += threads) {
        bool chosen = i % 20 == offset;
        if (turn == 2) {
            if (chosen) {
                unsigned v = cell[i];
                INJECT(v);
                sum += v;
                judge(reports, count, room, i, v, pattern);
            }
        } else if (chosen) {
            if (turn == 0) cell[i] = pattern;
        } else
            cell[i] = ~pattern;
    }
    sums[blockIdx.x * blockDim.x + threadIdx.x] = sum;
    END;
}

// Reads reported words again, from another SM than the one that reported them.
extern "C" __global__ void again(const unsigned *cells, unsigned *out,
                                 const unsigned long long *words, unsigned count, unsigned *sm) {
    unsigned i = blockIdx.x;
    if (threadIdx.x == 0 && i < count) {
        unsigned v;
        asm volatile("ld.volatile.global.u32 %0, [%1];" : "=r"(v) : "l"(cells + words[i]));
        out[i] = v;
        sm[i] = this_sm();
    }
}
