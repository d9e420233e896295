// Divergence, exchange between lanes, barriers, and many small CTAs.

// Compiled with UPSET_INJECT as well: that variant makes errors on purpose.
#include "burn.h"

#define BEGIN                                   \
    u32 began_sm = this_sm();                   \
    u32 began_warp = this_warp();               \
    INJECT_HERE(began_sm, began_warp)
#define END note_place(places, (blockIdx.x * blockDim.x + threadIdx.x) / 32, began_sm, began_warp)

__device__ __forceinline__ void keep(unsigned *to, unsigned value) {
    asm volatile("st.volatile.global.u32 [%0], %1;" ::"l"(to), "r"(value));
}

// Both sides have loops of a length that the compiler does not know (`turns`), so that
// it cannot turn the branch into a choice: out[(warp * masks + mask) * 32 + lane] is what the side
// left, and `after` what was voted once the sides have met again.
extern "C" __global__ void divergence(unsigned *out, unsigned *after, uint4 *places,
                                      const unsigned *masks, unsigned count, unsigned turns
                                      INJECT_PARAMETERS) {
    BEGIN;
    unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    size_t at = (size_t)warp * count * 32 + lane;
    for (unsigned i = 0; i < count; i++, at += 32) {
        unsigned mask = masks[i];
        unsigned side;
        if (mask >> lane & 1) {
            side = lane + i;
            for (unsigned t = 0; t < turns; t++) {
                side = side * 5 + t;
                keep(out + at, side);
            }
            side |= 0x80000000u;
        } else {
            side = 3 * lane + i;
            for (unsigned t = 0; t < turns; t++) {
                side = (side ^ t) + 0x01010101u;
                keep(out + at, side);
            }
            side &= 0x7fffffffu;
        }
        __syncwarp();
        INJECT(side);
        keep(out + at, side);
        unsigned together = __ballot_sync(~0u, side >> 31);
        keep(after + at, together);
    }
    END;
}

// Five branches within each other until every lane is alone, then back. `key` turns which
// lane goes where. Kept: out[(warp * 32 + key) * 32 + lane].
template <int DEPTH>
__device__ __noinline__ unsigned nest(unsigned way, unsigned path, unsigned *to);

template <>
__device__ __noinline__ unsigned nest<0>(unsigned way, unsigned path, unsigned *to) {
    keep(to, path);
    return path;
}

template <int DEPTH>
__device__ __noinline__ unsigned nest(unsigned way, unsigned path, unsigned *to) {
    if (way >> (DEPTH - 1) & 1)
        path = nest<DEPTH - 1>(way, path * 5 + 1, to) + 0x10;
    else
        path = nest<DEPTH - 1>(way, path * 3 + 2, to) + 0x100;
    __syncwarp();
    return path;
}

extern "C" __global__ void nested(unsigned *out, unsigned *returned, uint4 *places
                                  INJECT_PARAMETERS) {
    BEGIN;
    unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    for (unsigned key = 0; key < 32; key++) {
        size_t at = ((size_t)warp * 32 + key) * 32 + lane;
        unsigned path = nest<5>(lane ^ key, 1, out + at);
        INJECT(path);
        keep(returned + at, path);
    }
    END;
}

// Loops of different length for each lane, with a way out in the middle:
// out[(warp * 32 + key) * 32 + lane].
extern "C" __global__ void loops(unsigned *out, uint4 *places INJECT_PARAMETERS) {
    BEGIN;
    unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    for (unsigned key = 0; key < 32; key++) {
        unsigned turns = lane ^ key, state = lane;
        for (unsigned i = 0; i < 32; i++) {
            state = state * 5 + i;
            if (i == turns) break;
            for (unsigned j = 0; j < (i & 3); j++) {
                state ^= state << 3;
                if (state & 64) break;
            }
        }
        __syncwarp();
        INJECT(state);
        keep(out + ((size_t)warp * 32 + key) * 32 + lane, state);
    }
    END;
}

// Every way of exchanging values between lanes: 32 distances of four shuffles, 32 votes of
// three kinds, 32 matches. out[(warp * 288 + operation) * 32 + lane].
extern "C" __global__ void exchange(unsigned *out, uint4 *places, const unsigned *values
                                    INJECT_PARAMETERS) {
    BEGIN;
    unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    unsigned value = values[lane];
    out += (size_t)warp * 288 * 32 + lane;
    for (unsigned i = 0; i < 32; i++) {
        unsigned turned = __shfl_sync(~0u, value, (lane + i) % 32);
        INJECT(turned);
        keep(out, turned);
        keep(out + 32 * 32, __shfl_up_sync(~0u, value, i));
        keep(out + 64 * 32, __shfl_down_sync(~0u, value, i));
        keep(out + 96 * 32, __shfl_xor_sync(~0u, value, i));
        unsigned bit = value >> i & 1;
        keep(out + 128 * 32, __ballot_sync(~0u, bit));
        keep(out + 160 * 32, __any_sync(~0u, lane == i && bit));
        keep(out + 192 * 32, __all_sync(~0u, lane != i || bit));
        keep(out + 224 * 32, __match_any_sync(~0u, value >> i & 3));
        int same;
        unsigned all = __match_all_sync(~0u, lane < i ? value & 1 : 1u, &same);
        keep(out + 256 * 32, all ^ (same ? 0x80000000u : 0));
        out += 32;
    }
    END;
}

// Warps write, wait for each other at barrier `step` of 16 and read the next warp's word:
// out[(cta * steps + step) * threads + thread].
extern "C" __global__ void barriers(unsigned *out, uint4 *places, unsigned steps
                                    INJECT_PARAMETERS) {
    extern __shared__ unsigned words[];
    BEGIN;
    out += (size_t)blockIdx.x * steps * blockDim.x + threadIdx.x;
    unsigned neighbour = (threadIdx.x + 32) % blockDim.x, value = threadIdx.x;
    for (unsigned step = 0; step < steps; step++) {
        words[threadIdx.x] = value;
        asm volatile("bar.sync %0, %1;" ::"r"(step % 16), "r"(blockDim.x) : "memory");
        value = words[neighbour] * 5 + step;
        asm volatile("bar.sync %0, %1;" ::"r"((step + 8) % 16), "r"(blockDim.x) : "memory");
        unsigned kept = value;
        INJECT(kept);
        keep(out, kept);
        out += blockDim.x;
    }
    END;
}

// Small CTAs that come and go: each says once that it was there.
extern "C" __global__ void churn(unsigned *seen, unsigned *out, uint4 *places, unsigned salt
                                 INJECT_PARAMETERS) {
    BEGIN;
    unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(seen + blockIdx.x, 1);
    unsigned value = thread * 0x9e3779b1u ^ salt;
    INJECT(value);
    out[thread] = value;
    END;
}
