// Dependent chains: what one instruction after another costs when each needs
// the one before. One warp; the second pass is the one that counts, because
// by then the code is in the instruction caches.
//
// Every micro-benchmark has the same arguments: (first clock, last clock) of
// each warp, a place for values that keep the work alive, data, and numbers.
typedef unsigned u32;
typedef unsigned long long u64;

#define X2(x) x x
#define X4(x) X2(x) X2(x)
#define X16(x) X4(x) X4(x) X4(x) X4(x)
#define X64(x) X16(x) X16(x) X16(x) X16(x)
#define STEPS(x) X64(x) X64(x)

__device__ __forceinline__ u64 now()
{
    u64 t;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(t) :: "memory");
    return t;
}

// x, and operands a, b, c that the compiler cannot know.
#define CHAIN(name, type, from, to, step)                                       \
    extern "C" __global__ void latency_##name(u64 *clocks, u32 *sink, const u32 *in)      \
    {                                                                           \
        type x = from(in[threadIdx.x]), a = from(in[32]), b = from(in[33]), c = from(in[34]); \
        u64 start, end;                                                         \
        _Pragma("unroll 1")                                                     \
        for (int pass = 0; pass < 2; pass++) {                                  \
            start = now();                                                      \
            STEPS(step)                                                         \
            end = now();                                                        \
        }                                                                       \
        clocks[0] = start;                                                      \
        clocks[1] = end;                                                        \
        sink[threadIdx.x] = to(x) ^ to(a) ^ to(b) ^ to(c);                      \
    }

#define AS_IS(v) (v)
#define F32(v) __uint_as_float(v)
#define BITS(v) __float_as_uint(v)
#define F64(v) ((double)(v))
#define LOW(v) ((u32)__double_as_longlong(v))
#define WIDE(v) ((u64)(v) * 0x9e3779b97f4a7c15ull)

CHAIN(lop3, u32, AS_IS, AS_IS, asm volatile("lop3.b32 %0, %0, %1, %2, 0x1b;" : "+r"(x) : "r"(a), "r"(b));)
CHAIN(prmt, u32, AS_IS, AS_IS, asm volatile("prmt.b32 %0, %0, %1, %2;" : "+r"(x) : "r"(a), "r"(b));)
CHAIN(shf, u32, AS_IS, AS_IS, asm volatile("shf.l.wrap.b32 %0, %0, %1, %2;" : "+r"(x) : "r"(a), "r"(b));)
CHAIN(imad, u32, AS_IS, AS_IS, asm volatile("mad.lo.u32 %0, %0, %1, %2;" : "+r"(x) : "r"(a), "r"(b));)
CHAIN(imad_wide, u64, WIDE, (u32), asm volatile("{.reg .u32 l, h;\n\tmov.b64 {l, h}, %0;\n\tmul.wide.u32 %0, h, l;}" : "+l"(x));)
CHAIN(fadd, float, F32, BITS, asm volatile("add.rn.f32 %0, %0, %1;" : "+f"(x) : "f"(a));)
CHAIN(fmul, float, F32, BITS, asm volatile("mul.rn.f32 %0, %0, %1;" : "+f"(x) : "f"(a));)
CHAIN(ffma, float, F32, BITS, asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(x) : "f"(a), "f"(b));)
CHAIN(hfma2, u32, AS_IS, AS_IS, asm volatile("fma.rn.f16x2 %0, %0, %1, %2;" : "+r"(x) : "r"(a), "r"(b));)
CHAIN(dadd, double, F64, LOW, asm volatile("add.rn.f64 %0, %0, %1;" : "+d"(x) : "d"(a));)
CHAIN(dfma, double, F64, LOW, asm volatile("fma.rn.f64 %0, %0, %1, %2;" : "+d"(x) : "d"(a), "d"(b));)
CHAIN(mufu_ex2, float, F32, BITS, asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(x));)
CHAIN(mufu_rcp, float, F32, BITS, asm volatile("{.reg .f32 t;\n\trcp.approx.ftz.f32 t, %0;\n\tadd.rn.f32 %0, t, %1;}" : "+f"(x) : "f"(a));)
CHAIN(mufu_rsq, float, F32, BITS, asm volatile("rsqrt.approx.ftz.f32 %0, %0;" : "+f"(x));)
CHAIN(mufu_lg2, float, F32, BITS, asm volatile("lg2.approx.ftz.f32 %0, %0;" : "+f"(x));)
CHAIN(i2f_f2i, u32, AS_IS, AS_IS, asm volatile("{.reg .f32 t;\n\tcvt.rn.f32.s32 t, %0;\n\tcvt.rzi.s32.f32 %0, t;}" : "+r"(x));)
CHAIN(popc, u32, AS_IS, AS_IS, asm volatile("popc.b32 %0, %0;" : "+r"(x));)
CHAIN(flo, u32, AS_IS, AS_IS, asm volatile("bfind.u32 %0, %0;" : "+r"(x));)
CHAIN(brev, u32, AS_IS, AS_IS, asm volatile("{.reg .u32 t;\n\tbrev.b32 t, %0;\n\txor.b32 %0, t, %1;}" : "+r"(x) : "r"(a));)
CHAIN(shfl, u32, AS_IS, AS_IS, asm volatile("shfl.sync.bfly.b32 %0, %0, 1, 31, -1;" : "+r"(x));)
CHAIN(shfl_idx, u32, AS_IS, AS_IS, asm volatile("shfl.sync.idx.b32 %0, %0, %0, 31, -1;" : "+r"(x));)
CHAIN(vote, u32, AS_IS, AS_IS, asm volatile("{.reg .pred p;\n\tsetp.ne.u32 p, %0, %1;\n\tvote.sync.ballot.b32 %0, p, -1;}" : "+r"(x) : "r"(a));)
// A predicate as a guard: compare, then a guarded instruction.
CHAIN(guard, u32, AS_IS, AS_IS, asm volatile("{.reg .pred p;\n\tsetp.ne.u32 p, %0, %1;\n\t@p popc.b32 %0, %0;}" : "+r"(x) : "r"(a));)
CHAIN(select, u32, AS_IS, AS_IS, asm volatile("{.reg .pred p;\n\tsetp.ne.u32 p, %0, %1;\n\tselp.u32 %0, %2, %3, p;}" : "+r"(x) : "r"(a), "r"(b), "r"(c));)
// Both integer pipes and FP32 in turn: each crosses to another unit.
CHAIN(alu_to_fma, u32, AS_IS, AS_IS, asm volatile("{.reg .u32 t;\n\tlop3.b32 t, %0, %1, %2, 0x1b;\n\tmad.lo.u32 %0, t, %1, %2;}" : "+r"(x) : "r"(a), "r"(b));)
// Adds with changing operands, so that they are not joined into multiplications.
extern "C" __global__ void latency_iadd3(u64 *clocks, u32 *sink, const u32 *in)
{
    u32 x = in[threadIdx.x], v[16];
#pragma unroll
    for (int i = 0; i < 16; i++) v[i] = in[32 + i];
    u64 start, end;
#pragma unroll 1
    for (int pass = 0; pass < 2; pass++) {
        start = now();
#pragma unroll
        for (int i = 0; i < 128; i++)
            asm volatile("{.reg .u32 t;\n\tadd.u32 t, %1, %2;\n\tadd.u32 %0, %0, t;}" : "+r"(x) : "r"(v[2 * i % 16]), "r"(v[(2 * i + 1 + 2 * (i / 8)) % 16]));
        end = now();
    }
    clocks[0] = start;
    clocks[1] = end;
    sink[threadIdx.x] = x;
}

// Two readings with nothing between.
extern "C" __global__ void latency_clock(u64 *clocks, u32 *sink, const u32 *in)
{
    u64 start = 0, end = 0;
#pragma unroll 1
    for (int pass = 0; pass < 2; pass++) {
        start = now();
        end = now();
    }
    clocks[0] = start;
    clocks[1] = end;
}
