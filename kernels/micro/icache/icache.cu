// Straight-line code of up to 64 blocks of 4 KiB (256 instructions): what an
// instruction costs when the code does not fit an instruction cache. Four
// independent chains, so that a warp alone issues one per cycle. Runs the
// first `blocks` blocks `passes` times; the last pass counts.
typedef unsigned u32;
typedef unsigned long long u64;

__device__ __forceinline__ u64 now()
{
    u64 t;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(t) :: "memory");
    return t;
}

// Many instructions in one statement: the compiler takes minutes over as many statements.
#define F(i) "fma.rn.f32 %" #i ", %" #i ", %4, %5;\n\t"
#define F4 F(0) F(1) F(2) F(3)
#define F16 F4 F4 F4 F4
#define F64 F16 F16 F16 F16
#define BLOCK(n)                                                           \
    asm volatile(F64 F64 F64 F64                                           \
        : "+f"(v[0]), "+f"(v[1]), "+f"(v[2]), "+f"(v[3]) : "f"(a), "f"(b)); \
    if (blocks == n) break;
#define B4(n) BLOCK(n + 1) BLOCK(n + 2) BLOCK(n + 3) BLOCK(n + 4)
#define B16(n) B4(n) B4(n + 4) B4(n + 8) B4(n + 12)

extern "C" __global__ void straight(u64 *clocks, u32 *sink, const u32 *in, u32 blocks, u32 passes)
{
    float v[4], a = __uint_as_float(in[0]), b = __uint_as_float(in[1]);
    for (int i = 0; i < 4; i++) v[i] = threadIdx.x + i;
    u64 start, end;
#pragma unroll 1
    for (u32 pass = 0; pass < passes; pass++) {
        __syncthreads();
        start = now();
        do {
            B16(0) B16(16) B16(32) B16(48)
        } while (false);
        end = now();
    }
    if (threadIdx.x % 32 == 0) {
        u64 *pair = clocks + 2 * (blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32);
        pair[0] = start;
        pair[1] = end;
    }
    sink[blockIdx.x * blockDim.x + threadIdx.x] = __float_as_uint(v[0] + v[1] + v[2] + v[3]);
}
