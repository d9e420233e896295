// Barriers, branches, the order of warps, and how CTAs come to the SMs.
// Arguments as everywhere, see latency.cu.
typedef unsigned u32;
typedef unsigned long long u64;

#define X2(x) x x
#define X4(x) X2(x) X2(x)
#define X16(x) X4(x) X4(x) X4(x) X4(x)
#define X64(x) X16(x) X16(x) X16(x) X16(x)

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

#define STEP asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(x) : "f"(a), "f"(b));

extern "C" __global__ void barrier(u64 *clocks, u32 *sink, const u32 *in)
{
    u64 start, end;
#pragma unroll 1
    for (int pass = 0; pass < 2; pass++) {
        __syncthreads();
        start = now();
        X16(asm volatile("bar.sync 0;" ::: "memory");)
        X16(asm volatile("bar.sync 0;" ::: "memory");)
        end = now();
    }
    note(clocks, start, end);
}

// A loop: one dependent FFMA, the counter, the branch back.
extern "C" __global__ void loop(u64 *clocks, u32 *sink, const u32 *in, u32 count)
{
    float x = threadIdx.x, a = __uint_as_float(in[0]), b = __uint_as_float(in[1]);
    u64 start = now();
#pragma unroll 1
    for (u32 i = 0; i < count; i++) { STEP }
    u64 end = now();
    note(clocks, start, end);
    sink[threadIdx.x] = __float_as_uint(x);
}

// 64 times: lanes choose among `ways` (1, 2, 4 … 32) bodies of 16 FFMAs.
extern "C" __global__ void diverge(u64 *clocks, u32 *sink, const u32 *in, u32 ways)
{
    float x = threadIdx.x, a = __uint_as_float(in[0]), b = __uint_as_float(in[1]);
    u32 mine = threadIdx.x % ways;
    u64 start, end;
#pragma unroll 1
    for (int pass = 0; pass < 2; pass++) {
        start = now();
#pragma unroll 1
        for (u32 i = 0; i < 16; i++) {
#pragma unroll 1
            for (u32 way = 0; way < ways; way++)
                if (way == mine) { X16(STEP) }
        }
        end = now();
    }
    note(clocks, start, end);
    sink[threadIdx.x] = __float_as_uint(x);
}

// Both sides of one branch, 16 FFMAs each, 16 times; lanes below `split` go one way.
extern "C" __global__ void either(u64 *clocks, u32 *sink, const u32 *in, u32 split)
{
    float x = threadIdx.x, a = __uint_as_float(in[0]), b = __uint_as_float(in[1]);
    u64 start, end;
#pragma unroll 1
    for (int pass = 0; pass < 2; pass++) {
        start = now();
#pragma unroll 1
        for (u32 i = 0; i < 16; i++) {
            if (threadIdx.x % 32 < split) { X16(STEP) }
            else { X16(asm volatile("fma.rn.f32 %0, %0, %2, %1;" : "+f"(x) : "f"(a), "f"(b));) }
        }
        end = now();
    }
    note(clocks, start, end);
    sink[threadIdx.x] = __float_as_uint(x);
}

// Lanes below `split` load, do eight FFMAs and store, all in shared memory, then
// a barrier; 16 times. The warp comes together at WARPSYNC, not at BSYNC.
extern "C" __global__ void barrier_diverged(u64 *clocks, u32 *sink, const u32 *in, u32 split)
{
    __shared__ float space[1024];
    float x = threadIdx.x, a = __uint_as_float(in[0]), b = __uint_as_float(in[1]);
    u32 p = (u32)__cvta_generic_to_shared(&space[threadIdx.x]);
    bool mine = threadIdx.x % 32 < split;
    space[threadIdx.x] = x;
    u64 start, end;
#pragma unroll 1
    for (int pass = 0; pass < 2; pass++) {
        __syncthreads();
        start = now();
#pragma unroll
        for (int i = 0; i < 16; i++) {
            if (mine) {
                asm volatile("ld.volatile.shared.f32 %0, [%1];" : "=f"(x) : "r"(p) : "memory");
                X4(STEP) X4(STEP)
                asm volatile("st.volatile.shared.f32 [%0], %1;" :: "r"(p), "f"(x) : "memory");
            }
            __syncthreads();
        }
        end = now();
    }
    note(clocks, start, end);
    sink[threadIdx.x] = __float_as_uint(x);
}

// A call that is not inlined.
__device__ __noinline__ float callee(float x, float a, float b)
{
    STEP
    return x;
}
extern "C" __global__ void call(u64 *clocks, u32 *sink, const u32 *in)
{
    float x = threadIdx.x, a = __uint_as_float(in[0]), b = __uint_as_float(in[1]);
    u64 start, end;
#pragma unroll 1
    for (int pass = 0; pass < 2; pass++) {
        start = now();
        X16(x = callee(x, a, b);)
        end = now();
    }
    note(clocks, start, end);
    sink[threadIdx.x] = __float_as_uint(x);
}

// Warps of one sub-core (warp % 4 == 0), each with four independent chains:
// when does each start and end? Greedy issue ends one warp after the other.
extern "C" __global__ void order(u64 *clocks, u32 *sink, const u32 *in)
{
    float v[4], a = __uint_as_float(in[0]), b = __uint_as_float(in[1]);
#pragma unroll
    for (int i = 0; i < 4; i++) v[i] = threadIdx.x + i;
    bool plays = threadIdx.x / 32 % 4 == 0;
    u64 start = 0, end = 0;
#pragma unroll 1
    for (int pass = 0; pass < 2; pass++) {
        __syncthreads();
        if (plays) {
            start = now();
#pragma unroll
            for (int i = 0; i < 256; i++)
                asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(v[i % 4]) : "f"(a), "f"(b));
            end = now();
        }
    }
    if (plays && threadIdx.x % 32 == 0) {
        clocks[threadIdx.x / 128 * 2] = start;
        clocks[threadIdx.x / 128 * 2 + 1] = end;
    }
    sink[threadIdx.x] = __float_as_uint(v[0] + v[1] + v[2] + v[3]);
}

// Where and when each CTA ran: (start, end, SM, global timer at the start).
extern "C" __global__ void dispatch(u64 *clocks, u32 *sink, const u32 *in, u32 count)
{
    u64 start = now(), timer;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(timer) :: "memory");
    u32 sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    float x = threadIdx.x, a = 1.5f, b = 0.5f;
#pragma unroll 1
    for (u32 i = 0; i < count; i++) { X16(STEP) }
    if (threadIdx.x == 0) {
        u64 *mine = clocks + 4 * blockIdx.x;
        mine[0] = start;
        mine[2] = sm;
        mine[3] = timer;
        sink[blockIdx.x] = __float_as_uint(x);
        mine[1] = now();
    }
}

extern "C" __global__ void empty()
{
}

// Core clock against wall time: spins for `cycles`.
extern "C" __global__ void clock_rate(u64 *clocks, u32 *sink, const u32 *in, u32 cycles)
{
    u64 t0, t1, start = now(), end;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t0) :: "memory");
    do end = now(); while (end - start < cycles);
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t1) :: "memory");
    clocks[0] = start;
    clocks[1] = end;
    clocks[2] = t0;
    clocks[3] = t1;
}
