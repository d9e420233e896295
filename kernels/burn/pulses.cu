// Load that comes and goes: all SMs work for so many turns, then wait for the end of the
// period. What is computed in a period is the same in each, so that the host knows it.

// Compiled with UPSET_INJECT as well: that variant makes errors on purpose.
#include "burn.h"

#define BEGIN                                   \
    u32 began_sm = this_sm();                   \
    u32 began_warp = this_warp();               \
    INJECT_HERE(began_sm, began_warp)
#define END note_place(places, (blockIdx.x * blockDim.x + threadIdx.x) / 32, began_sm, began_warp)

// Begins when all CTAs are there (`arrived` counts them), so that all SMs are in step; periods end
// by the clock of the SM. A CTA that waits longer than `patience` cycles for the others goes on.
extern "C" __global__ void pulses(unsigned *out, uint4 *places, unsigned *arrived,
                                  const float *data, unsigned periods, unsigned turns,
                                  unsigned long long period, unsigned long long patience
                                  INJECT_PARAMETERS) {
    BEGIN;
    unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0) {
        atomicAdd(arrived, 1);
        long long start = clock64();
        while (*(volatile unsigned *)arrived < gridDim.x && clock64() - start < (long long)patience) {
        }
    }
    __syncthreads();
    float a = data[threadIdx.x % 32], b = data[32 + threadIdx.x % 32];
    unsigned sum = 0;
    long long edge = clock64();
    for (unsigned p = 0; p < periods; p++) {
        float x = a, y = b;
        unsigned n = threadIdx.x % 32;
        for (unsigned t = 0; t < turns; t++) {
            // Both multiply-add pipes, the integer unit and the special functions.
#pragma unroll
            for (int k = 0; k < 4; k++) {
                x = __fmaf_rn(x, 0.75f, b);
                y = __fmaf_rn(y, -0.5f, a);
                n = n * 1664525u + 1013904223u;
            }
            n ^= n >> 7;
        }
        sum = (sum << 1 | sum >> 31) ^ __float_as_uint(x) ^ __float_as_uint(y) ^ n;
        edge += period;
        while (clock64() < edge) {
        }
    }
    INJECT(sum);
    out[thread] = sum;
    END;
}
