// Tests of the arithmetic units: every lane of every warp computes every
// operation on every operand tuple.
//
// `burn_NAME` folds each operation's results into one signature per thread. Where
// one differs from the host's, `burn_NAME_raw` runs: the warps of one SM store every
// result, which tells operand and bit.
//
// Addresses and loops use the integer unit alone; in the test of the integer unit,
// none of it. CTAs have one row, and all is a row of CTAs.
//
// An operation is under test only if its result cannot be had in another way:
// each is written so that the compiler has one instruction for it, and the
// results of one unit are folded by another.

#include "burn.h"

__device__ __forceinline__ float f(u32 v) { return __uint_as_float(v); }
__device__ __forceinline__ u32 u(float v) { return __float_as_uint(v); }
__device__ __forceinline__ double d(u32 low, u32 high) { return __hiloint2double(high, low); }

// FP32: both pipes where there are two.
struct Fma {
    enum { TUPLE = 1, WORDS = 3 };
    static __device__ __forceinline__ void eval(const uint4 *o, u32 *r) {
        r[0] = u(__fmaf_rn(f(o->x), f(o->y), f(o->z)));
        r[1] = u(__fadd_rn(f(o->x), f(o->y)));
        r[2] = u(__fmul_rn(f(o->x), f(o->y)));
    }
};

// Integer products: of two FP32 pipes only the heavy one has them.
struct Imad {
    enum { TUPLE = 1, WORDS = 4 };
    static __device__ __forceinline__ void eval(const uint4 *o, u32 *r) {
        asm("mad.lo.u32 %0, %1, %2, %3;" : "=r"(r[0]) : "r"(o->x), "r"(o->y), "r"(o->z));
        asm("mul.hi.u32 %0, %1, %2;" : "=r"(r[1]) : "r"(o->x), "r"(o->y));
        u64 wide, addend = (u64)o->w << 32 | o->z;
        asm("mad.wide.s32 %0, %1, %2, %3;" : "=l"(wide) : "r"(o->x), "r"(o->y), "l"(addend));
        r[2] = (u32)wide;
        r[3] = (u32)(wide >> 32);
    }
};

// Integer, logic, compare, select.
struct Alu {
    enum { TUPLE = 1, WORDS = 12 };
    static __device__ __forceinline__ void eval(const uint4 *o, u32 *r) {
        u32 a = o->x, b = o->y, c = o->z;
        // Two words of a sum of three: both predicates of the low one are carries.
        u64 sum = ((u64)b << 32 | a) + ((u64)c << 32 | b) + ((u64)a << 32 | c);
        r[0] = (u32)sum;
        r[1] = (u32)(sum >> 32);
        asm("lop3.b32 %0, %1, %2, %3, 0x96;" : "=r"(r[2]) : "r"(a), "r"(b), "r"(c));
        asm("lop3.b32 %0, %1, %2, %3, 0xe8;" : "=r"(r[3]) : "r"(a), "r"(b), "r"(c));
        asm("shf.l.wrap.b32 %0, %1, %2, %3;" : "=r"(r[4]) : "r"(a), "r"(b), "r"(c));
        asm("shf.r.clamp.b32 %0, %1, %2, %3;" : "=r"(r[5]) : "r"(a), "r"(b), "r"(c & 63));
        asm("prmt.b32 %0, %1, %2, %3;" : "=r"(r[6]) : "r"(a), "r"(b), "r"(c));
        asm("{ .reg .pred p; setp.lt.s32 p, %1, %2; selp.b32 %0, %1, %3, p; }"
            : "=r"(r[7]) : "r"(a), "r"(b), "r"(c));
        asm("{ .reg .pred p; setp.gt.u32 p, %1, %2; selp.b32 %0, %3, %2, p; }"
            : "=r"(r[8]) : "r"(a), "r"(b), "r"(c));
        asm("min.s32 %0, %1, %2;" : "=r"(r[9]) : "r"(a), "r"(b));
        asm("max.u32 %0, %1, %2;" : "=r"(r[10]) : "r"(b), "r"(c));
        // Float compare and select run here as well.
        asm("min.f32 %0, %1, %2;" : "=f"(*(float *)&r[11]) : "f"(f(a)), "f"(f(b)));
    }
};

// Double precision.
struct Fp64 {
    enum { TUPLE = 2, WORDS = 6 };
    static __device__ __forceinline__ void eval(const uint4 *o, u32 *r) {
        double a = d(o[0].x, o[0].y), b = d(o[0].z, o[0].w), c = d(o[1].x, o[1].y);
        double m = __fma_rn(a, b, c), s = __dadd_rn(a, c), p = __dmul_rn(a, b);
        r[0] = __double2loint(m);
        r[1] = __double2hiint(m);
        r[2] = __double2loint(s);
        r[3] = __double2hiint(s);
        r[4] = __double2loint(p);
        r[5] = __double2hiint(p);
    }
};

// Transcendentals and bit counts.
struct Mufu {
    enum { TUPLE = 1, WORDS = 13 };
    static __device__ __forceinline__ void eval(const uint4 *o, u32 *r) {
        float x = f(o->x), y;
#define MUFU(i, text)                             \
    asm(text ".f32 %0, %1;" : "=f"(y) : "f"(x)); \
    r[i] = u(y)
        MUFU(0, "cos.approx.ftz");
        MUFU(1, "sin.approx.ftz");
        MUFU(2, "ex2.approx.ftz");
        MUFU(3, "lg2.approx.ftz");
        MUFU(4, "rcp.approx.ftz");
        MUFU(5, "rsqrt.approx.ftz");
        MUFU(6, "sqrt.approx.ftz");
#if __CUDA_ARCH__ >= 750
        MUFU(7, "tanh.approx");
#else
        r[7] = 0;
#endif
#undef MUFU
        double w;
        asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(w) : "d"(d(0, o->x)));
        r[8] = __double2hiint(w);
        asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(w) : "d"(d(0, o->x)));
        r[9] = __double2hiint(w);
        asm("popc.b32 %0, %1;" : "=r"(r[10]) : "r"(o->x));
        asm("bfind.u32 %0, %1;" : "=r"(r[11]) : "r"(o->x));
        asm("brev.b32 %0, %1;" : "=r"(r[12]) : "r"(o->x));
    }
};

// Conversions.
struct Convert {
    enum { TUPLE = 1, WORDS = 14 };
    static __device__ __forceinline__ void eval(const uint4 *o, u32 *r) {
        float x = f(o->x), y;
        double w = d(o->y, o->x), v;
        u64 n = (u64)o->x << 32 | o->y, m;
        asm("cvt.rni.s32.f32 %0, %1;" : "=r"(r[0]) : "f"(x));
        asm("cvt.rzi.u32.f32 %0, %1;" : "=r"(r[1]) : "f"(x));
        asm("cvt.rn.f32.s32 %0, %1;" : "=f"(y) : "r"(o->x));
        r[2] = u(y);
        asm("cvt.rz.f32.u32 %0, %1;" : "=f"(y) : "r"(o->x));
        r[3] = u(y);
        asm("cvt.rni.f32.f32 %0, %1;" : "=f"(y) : "f"(x));
        r[4] = u(y);
        asm("cvt.f64.f32 %0, %1;" : "=d"(v) : "f"(x));
        r[5] = __double2hiint(v) ^ __double2loint(v);
        asm("cvt.rn.f32.f64 %0, %1;" : "=f"(y) : "d"(w));
        r[6] = u(y);
        asm("cvt.rzi.s64.f64 %0, %1;" : "=l"(m) : "d"(w));
        r[7] = (u32)m;
        r[8] = (u32)(m >> 32);
        asm("cvt.rn.f64.s64 %0, %1;" : "=d"(v) : "l"(n));
        r[9] = __double2loint(v);
        r[10] = __double2hiint(v);
        asm("cvt.rn.f32.u64 %0, %1;" : "=f"(y) : "l"(n));
        r[11] = u(y);
        unsigned short h;
        asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(x));
        r[12] = h;
        h = (unsigned short)o->x;
        asm("cvt.f32.f16 %0, %1;" : "=f"(y) : "h"(h));
        r[13] = u(y);
    }
};

// Packed half precision.
struct Half {
    enum { TUPLE = 1, WORDS = 3 };
    static __device__ __forceinline__ void eval(const uint4 *o, u32 *r) {
        asm("fma.rn.f16x2 %0, %1, %2, %3;" : "=r"(r[0]) : "r"(o->x), "r"(o->y), "r"(o->z));
        asm("{add.f16x2 %0, %1, %2;}" : "=r"(r[1]) : "r"(o->x), "r"(o->y));
        asm("{mul.f16x2 %0, %1, %2;}" : "=r"(r[2]) : "r"(o->x), "r"(o->y));
    }
};

// Who folds: never the unit that computed.
struct ByLogic {
    enum { WORDS = 1 };
    u32 s;
    __device__ __forceinline__ void begin(u32 zero) { s = ~zero; }
    __device__ __forceinline__ void take(u32 r) { s = fold_by_logic(s, r); }
    __device__ __forceinline__ void store(u64 out) { store_word(out, s); }
};
struct ByProducts {
    enum { WORDS = 2 };
    Products s;
    __device__ __forceinline__ void begin(u32 zero) { s.low = s.high = 1; }
    __device__ __forceinline__ void take(u32 r) { s = fold_by_products(s, r); }
    __device__ __forceinline__ void store(u64 out) {
        store_word(out, s.low);
        store_word(out + 4, s.high);
    }
};

// Records are of 32 words. Every one begins with where its warp ran: SM and slot, before and after.
__device__ __forceinline__ void store_place(u64 record, u32 sm, u32 warp) {
    store_word(record, sm);
    store_word(record + 4, warp);
    store_word(record + 8, this_sm());
    store_word(record + 12, this_warp());
}

// Operands: 16 bytes each, one or two of them a tuple.
template <class Op>
__device__ __forceinline__ void load_tuple(u64 operands, u32 i, u32 zero, uint4 *o) {
    u64 address = joined(operands, rotated(i, Op::TUPLE == 2 ? 5 : 4), zero);
#pragma unroll
    for (int t = 0; t < Op::TUPLE; t++)
        o[t] = load_words(address + 16 * t);
}

// Signatures: one record a thread. CTAs have 2^bits threads; n is at least 1.
template <class Op, class Fold>
__device__ __forceinline__ void sign(u64 operands, u32 n, u32 rounds, u32 bits,
                                     u64 table INJECT_PARAMETERS) {
    u32 sm = this_sm(), warp = this_warp(), zero = unknown_zero();
    INJECT_HERE(sm, warp);
    Fold folds[Op::WORDS];
#pragma unroll
    for (int k = 0; k < Op::WORDS; k++)
        folds[k].begin(zero);
#pragma unroll 1
    for (u32 round = 0; round < rounds; round++) {
        // Zero, computed anew by logic: a move might run on the unit under test.
        u32 i = zero & round;
#pragma unroll 1
        do {
            u32 r[Op::WORDS];
            uint4 o[Op::TUPLE];
            load_tuple<Op>(operands, i, zero, o);
            Op::eval(o, r);
#pragma unroll
            for (int k = 0; k < Op::WORDS; k++) {
                INJECT(r[k]);
                folds[k].take(r[k]);
            }
        } while (++i < n);
    }
    u64 out = joined(table, rotated(rotated(blockIdx.x, bits) | threadIdx.x, 7), zero);
    store_place(out, sm, warp);
#pragma unroll
    for (int k = 0; k < Op::WORDS; k++)
        folds[k].store(out + 16 + 4 * k * Fold::WORDS);
}

// Raw results of the warps of one SM: one record for each operand tuple and
// thread of the CTA.
template <class Op>
__device__ __forceinline__ void raw(u64 operands, u32 n, u32 wanted, u32 bits,
                                    u64 table INJECT_PARAMETERS) {
    u32 sm = this_sm(), warp = this_warp(), zero = unknown_zero();
    if (sm != wanted)
        return;
    INJECT_HERE(sm, warp);
    u32 i = zero & wanted;
#pragma unroll 1
    do {
        u32 r[Op::WORDS];
        uint4 o[Op::TUPLE];
        load_tuple<Op>(operands, i, zero, o);
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

// The same two for the integer unit, without it: addresses by multiply-adds, loops
// by doubles, whose conversions are those of the transcendental unit. A broken
// lane then still stores its wrong results where they belong, and ends.

// Zero, of each lane's own, that the compiler does not know: CTAs have one row.
__device__ __forceinline__ u32 unknown_row() { return threadIdx.y; }

// A number that the compiler knows, as a product's sum that it does not.
__device__ __forceinline__ u32 product_and_sum(u32 a, u32 b, u32 c) {
    u32 sum;
    asm volatile("mad.lo.u32 %0, %1, %2, %3;" : "=r"(sum) : "r"(a), "r"(b), "r"(c));
    return sum;
}

// Address `count` times `bytes` into a table that begins at a multiple of a power of
// two not less than its size: no carry leaves the low word.
__device__ __forceinline__ u64 multiplied(u64 table, u32 count, u32 bytes, u32 zero) {
    u32 low = product_and_sum(count, bytes, (u32)table);
    u32 high = product_and_sum(count, zero, (u32)(table >> 32));
    u64 address;
    asm("mov.b64 %0, {%1, %2};" : "=l"(address) : "r"(low), "r"(high));
    return address;
}

template <class Op>
__device__ __forceinline__ void load_tuple_apart(u64 operands, u32 i, u32 bytes, u32 zero,
                                                 uint4 *o) {
    u64 address = multiplied(operands, i, bytes, zero);
#pragma unroll
    for (int t = 0; t < Op::TUPLE; t++)
        o[t] = load_words(address + 16 * t);
}

template <class Op, class Fold>
__device__ __forceinline__ void sign_apart(u64 operands, u32 n, u32 rounds, u32 bits,
                                           u64 table INJECT_PARAMETERS) {
    u32 sm = this_sm(), warp = this_warp(), zero = unknown_row();
    INJECT_HERE(sm, warp);
    Fold folds[Op::WORDS];
#pragma unroll
    for (int k = 0; k < Op::WORDS; k++)
        folds[k].begin(0);
    u32 bytes = product_and_sum(zero, zero, 16 * Op::TUPLE);
    // Counted on from round to round: to begin anew is a move, which might run on
    // the unit under test.
    double each = n, done = zero, last = __dmul_rn(each, rounds);
    double start = __dmul_rn(done, done), end = __dadd_rn(done, each);
#pragma unroll 1
    do {
#pragma unroll 1
        do {
            u32 r[Op::WORDS];
            uint4 o[Op::TUPLE];
            u32 i = __double2uint_rz(__dadd_rn(done, -start));
            load_tuple_apart<Op>(operands, i, bytes, zero, o);
            Op::eval(o, r);
#pragma unroll
            for (int k = 0; k < Op::WORDS; k++) {
                INJECT(r[k]);
                folds[k].take(r[k]);
            }
            done = __dadd_rn(done, 1.0);
        } while (done < end);
        start = __dadd_rn(start, each);
        end = __dadd_rn(end, each);
    } while (done < last);
    u32 record = product_and_sum(blockIdx.x, blockDim.x, threadIdx.x);
    u64 out = multiplied(table, record, product_and_sum(zero, zero, 128), zero);
    store_place(out, sm, warp);
#pragma unroll
    for (int k = 0; k < Op::WORDS; k++)
        folds[k].store(out + 16 + 4 * k * Fold::WORDS);
}

template <class Op>
__device__ __forceinline__ void raw_apart(u64 operands, u32 n, u32 wanted, u32 bits,
                                          u64 table INJECT_PARAMETERS) {
    u32 sm = this_sm(), warp = this_warp(), zero = unknown_row();
    if ((double)sm != (double)wanted)
        return;
    INJECT_HERE(sm, warp);
    u32 bytes = product_and_sum(zero, zero, 16 * Op::TUPLE);
    u32 line = product_and_sum(zero, zero, 128);
    double each = n, done = zero;
#pragma unroll 1
    do {
        u32 r[Op::WORDS], i = __double2uint_rz(done);
        uint4 o[Op::TUPLE];
        load_tuple_apart<Op>(operands, i, bytes, zero, o);
        Op::eval(o, r);
        u64 out = multiplied(table, product_and_sum(i, blockDim.x, threadIdx.x), line, zero);
#pragma unroll
        for (int k = 0; k < Op::WORDS; k++) {
            INJECT(r[k]);
            store_word(out + 16 + 4 * k, r[k]);
        }
        store_place(out, sm, warp);
        done = __dadd_rn(done, 1.0);
    } while (done < each);
}

#ifdef UPSET_INJECT
#define INJECT_PASSED , inject_sm, inject_sub, inject_subs, inject_lane, inject_mask, inject_period
#else
#define INJECT_PASSED
#endif

#define TEST(name, Op, Fold) TESTS(name, Op, Fold, sign, raw)
#define TEST_APART(name, Op, Fold) TESTS(name, Op, Fold, sign_apart, raw_apart)
#define TESTS(name, Op, Fold, sign, raw)                                                                 \
    extern "C" __global__ void burn_##name(u64 operands, u32 n, u32 rounds,         \
                                           u32 bits, u64 table INJECT_PARAMETERS) {          \
        sign<Op, Fold>(operands, n, rounds, bits, table INJECT_PASSED);                      \
    }                                                                                        \
    extern "C" __global__ void burn_##name##_raw(u64 operands, u32 n, u32 wanted,   \
                                                 u32 bits, u64 table INJECT_PARAMETERS) {    \
        raw<Op>(operands, n, wanted, bits, table INJECT_PASSED);                             \
    }

TEST(fma, Fma, ByLogic)
TEST(imad, Imad, ByLogic)
TEST_APART(alu, Alu, ByProducts)
TEST(fp64, Fp64, ByLogic)
TEST(mufu, Mufu, ByLogic)
TEST(convert, Convert, ByLogic)
TEST(half, Half, ByLogic)
