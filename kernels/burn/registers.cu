// Registers, predicates and warp slots.
//
// A value under test travels memory -> register -> memory and meets no arithmetic
// on its way: loads and stores are volatile, so that the compiler can neither
// leave one out nor keep two values in one register. What came back is compared
// by the host. `crates/burn` decodes the machine code and checks which registers
// each kernel tests, and in which order.

#include "burn.h"

#ifdef UPSET_INJECT
#define INJECT_PASSED , inject_sm, inject_sub, inject_subs, inject_lane, inject_mask, inject_period
#else
#define INJECT_PASSED
#endif

extern __shared__ unsigned patterns[];

// The address is the same for all threads, so that it needs no register of theirs.
__device__ __forceinline__ unsigned pattern(unsigned inverted) {
    unsigned value;
    unsigned at = (unsigned)__cvta_generic_to_shared(patterns) + inverted * 4;
    asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(value) : "r"(at));
    return value;
}

__device__ __forceinline__ void keep(unsigned *to, unsigned value) {
    asm volatile("st.volatile.global.u32 [%0], %1;" ::"l"(to), "r"(value));
}

__device__ __forceinline__ unsigned fetch(const unsigned *from) {
    unsigned value;
    asm volatile("ld.volatile.global.u32 %0, [%1];" : "=r"(value) : "l"(from));
    return value;
}

// Asked anew each time, so that the answer stays in no register while others are tested.
__device__ __forceinline__ unsigned thread() {
    unsigned id;
    asm volatile("mov.u32 %0, %%tid.x;" : "=r"(id));
    return id;
}

__device__ __forceinline__ unsigned warp() {
    unsigned block;
    asm volatile("mov.u32 %0, %%ctaid.x;" : "=r"(block));
    return (block * blockDim.x + thread()) / 32;
}

__device__ __forceinline__ void begin(uint4 *places, unsigned background) {
    if (thread() % 32 == 0) {
        places[warp()].x = this_sm();
        places[warp()].z = this_warp();
    }
    if (thread() < 2) patterns[thread()] = thread() ? ~background : background;
    __syncthreads();
}

__device__ __forceinline__ void end(uint4 *places) {
    if (thread() % 32 == 0) {
        places[warp()].y = this_sm();
        places[warp()].w = this_warp();
    }
}

// March C-: five reads of each register, each kept as
// out[((warp * 5 + read) * N + register) * 32 + lane].
template <int N>
__device__ __forceinline__ void march(unsigned *out INJECT_PARAMETERS) {
    INJECT_HERE(this_sm(), this_warp());
    out += (size_t)warp() * 5 * N * 32 + thread() % 32;
    unsigned r[N];
#pragma unroll
    for (int i = 0; i < N; i++) r[i] = pattern(0);
#pragma unroll
    for (int element = 0; element < 2; element++)
#pragma unroll
        for (int i = 0; i < N; i++) {
            INJECT(r[i]);
            keep(out + (element * N + i) * 32, r[i]);
            r[i] = pattern(1 - element);
        }
#pragma unroll
    for (int element = 2; element < 4; element++)
#pragma unroll
        for (int i = N - 1; i >= 0; i--) {
            INJECT(r[i]);
            keep(out + (element * N + i) * 32, r[i]);
            r[i] = pattern(3 - element);
        }
#pragma unroll
    for (int i = 0; i < N; i++) {
        INJECT(r[i]);
        keep(out + (4 * N + i) * 32, r[i]);
    }
}

// Every register of every thread holds a word of its own while all warps of the
// CTA are there: [(warp * N + register) * 32 + lane] of both buffers.
template <int N>
__device__ __forceinline__ void own(unsigned *out, const unsigned *in INJECT_PARAMETERS) {
    INJECT_HERE(this_sm(), this_warp());
    unsigned at = warp() * N * 32 + thread() % 32;
    unsigned r[N];
#pragma unroll
    for (int i = 0; i < N; i++) r[i] = fetch(in + at + i * 32);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < N; i++) {
        INJECT(r[i]);
        keep(out + at + i * 32, r[i]);
    }
}

#define KERNELS(SIZE, N, THREADS, CTAS)                                                         \
    extern "C" __global__ void __launch_bounds__(THREADS, CTAS)                                 \
        march_##SIZE(unsigned *out, uint4 *places, unsigned background INJECT_PARAMETERS) {     \
        begin(places, background);                                                              \
        march<N>(out INJECT_PASSED);                                                                          \
        end(places);                                                                            \
    }                                                                                           \
    extern "C" __global__ void __launch_bounds__(THREADS, CTAS)                                 \
        own_##SIZE(unsigned *out, uint4 *places, const unsigned *in INJECT_PARAMETERS) {        \
        begin(places, 0);                                                                       \
        own<N>(out, in INJECT_PASSED);                                                                        \
        end(places);                                                                            \
    }

// All warp slots of chips with 2,048 threads an SM; Turing has 1,024.
#if __CUDA_ARCH__ == 750
KERNELS(32, 26, 1024, 1)
#else
KERNELS(32, 26, 1024, 2)
#endif
KERNELS(64, 58, 1024, 1)
KERNELS(256, 249, 256, 1)
