// Shared memory.
//
// One warp walks, so that every bank sees its words in the order of a March test;
// the 32 words of a row, one of each bank, are visited together. What is read goes
// to memory as it is, and the host compares.

// Compiled with UPSET_INJECT as well: that variant makes errors on purpose.
#include "burn.h"

#define BEGIN                                   \
    u32 began_sm = this_sm();                   \
    u32 began_warp = this_warp();               \
    INJECT_HERE(began_sm, began_warp)
#define END note_place(places, (blockIdx.x * blockDim.x + threadIdx.x) / 32, began_sm, began_warp)

extern __shared__ unsigned cells[];

// March C- by warp `worker` of each CTA: five reads of each word, each kept as
// out[(cta * 5 + read) * words + word]. `words` is a multiple of 32.
extern "C" __global__ void shared_march(unsigned *out, uint4 *places, unsigned words,
                                        unsigned background, unsigned worker INJECT_PARAMETERS) {
    BEGIN;
    volatile unsigned *cell = cells;
    if (threadIdx.x / 32 == worker) {
        unsigned lane = threadIdx.x % 32;
        unsigned zero = background, one = ~background;
        out += (size_t)blockIdx.x * 5 * words;
        for (unsigned i = lane; i < words; i += 32) cell[i] = zero;
        for (unsigned element = 0; element < 2; element++) {
            unsigned next = element ? zero : one;
            for (unsigned i = lane; i < words; i += 32) {
                unsigned value = cell[i];
                INJECT(value);
                out[i] = value;
                cell[i] = next;
            }
            out += words;
        }
        for (unsigned element = 0; element < 2; element++) {
            unsigned next = element ? zero : one;
            for (unsigned i = words - 32 + lane; i < words; i -= 32) {
                unsigned value = cell[i];
                INJECT(value);
                out[i] = value;
                cell[i] = next;
            }
            out += words;
        }
        for (unsigned i = lane; i < words; i += 32) {
            unsigned value = cell[i];
            INJECT(value);
            out[i] = value;
        }
    }
    END;
}

// Every word holds its own number, then its complement; the next warp reads what
// a warp has written. Kept as out[(cta * 2 + read) * words + word].
extern "C" __global__ void shared_own(unsigned *out, uint4 *places, unsigned words, unsigned salt
                                      INJECT_PARAMETERS) {
    BEGIN;
    volatile unsigned *cell = cells;
    out += (size_t)blockIdx.x * 2 * words;
    unsigned reader = (threadIdx.x + 32) % blockDim.x;
    for (unsigned read = 0; read < 2; read++) {
        for (unsigned i = threadIdx.x; i < words; i += blockDim.x)
            cell[i] = (i * 0x10001u ^ salt) ^ (read ? ~0u : 0u);
        __syncthreads();
        for (unsigned i = reader; i < words; i += blockDim.x) {
            unsigned value = cell[i];
            INJECT(value);
            out[i] = value;
        }
        __syncthreads();
        out += words;
    }
    END;
}
