// Tensor cores: every warp multiplies the same tiles.
//
// A tile is the registers of all lanes, 16 words a lane: A from word 0 on, B from 4, C from 8. What
// goes where is the layout that PTX gives for the shape (`mma.sync.aligned`); the host knows it.
// `tensor_NAME` folds each word of D into a signature of each thread, by the integer unit;
// `tensor_NAME_raw` stores every D of the warps of one SM.

// Compiled with UPSET_INJECT as well: that variant makes errors on purpose.
#include "burn.h"

#define A(n) "r"(o[n])
#define B(n) "r"(o[4 + n])
#define C(n) "r"(o[8 + n])
#define F(n) "+f"(f[n])

// Half precision in, single precision accumulated.
struct Half {
#if __CUDA_ARCH__ < 750
    enum { WORDS = 8 };
    // m8n8k4, by four groups of eight lanes.
    static __device__ __forceinline__ void eval(const u32 *o, u32 *r) {
        float f[8];
#pragma unroll
        for (int i = 0; i < 8; i++) f[i] = __uint_as_float(o[8 + i]);
        asm volatile("mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 "
                     "{%0,%1,%2,%3,%4,%5,%6,%7}, {%8,%9}, {%10,%11}, {%0,%1,%2,%3,%4,%5,%6,%7};"
                     : F(0), F(1), F(2), F(3), F(4), F(5), F(6), F(7)
                     : A(0), A(1), B(0), B(1));
#pragma unroll
        for (int i = 0; i < 8; i++) r[i] = __float_as_uint(f[i]);
    }
#else
    enum { WORDS = 4 };
    static __device__ __forceinline__ void eval(const u32 *o, u32 *r) {
        float f[4];
#pragma unroll
        for (int i = 0; i < 4; i++) f[i] = __uint_as_float(o[8 + i]);
#if __CUDA_ARCH__ < 800
        asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 "
                     "{%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
                     : F(0), F(1), F(2), F(3)
                     : A(0), A(1), B(0));
#else
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                     "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                     : F(0), F(1), F(2), F(3)
                     : A(0), A(1), A(2), A(3), B(0), B(1));
#endif
#pragma unroll
        for (int i = 0; i < 4; i++) r[i] = __float_as_uint(f[i]);
    }
#endif
};

// Signed bytes in, words accumulated.
#if __CUDA_ARCH__ >= 750
struct Bytes {
#if __CUDA_ARCH__ < 800
    enum { WORDS = 2 };
    static __device__ __forceinline__ void eval(const u32 *o, u32 *r) {
        asm volatile("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%0,%1}, {%2}, {%3}, {%4,%5};"
                     : "=r"(r[0]), "=r"(r[1])
                     : A(0), B(0), C(0), C(1));
    }
#else
    enum { WORDS = 4 };
    static __device__ __forceinline__ void eval(const u32 *o, u32 *r) {
        asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 "
                     "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%11,%12,%13};"
                     : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                     : A(0), A(1), A(2), A(3), B(0), B(1), C(0), C(1), C(2), C(3));
    }
#endif
};
#endif

// A record of 32 words begins with where the warp ran, and ends with what this was compiled for:
// the host learns from it which shape the kernels have.
__device__ __forceinline__ void store_place(u64 record, u32 sm, u32 warp) {
    store_word(record, sm);
    store_word(record + 4, warp);
    store_word(record + 8, this_sm());
    store_word(record + 12, this_warp());
    store_word(record + 124, __CUDA_ARCH__ / 10);
}

// 16 words of a lane; a tile is 2 KB.
__device__ __forceinline__ void load_tile(u64 tiles, u32 i, u32 zero, u32 *o) {
    u64 address = joined(tiles, rotated(i, 11) | rotated(this_lane(), 6), zero);
#pragma unroll
    for (int k = 0; k < 4; k++) {
        uint4 v = load_words(address + 16 * k);
        o[4 * k] = v.x;
        o[4 * k + 1] = v.y;
        o[4 * k + 2] = v.z;
        o[4 * k + 3] = v.w;
    }
}

// One record a thread. CTAs have 2^bits threads; n is at least 1.
template <class Op>
__device__ __forceinline__ void sign(u64 tiles, u32 n, u32 rounds, u32 bits,
                                     u64 table INJECT_PARAMETERS) {
    u32 sm = this_sm(), warp = this_warp(), zero = unknown_zero();
    INJECT_HERE(sm, warp);
    u32 s[Op::WORDS];
#pragma unroll
    for (int k = 0; k < Op::WORDS; k++) s[k] = ~zero;
#pragma unroll 1
    for (u32 round = 0; round < rounds; round++) {
        u32 i = zero & round;
#pragma unroll 1
        do {
            u32 o[16], r[Op::WORDS];
            load_tile(tiles, i, zero, o);
            Op::eval(o, r);
#pragma unroll
            for (int k = 0; k < Op::WORDS; k++) {
                INJECT(r[k]);
                s[k] = fold_by_logic(s[k], r[k]);
            }
        } while (++i < n);
    }
    u64 out = joined(table, rotated(rotated(blockIdx.x, bits) | threadIdx.x, 7), zero);
    store_place(out, sm, warp);
#pragma unroll
    for (int k = 0; k < Op::WORDS; k++) store_word(out + 16 + 4 * k, s[k]);
}

// One record for each tile and thread of the CTA that is on the wanted SM.
template <class Op>
__device__ __forceinline__ void raw(u64 tiles, u32 n, u32 wanted, u32 bits,
                                    u64 table INJECT_PARAMETERS) {
    u32 sm = this_sm(), warp = this_warp(), zero = unknown_zero();
    if (sm != wanted) return;
    INJECT_HERE(sm, warp);
    u32 i = zero & wanted;
#pragma unroll 1
    do {
        u32 o[16], r[Op::WORDS];
        load_tile(tiles, i, zero, o);
        Op::eval(o, r);
        u64 out = joined(table, rotated(rotated(i, bits) | threadIdx.x, 7), zero);
#pragma unroll
        for (int k = 0; k < Op::WORDS; k++) {
            INJECT(r[k]);
            store_word(out + 16 + 4 * k, r[k]);
        }
        store_place(out, sm, warp);
    } while (++i < n);
}

#ifdef UPSET_INJECT
#define INJECT_PASSED , inject_sm, inject_sub, inject_subs, inject_lane, inject_mask, inject_period
#else
#define INJECT_PASSED
#endif

#define TENSOR(name, Op)                                                                      \
    extern "C" __global__ void tensor_##name(u64 tiles, u32 n, u32 rounds, u32 bits, u64 table \
                                                 INJECT_PARAMETERS) {                         \
        sign<Op>(tiles, n, rounds, bits, table INJECT_PASSED);                                \
    }                                                                                         \
    extern "C" __global__ void tensor_##name##_raw(u64 tiles, u32 n, u32 wanted, u32 bits,    \
                                                   u64 table INJECT_PARAMETERS) {             \
        raw<Op>(tiles, n, wanted, bits, table INJECT_PASSED);                                 \
    }

TENSOR(half, Half)
#if __CUDA_ARCH__ >= 750
TENSOR(bytes, Bytes)
#endif
