// Atomic operations, of L2 and of shared memory.

// Compiled with UPSET_INJECT as well: that variant makes errors on purpose.
#include "burn.h"

#define BEGIN                                   \
    u32 began_sm = this_sm();                   \
    u32 began_warp = this_warp();               \
    INJECT_HERE(began_sm, began_warp)
#define END note_place(places, (blockIdx.x * blockDim.x + threadIdx.x) / 32, began_sm, began_warp)

// cell[0] counts: what each thread got is a ticket, kept as tickets[ticket] = thread. The others
// get every thread's value by one operation each, whose result hangs on no order.
__device__ __forceinline__ void all(unsigned *cell, unsigned *tickets, unsigned thread,
                                    unsigned value, unsigned room) {
    unsigned ticket = atomicAdd(cell, 1);
    if (ticket < room) tickets[ticket] = thread;
    atomicAdd(cell + 1, value);
    atomicMin(cell + 2, value);
    atomicMax(cell + 3, value);
    atomicAnd(cell + 4, value | 0xffff0000u);
    atomicOr(cell + 5, value & 0xffffu);
    atomicXor(cell + 6, value);
    atomicInc(cell + 7, 6);
    atomicMin((int *)cell + 8, (int)value);
    atomicMax((int *)cell + 9, (int)value);
    unsigned long long *wide = (unsigned long long *)(cell + 10);
    atomicAdd(wide, (unsigned long long)value << 8);
    // A sum by compare and swap.
    unsigned old = *(volatile unsigned *)(cell + 12), seen;
    do {
        seen = old;
        old = atomicCAS(cell + 12, seen, seen + (value & 0xff));
    } while (old != seen);
}

extern "C" __global__ void global_atomics(unsigned *cells, unsigned *tickets, uint4 *places,
                                          const unsigned *values, unsigned room
                                          INJECT_PARAMETERS) {
    BEGIN;
    unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned value = values[thread];
    INJECT(value);
    all(cells, tickets, thread, value, room);
    END;
}

// One set of cells per CTA: out[cta * 16 + cell], tickets[cta * threads + ticket].
extern "C" __global__ void shared_atomics(unsigned *out, unsigned *tickets, uint4 *places,
                                          const unsigned *values, const unsigned *start
                                          INJECT_PARAMETERS) {
    __shared__ __align__(8) unsigned cells[16];
    BEGIN;
    if (threadIdx.x < 16) cells[threadIdx.x] = start[threadIdx.x];
    __syncthreads();
    unsigned value = values[threadIdx.x];
    INJECT(value);
    all(cells, tickets + (size_t)blockIdx.x * blockDim.x, threadIdx.x, value, blockDim.x);
    __syncthreads();
    if (threadIdx.x < 16) out[blockIdx.x * 16 + threadIdx.x] = cells[threadIdx.x];
    END;
}
