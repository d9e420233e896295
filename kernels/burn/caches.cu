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

// Every word gets its own number (or the complement); lines stay dirty in L2.
extern "C" __global__ void l2_fill(unsigned *cells, uint4 *places, unsigned long long words,
                                   unsigned salt, unsigned flip INJECT_PARAMETERS) {
    BEGIN;
    unsigned long long step = (unsigned long long)gridDim.x * blockDim.x;
    for (unsigned long long i = blockIdx.x * blockDim.x + threadIdx.x; i < words; i += step)
        store_l2(cells + i, ((unsigned)i * 0x9e3779b1u ^ salt) ^ flip);
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

// 60 KB that the host fills: bank 3 without what other tables may need.
extern "C" {
__constant__ unsigned constants[15360];
}

// One warp of each CTA reads every word of the table, all lanes the same one; lane l
// keeps word 32 * i + l of reading `pass`: out[(cta * 2 + pass) * 15360 + word].
extern "C" __global__ void __launch_bounds__(1024) constant_walk(unsigned *out, uint4 *places
                                                                INJECT_PARAMETERS) {
    BEGIN;
    unsigned lane = threadIdx.x % 32;
    out += (size_t)blockIdx.x * 2 * 15360;
    if (threadIdx.x < 32)
        for (unsigned pass = 0; pass < 2; pass++) {
            for (unsigned i = 0; i < 15360; i += 32) {
                unsigned mine = 0;
                for (unsigned k = 0; k < 32; k++) {
                    unsigned word = constants[i + k];
                    mine = lane == k ? word : mine;
                }
                INJECT(mine);
                out[i + lane] = mine;
            }
            out += 15360;
        }
    END;
}
