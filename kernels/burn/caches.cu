// First-level data cache, L2 and constant cache.

// Compiled with UPSET_INJECT as well: that variant makes errors on purpose.
#include "burn.h"

#define BEGIN                                   \
    u32 began_sm = this_sm();                   \
    u32 began_warp = this_warp();               \
    INJECT_HERE(began_sm, began_warp)
#define END note_place(places, (blockIdx.x * blockDim.x + threadIdx.x) / 32, began_sm, began_warp)

__device__ __forceinline__ unsigned load_first_level(const unsigned *from) {
    unsigned value;
    asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(value) : "l"(from));
    return value;
}

__device__ __forceinline__ unsigned load_l2(const unsigned *from) {
    unsigned value;
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(value) : "l"(from));
    return value;
}

__device__ __forceinline__ void store_l2(unsigned *to, unsigned value) {
    asm volatile("st.global.cg.u32 [%0], %1;" ::"l"(to), "r"(value));
}

// All warps of each CTA read `lines` lines of 32 words, `stride` words apart, twice: the first time
// they come from below, the second time from the cache. What the second reading gave is
// out[cta * lines * 32 + line * 32 + lane]; it is kept in registers until all lines were read, so
// that no store drives a line out. A CTA is as large as an SM takes, so that each SM gets one.
#define HELD 32
extern "C" __global__ void __launch_bounds__(1024)
    first_level(unsigned *out, uint4 *places, const unsigned *data, unsigned lines, unsigned stride
                INJECT_PARAMETERS) {
    BEGIN;
    unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    out += (size_t)blockIdx.x * lines * 32 + lane;
    data += lane;
    for (unsigned first = warp; first < lines; first += 32 * HELD) {
        // What nobody uses the compiler does not load: it goes into a result, times zero.
        unsigned unused = 0;
        for (unsigned i = first; i < lines && i < first + 32 * HELD; i += 32)
            unused ^= load_first_level(data + (size_t)i * stride);
        unused &= unknown_zero();
        __syncthreads();
        unsigned value[HELD];
#pragma unroll
        for (unsigned k = 0; k < HELD; k++)
            if (first + 32 * k < lines)
                value[k] = load_first_level(data + (size_t)(first + 32 * k) * stride);
        __syncthreads();
#pragma unroll
        for (unsigned k = 0; k < HELD; k++)
            if (first + 32 * k < lines) {
                INJECT(value[k]);
                store_l2(out + (first + 32 * k) * 32, value[k] ^ unused);
            }
    }
    END;
}

// Word i gets i * scale ^ salt: its own number with an odd scale, one value everywhere with 0.
// Lines stay dirty in L2.
extern "C" __global__ void l2_fill(unsigned *cells, uint4 *places, unsigned long long words,
                                   unsigned scale, unsigned salt INJECT_PARAMETERS) {
    BEGIN;
    unsigned long long step = (unsigned long long)gridDim.x * blockDim.x;
    for (unsigned long long i = blockIdx.x * blockDim.x + threadIdx.x; i < words; i += step)
        store_l2(cells + i, (unsigned)i * scale ^ salt);
    END;
}

// Other SMs than those that wrote copy what they find: the host compares the copy.
extern "C" __global__ void l2_copy(unsigned *out, uint4 *places, const unsigned *cells,
                                   unsigned long long words INJECT_PARAMETERS) {
    BEGIN;
    unsigned long long step = (unsigned long long)gridDim.x * blockDim.x;
    unsigned cta = (blockIdx.x + gridDim.x / 2 + 1) % gridDim.x;
    for (unsigned long long i = cta * blockDim.x + threadIdx.x; i < words; i += step) {
        unsigned value = load_l2(cells + i);
        INJECT(value);
        store_l2(out + i, value);
    }
    END;
}

// 64 KB that the host fills: as much as there is.
#define CONSTANTS 16384
extern "C" {
__constant__ unsigned constants[CONSTANTS];
}

// A parameter in a register for good: were it read from its constant bank again and again, its
// line would never leave the constant cache, and what is beneath it would never be tested.
__device__ __forceinline__ unsigned *held(unsigned *p) { return p + unknown_zero(); }

// One warp of each CTA reads every word of the table twice, all lanes the same one; lane l
// keeps word 32 * i + l of reading `pass`: out[(cta * 2 + pass) * CONSTANTS + word].
extern "C" __global__ void __launch_bounds__(1024) constant_walk(unsigned *out, uint4 *places
                                                                INJECT_PARAMETERS) {
    BEGIN;
    unsigned lane = threadIdx.x % 32;
    out = held(out + (size_t)blockIdx.x * 2 * CONSTANTS);
    if (threadIdx.x < 32)
        for (unsigned pass = 0; pass < 2; pass++) {
            for (unsigned i = 0; i < CONSTANTS; i += 32) {
                unsigned mine = 0;
                for (unsigned k = 0; k < 32; k++) {
                    unsigned word = constants[i + k];
                    mine = lane == k ? word : mine;
                }
                INJECT(mine);
                out[i + lane] = mine;
            }
            out += CONSTANTS;
        }
    END;
}

// One word of every 32 bytes, twice, beginning at word `first` and round: lines come to the cache in
// another order than they lie, so that a line is stored before and after each of those that differ
// from it in one bit of the tag. out[(cta * 2 + pass) * CONSTANTS / 8 + n], n in the order of reading.
extern "C" __global__ void __launch_bounds__(1024)
    constant_tags(unsigned *out, uint4 *places, unsigned first INJECT_PARAMETERS) {
    BEGIN;
    unsigned lane = threadIdx.x % 32;
    out = held(out + (size_t)blockIdx.x * 2 * (CONSTANTS / 8));
    first |= unknown_zero();
    if (threadIdx.x < 32)
        for (unsigned pass = 0; pass < 2; pass++) {
            for (unsigned i = 0; i < CONSTANTS / 8; i += 32) {
                unsigned mine = 0;
                for (unsigned k = 0; k < 32; k++) {
                    unsigned word = constants[(first + (i + k) * 8) % CONSTANTS];
                    mine = lane == k ? word : mine;
                }
                INJECT(mine);
                out[i + lane] = mine;
            }
            out += CONSTANTS / 8;
        }
    END;
}
