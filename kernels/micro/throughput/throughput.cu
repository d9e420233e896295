// Independent instructions of one kind, eight chains per thread: what a unit
// can take when 1 to 32 warps of one SM feed it. Arguments as everywhere, see
// latency.cu. All warps start together; the second pass counts.
typedef unsigned u32;
typedef unsigned long long u64;

__device__ __forceinline__ u64 now()
{
    u64 t;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(t) :: "memory");
    return t;
}

__device__ __forceinline__ void note(u64 *clocks, u64 start, u64 end)
{
    if (threadIdx.x % 32 == 0) {
        clocks[2 * (threadIdx.x / 32)] = start;
        clocks[2 * (threadIdx.x / 32) + 1] = end;
    }
}

#define ROUNDS 16
#define STREAM(name, type, from, to, step)                                      \
    extern "C" __global__ void stream_##name(u64 *clocks, u32 *sink, const u32 *in)      \
    {                                                                           \
        type v[8], a = from(in[32]), b = from(in[33]);                          \
        _Pragma("unroll")                                                       \
        for (int i = 0; i < 8; i++) v[i] = from(in[threadIdx.x % 32 + i]);      \
        u64 start, end;                                                         \
        _Pragma("unroll 1")                                                     \
        for (int pass = 0; pass < 2; pass++) {                                  \
            __syncthreads();                                                    \
            start = now();                                                      \
            _Pragma("unroll")                                                   \
            for (int i = 0; i < 8 * ROUNDS; i++) {                              \
                type &x = v[i % 8];                                             \
                step                                                            \
            }                                                                   \
            end = now();                                                        \
        }                                                                       \
        note(clocks, start, end);                                               \
        u32 all = to(a) ^ to(b);                                                \
        _Pragma("unroll")                                                       \
        for (int i = 0; i < 8; i++) all ^= to(v[i]);                            \
        sink[threadIdx.x] = all;                                                \
    }

#define AS_IS(v) (v)
#define F32(v) __uint_as_float(v)
#define BITS(v) __float_as_uint(v)
#define F64(v) ((double)(v))
#define LOW(v) ((u32)__double_as_longlong(v))
#define WIDE(v) ((u64)(v) * 0x9e3779b97f4a7c15ull)

STREAM(lop3, u32, AS_IS, AS_IS, asm volatile("lop3.b32 %0, %0, %1, %2, 0x1b;" : "+r"(x) : "r"(a), "r"(b));)
STREAM(shf, u32, AS_IS, AS_IS, asm volatile("shf.l.wrap.b32 %0, %0, %1, %2;" : "+r"(x) : "r"(a), "r"(b));)
STREAM(imad, u32, AS_IS, AS_IS, asm volatile("mad.lo.u32 %0, %0, %1, %2;" : "+r"(x) : "r"(a), "r"(b));)
STREAM(imad_wide, u64, WIDE, (u32), asm volatile("{.reg .u32 l, h;\n\tmov.b64 {l, h}, %0;\n\tmul.wide.u32 %0, h, l;}" : "+l"(x));)
STREAM(fadd, float, F32, BITS, asm volatile("add.rn.f32 %0, %0, %1;" : "+f"(x) : "f"(a));)
STREAM(ffma, float, F32, BITS, asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(x) : "f"(a), "f"(b));)
STREAM(hfma2, u32, AS_IS, AS_IS, asm volatile("fma.rn.f16x2 %0, %0, %1, %2;" : "+r"(x) : "r"(a), "r"(b));)
STREAM(dfma, double, F64, LOW, asm volatile("fma.rn.f64 %0, %0, %1, %2;" : "+d"(x) : "d"(a), "d"(b));)
STREAM(mufu, float, F32, BITS, asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(x));)
STREAM(i2f, u32, AS_IS, AS_IS, asm volatile("{.reg .f32 t;\n\tcvt.rn.f32.s32 t, %0;\n\tmov.b32 %0, t;}" : "+r"(x));)
STREAM(f2i, u32, AS_IS, AS_IS, asm volatile("{.reg .f32 t;\n\tmov.b32 t, %0;\n\tcvt.rzi.s32.f32 %0, t;}" : "+r"(x));)
STREAM(i2f64, double, F64, LOW, asm volatile("{.reg .s32 l, h;\n\tmov.b64 {l, h}, %0;\n\tcvt.rn.f64.s32 %0, h;}" : "+d"(x));)
STREAM(popc, u32, AS_IS, AS_IS, asm volatile("popc.b32 %0, %0;" : "+r"(x));)
STREAM(flo, u32, AS_IS, AS_IS, asm volatile("bfind.u32 %0, %0;" : "+r"(x));)
STREAM(shfl, u32, AS_IS, AS_IS, asm volatile("shfl.sync.bfly.b32 %0, %0, 1, 31, -1;" : "+r"(x));)
STREAM(vote, u32, AS_IS, AS_IS, asm volatile("{.reg .pred p;\n\tsetp.ne.u32 p, %0, %1;\n\tvote.sync.ballot.b32 %0, p, -1;}" : "+r"(x) : "r"(a));)
// Pairs for two units in turn.
STREAM(ffma_lop3, u32, AS_IS, AS_IS, if (i % 2) asm volatile("lop3.b32 %0, %0, %1, %2, 0x1b;" : "+r"(x) : "r"(a), "r"(b));
    else asm volatile("{.reg .f32 t, u, v;\n\tmov.b32 t, %0;\n\tmov.b32 u, %1;\n\tmov.b32 v, %2;\n\tfma.rn.f32 t, t, u, v;\n\tmov.b32 %0, t;}" : "+r"(x) : "r"(a), "r"(b));)
STREAM(imad_lop3, u32, AS_IS, AS_IS, if (i % 2) asm volatile("lop3.b32 %0, %0, %1, %2, 0x1b;" : "+r"(x) : "r"(a), "r"(b));
    else asm volatile("mad.lo.u32 %0, %0, %1, %2;" : "+r"(x) : "r"(a), "r"(b));)
STREAM(ffma_imad, u32, AS_IS, AS_IS, if (i % 2) asm volatile("mad.lo.u32 %0, %0, %1, %2;" : "+r"(x) : "r"(a), "r"(b));
    else asm volatile("{.reg .f32 t, u, v;\n\tmov.b32 t, %0;\n\tmov.b32 u, %1;\n\tmov.b32 v, %2;\n\tfma.rn.f32 t, t, u, v;\n\tmov.b32 %0, t;}" : "+r"(x) : "r"(a), "r"(b));)

// Adds with changing operands, so that they are not joined into multiplications.
extern "C" __global__ void stream_iadd3(u64 *clocks, u32 *sink, const u32 *in)
{
    u32 v[8], a[8];
#pragma unroll
    for (int i = 0; i < 8; i++) v[i] = in[threadIdx.x % 32 + i], a[i] = in[32 + i];
    u64 start, end;
#pragma unroll 1
    for (int pass = 0; pass < 2; pass++) {
        __syncthreads();
        start = now();
#pragma unroll
        for (int i = 0; i < 8 * ROUNDS; i++)
            asm volatile("{.reg .u32 t;\n\tadd.u32 t, %1, %2;\n\tadd.u32 %0, %0, t;}" : "+r"(v[i % 8]) : "r"(a[(i + i / 8) % 8]), "r"(a[(i + 1 + 2 * (i / 8)) % 8]));
        end = now();
    }
    note(clocks, start, end);
    u32 all = 0;
#pragma unroll
    for (int i = 0; i < 8; i++) all ^= v[i];
    sink[threadIdx.x] = all;
}
