// What a chip is made of, as far as running code can see it.

// Where warps run: four words each, the SM and the warp's slot before and after
// `cycles` cycles. Enough CTAs that stay this long reach every SM.
extern "C" __global__ void places(unsigned *out, unsigned cycles) {
    unsigned sm, slot, sm_after, slot_after;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    asm volatile("mov.u32 %0, %%warpid;" : "=r"(slot));
    const long long begun = clock64();
    while (clock64() - begun < (long long)cycles) {
    }
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm_after));
    asm volatile("mov.u32 %0, %%warpid;" : "=r"(slot_after));
    if (threadIdx.x % 32 == 0) {
        unsigned *place = out + 4 * ((blockIdx.x * blockDim.x + threadIdx.x) / 32);
        place[0] = sm;
        place[1] = sm_after;
        place[2] = slot;
        place[3] = slot_after;
    }
}

// Cycles that one warp needs for 256 operations of a pipe in four chains, in the
// second of two rounds, when the instruction cache holds them. A pipe of 16 lanes takes two cycles a warp, so that
// lanes l and l+16 share hardware.
#define FOUR(op) op(a) op(b) op(c) op(d)
#define SIXTEEN(op) FOUR(op) FOUR(op) FOUR(op) FOUR(op)
#define FFMA(x) asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(x) : "f"(m), "f"(n));
#define IMAD(x) asm volatile("mad.lo.u32 %0, %0, %1, %2;" : "+r"(x) : "r"(m), "r"(n));
#define DFMA(x) asm volatile("fma.rn.f64 %0, %0, %1, %2;" : "+d"(x) : "d"(m), "d"(n));
#define MUFU(x) asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(x));
#define LOP3(x) asm volatile("lop3.b32 %0, %0, %1, %2, 0x96;" : "+r"(x) : "r"(m), "r"(n));

#define INTERVAL(name, type, op)                                                       \
    extern "C" __global__ void interval_##name(unsigned *out, type m, type n) {        \
        type a = m, b = n, c = m + n, d = n + n;                                       \
        long long begun = 0, ended = 0;                                                \
        for (int round = 0; round < 2; round++) {                                      \
            begun = clock64();                                                         \
            SIXTEEN(op) SIXTEEN(op) SIXTEEN(op) SIXTEEN(op)                            \
            SIXTEEN(op) SIXTEEN(op) SIXTEEN(op) SIXTEEN(op)                            \
            SIXTEEN(op) SIXTEEN(op) SIXTEEN(op) SIXTEEN(op)                            \
            SIXTEEN(op) SIXTEEN(op) SIXTEEN(op) SIXTEEN(op)                            \
            ended = clock64();                                                         \
        }                                                                              \
        if (threadIdx.x == 0) {                                                        \
            out[0] = (unsigned)(ended - begun);                                        \
            out[1] = (unsigned)(a + b + c + d);                                        \
        }                                                                              \
    }

INTERVAL(ffma, float, FFMA)
INTERVAL(imad, unsigned, IMAD)
INTERVAL(dfma, double, DFMA)
INTERVAL(mufu, float, MUFU)
INTERVAL(lop3, unsigned, LOP3)
