// Latency and bandwidth of every level of memory, of atomics and of stores.
// Arguments as everywhere, see latency.cu, and after them up to four numbers.
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

// A store needs its value, and issue is in order: what follows waits for v.
__shared__ u32 landing[1024];
__device__ __forceinline__ void arrive(u32 v)
{
    asm volatile("st.volatile.shared.u32 [%0], %1;" :: "r"((u32)__cvta_generic_to_shared(&landing[threadIdx.x])), "r"(v) : "memory");
}

__device__ __forceinline__ void note(u64 *clocks, u64 start, u64 end)
{
    u32 warps = (blockDim.x + 31) / 32;
    if (threadIdx.x % 32 == 0) {
        u64 *pair = clocks + 2 * (blockIdx.x * warps + threadIdx.x / 32);
        pair[0] = start;
        pair[1] = end;
    }
}

// ---- Latency: pointer chases. One thread's pointers, all lanes the same.

extern "C" __global__ void chase_shared(u64 *clocks, u32 *sink, u32 *data, u32 bytes, u32 stride)
{
    extern __shared__ u32 ring[];
    u32 base = (u32)__cvta_generic_to_shared(ring), p = base;
    for (u32 at = threadIdx.x * stride; at < bytes; at += 32 * stride)
        ring[at / 4] = base + (at + stride) % bytes;
    __syncthreads();
    u64 start, end;
#pragma unroll 1
    for (int pass = 0; pass < 2; pass++) {
        start = now();
        X64(asm volatile("ld.shared.u32 %0, [%0];" : "+r"(p) :: "memory");)
        X64(asm volatile("ld.shared.u32 %0, [%0];" : "+r"(p) :: "memory");)
        arrive(p);
        end = now();
    }
    note(clocks, start, end);
    sink[threadIdx.x] = p;
}

// The ring is laid by the kernel itself, as only it knows the addresses. The
// first rounds bring it into the caches.
#define CHASE(name, load)                                                                       \
    extern "C" __global__ void name(u64 *clocks, u32 *sink, u32 *data, u32 bytes, u32 stride)   \
    {                                                                                           \
        char *ring = (char *)data;                                                              \
        for (u32 at = threadIdx.x * stride; at < bytes; at += 32 * stride)                      \
            *(u64 *)(ring + at) = (u64)(ring + (at + stride) % bytes);                          \
        __syncthreads();                                                                        \
        u64 p = (u64)ring, start, end;                                                          \
        u32 rounds = (bytes / stride + 127) / 128 + 1;                                          \
        _Pragma("unroll 1")                                                                     \
        for (u32 round = 0; round < rounds; round++) {                                          \
            start = now();                                                                      \
            X64(asm volatile(load " %0, [%0];" : "+l"(p) :: "memory");)                         \
            X64(asm volatile(load " %0, [%0];" : "+l"(p) :: "memory");)                         \
            arrive((u32)p);                                                                     \
            end = now();                                                                        \
        }                                                                                       \
        note(clocks, start, end);                                                               \
        sink[threadIdx.x] = (u32)p;                                                             \
    }
CHASE(chase_l1, "ld.global.u64")
CHASE(chase_l2, "ld.global.cg.u64")

// Each line's own latency: pairs of clocks, one per line, from this SM.
extern "C" __global__ void lines_l2(u64 *clocks, u32 *sink, const char *data, u32 bytes, u32 stride)
{
    u32 lines = bytes / stride, v = 0;
#pragma unroll 1
    for (u32 pass = 0; pass < 2; pass++)
#pragma unroll 1
        for (u32 i = 0; i < lines; i++) {
            u64 start = now();
            asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(data + i * stride + v % 2 * 4) : "memory");
            arrive(v);
            u64 end = now();
            if (threadIdx.x == 0) clocks[2 * i] = start, clocks[2 * i + 1] = end;
        }
    sink[threadIdx.x] = v;
}

// Memory nobody has touched: one word of each page first (address
// translation), then one load after another, `stride` apart. `zero` is zero,
// which only the host knows: whatever the memory holds, the next address
// depends on it and is the same.
extern "C" __global__ void chase_cold(u64 *clocks, u32 *sink, const char *data, u32 bytes, u32 stride, u32 page, u32 zero)
{
    u32 v = 0;
    for (u32 at = 0; at < bytes; at += page) {
        u32 w;
        asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(w) : "l"(data + at + v) : "memory");
        v = w & zero;
    }
    arrive(v);
    u64 start = now();
#pragma unroll 4
    for (u32 at = stride / 2; at < bytes; at += stride) {
        u32 w;
        asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(w) : "l"(data + at + v) : "memory");
        v = w & zero;
    }
    arrive(v);
    u64 end = now();
    note(clocks, start, end);
    sink[threadIdx.x] = v;
}

__constant__ u32 table[15360];

extern "C" __global__ void chase_constant(u64 *clocks, u32 *sink, u32 *data, u32 rounds)
{
    u32 at = 0;
    u64 start, end;
#pragma unroll 1
    for (u32 round = 0; round < rounds; round++) {
        start = now();
#pragma unroll
        for (int i = 0; i < 64; i++) {
            at = *(const u32 *)((const char *)table + at);
            asm volatile("" : "+r"(at));
        }
        arrive(at);
        end = now();
    }
    note(clocks, start, end);
    sink[threadIdx.x] = at;
}

// Constants at known places, one per 64-byte line, on an FP32 chain; pass by pass.
extern "C" __global__ void constant_operands(u64 *clocks, u32 *sink, u32 *data, u32 passes)
{
    float x = threadIdx.x;
    u64 start, end;
#pragma unroll 1
    for (u32 pass = 0; pass < passes; pass++) {
        start = now();
#pragma unroll
        for (int i = 0; i < 24; i++) asm volatile("add.rn.f32 %0, %0, %1;" : "+f"(x) : "f"(__uint_as_float(table[16 * i])));
        end = now();
    }
    note(clocks, start, end);
    sink[threadIdx.x] = __float_as_uint(x);
}

texture<float, 1, cudaReadModeElementType> texels;

extern "C" __global__ void chase_texture(u64 *clocks, u32 *sink, u32 *data, u32 rounds)
{
    int at = 0;
    u64 start, end;
#pragma unroll 1
    for (u32 round = 0; round < rounds; round++) {
        start = now();
#pragma unroll
        for (int i = 0; i < 64; i++) at = __float_as_int(tex1Dfetch(texels, at));
        arrive(at);
        end = now();
    }
    note(clocks, start, end);
    sink[threadIdx.x] = at;
}

// ---- Bandwidth. Every warp does `rounds` times 32 loads; the second pass counts.

#define SHARED(name, suffix, c)                                                                    \
    extern "C" __global__ void name(u64 *clocks, u32 *sink, u32 *data, u32 lane_bytes)           \
    {                                                                                            \
        extern __shared__ u32 ring[];                                                            \
        for (u32 i = threadIdx.x; i < 8192; i += blockDim.x) ring[i] = i;                        \
        u32 p = (u32)__cvta_generic_to_shared(ring) + threadIdx.x % 32 * lane_bytes;             \
        u32 all = 0;                                                                             \
        u64 start, end;                                                                          \
        _Pragma("unroll 1")                                                                      \
        for (int pass = 0; pass < 2; pass++) {                                                   \
            __syncthreads();                                                                     \
            start = now();                                                                       \
            _Pragma("unroll")                                                                    \
            for (int i = 0; i < 32; i++) {                                                       \
                u32 w[4] = {0, 0, 0, 0};                                                         \
                asm volatile("ld.volatile.shared." suffix " " c ", [%4];"                        \
                    : "=r"(w[0]), "=r"(w[1]), "=r"(w[2]), "=r"(w[3]) : "r"(p) : "memory");        \
                all ^= w[0];                                                                     \
            }                                                                                    \
            arrive(all);                                                                         \
            end = now();                                                                         \
        }                                                                                        \
        note(clocks, start, end);                                                                \
        sink[threadIdx.x] = all;                                                                 \
    }
SHARED(lds_32, "u32", "%0")
SHARED(lds_64, "v2.u32", "{%0, %1}")
SHARED(lds_128, "v4.u32", "{%0, %1, %2, %3}")

#define SHARED_STORE(name, store)                                                                \
    extern "C" __global__ void name(u64 *clocks, u32 *sink, u32 *data, u32 lane_bytes)           \
    {                                                                                            \
        extern __shared__ u32 ring[];                                                            \
        u32 p = (u32)__cvta_generic_to_shared(ring) + threadIdx.x % 32 * lane_bytes;             \
        u32 v = threadIdx.x;                                                                     \
        u64 start, end;                                                                          \
        _Pragma("unroll 1")                                                                      \
        for (int pass = 0; pass < 2; pass++) {                                                   \
            __syncthreads();                                                                     \
            start = now();                                                                       \
            _Pragma("unroll")                                                                    \
            for (int i = 0; i < 32; i++) asm volatile(store :: "r"(p), "r"(v) : "memory");       \
            end = now();                                                                         \
        }                                                                                        \
        note(clocks, start, end);                                                                \
        sink[threadIdx.x] = ring[threadIdx.x];                                                   \
    }
SHARED_STORE(sts_32, "st.volatile.shared.u32 [%0], %1;")
SHARED_STORE(sts_64, "st.volatile.shared.v2.u32 [%0], {%1, %1};")
SHARED_STORE(sts_128, "st.volatile.shared.v4.u32 [%0], {%1, %1, %1, %1};")

// L1 hits: 32 loads at places known when compiling, `lane_bytes` from lane to lane.
#define L1(name, suffix, outs, use)                                                              \
    extern "C" __global__ void name(u64 *clocks, u32 *sink, const char *data, u32 lane_bytes)    \
    {                                                                                            \
        const char *p = data + threadIdx.x % 32 * lane_bytes;                                    \
        u32 all = 0;                                                                             \
        u64 start, end;                                                                          \
        _Pragma("unroll 1")                                                                      \
        for (int pass = 0; pass < 2; pass++) {                                                   \
            __syncthreads();                                                                     \
            start = now();                                                                       \
            _Pragma("unroll")                                                                    \
            for (int i = 0; i < 32; i += 8) {                                                    \
                u32 w[8][4];                                                                     \
                _Pragma("unroll")                                                                \
                for (int k = 0; k < 8; k++)                                                      \
                    asm volatile("ld.global." suffix " " outs ", [%4];"                          \
                        : "=r"(w[k][0]), "=r"(w[k][1]), "=r"(w[k][2]), "=r"(w[k][3])             \
                        : "l"(p + (i + k) * 512) : "memory");                                    \
                _Pragma("unroll")                                                                \
                for (int k = 0; k < 8; k++) all ^= use;                                          \
            }                                                                                    \
            arrive(all);                                                                         \
            end = now();                                                                         \
        }                                                                                        \
        note(clocks, start, end);                                                                \
        sink[threadIdx.x] = all;                                                                 \
    }
L1(ldg_l1_32, "u32", "%0", w[k][0])
L1(ldg_l1_64, "v2.u32", "{%0, %1}", w[k][0] ^ w[k][1])
L1(ldg_l1_128, "v4.u32", "{%0, %1, %2, %3}", w[k][0] ^ w[k][1] ^ w[k][2] ^ w[k][3])

// Streams of 16-byte loads past L1: every CTA has its own `bytes`, in reach of
// L2 when `passes` is 2, never touched before when it is 1. A word of each page
// first, for address translation.
#define STREAM(name, load)                                                                       \
    extern "C" __global__ void name(u64 *clocks, u32 *sink, const char *data, u32 bytes, u32 passes, u32 page) \
    {                                                                                            \
        const char *mine = data + (u64)blockIdx.x * bytes;                                       \
        u32 all = 0;                                                                             \
        u64 start, end;                                                                          \
        if (threadIdx.x == 0 && page)                                                            \
            for (u64 at = 0; at < (u64)gridDim.x * bytes; at += page) {                          \
                u32 w;                                                                           \
                asm volatile(load ".u32 %0, [%1];" : "=r"(w) : "l"(data + at) : "memory");       \
                all ^= w;                                                                        \
            }                                                                                    \
        arrive(all);                                                                             \
        _Pragma("unroll 1")                                                                      \
        for (u32 pass = 0; pass < passes; pass++) {                                              \
            __syncthreads();                                                                     \
            start = now();                                                                       \
            _Pragma("unroll 1")                                                                  \
            for (u32 at = threadIdx.x * 16; at < bytes; at += blockDim.x * 16 * 4) {             \
                u32 w[4][4];                                                                     \
                _Pragma("unroll")                                                                \
                for (int k = 0; k < 4; k++)                                                      \
                    asm volatile(load ".v4.u32 {%0, %1, %2, %3}, [%4];"                          \
                        : "=r"(w[k][0]), "=r"(w[k][1]), "=r"(w[k][2]), "=r"(w[k][3])             \
                        : "l"(mine + at + k * blockDim.x * 16) : "memory");                      \
                _Pragma("unroll")                                                                \
                for (int k = 0; k < 4; k++) all ^= w[k][0] ^ w[k][1] ^ w[k][2] ^ w[k][3];        \
            }                                                                                    \
            arrive(all);                                                                         \
            end = now();                                                                         \
        }                                                                                        \
        note(clocks, start, end);                                                                \
        sink[blockIdx.x * blockDim.x + threadIdx.x] = all;                                       \
    }
STREAM(stream_cg, "ld.global.cg")

// One load per warp, all warps of the chip at once: what a short kernel sees.
extern "C" __global__ void burst(u64 *clocks, u32 *sink, const char *data, u32 passes, u32 page)
{
    u32 warp = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, warps = gridDim.x * (blockDim.x / 32), all = 0;
    const char *mine = data + (u64)warp * 128 + threadIdx.x % 32 * 4;
    u64 start, end;
    if (threadIdx.x == 0)
        for (u64 at = (u64)warps * 128; at < (u64)warps * 128 + page; at += page) {
            u32 w;
            asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(w) : "l"(data + at) : "memory");
            all ^= w;
        }
    arrive(all);
#pragma unroll 1
    for (u32 pass = 0; pass < passes; pass++) {
        __syncthreads();
        start = now();
        u32 w;
        asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(w) : "l"(mine) : "memory");
        arrive(w);
        end = now();
        all ^= w;
    }
    note(clocks, start, end);
    sink[blockIdx.x * blockDim.x + threadIdx.x] = all;
}

// A line of its own for each lane: does a load find in L1 what an earlier
// kernel (`before` 0), a load (1), a store (2), or a load and a store (3)
// brought there?
extern "C" __global__ void found(u64 *clocks, u32 *sink, char *data, u32 before)
{
    char *mine = data + threadIdx.x * 128;
    u32 v = 0, w;
    if (before & 1) {
        asm volatile("ld.global.u32 %0, [%1];" : "=r"(v) : "l"(mine) : "memory");
        arrive(v);
    }
    if (before & 2) asm volatile("st.global.u32 [%0], %1;" :: "l"(mine), "r"(threadIdx.x) : "memory");
    for (u64 since = now(); now() - since < 2000;);
    u64 start = now();
    asm volatile("ld.global.u32 %0, [%1];" : "=r"(w) : "l"(mine) : "memory");
    arrive(w);
    u64 end = now();
    note(clocks, start, end);
    sink[blockIdx.x * blockDim.x + threadIdx.x] = v ^ w;
}

extern "C" __global__ void stream_store(u64 *clocks, u32 *sink, char *data, u32 bytes, u32 passes)
{
    char *mine = data + (u64)blockIdx.x * bytes;
    u64 start, end;
#pragma unroll 1
    for (u32 pass = 0; pass < passes; pass++) {
        __syncthreads();
        start = now();
#pragma unroll 4
        for (u32 at = threadIdx.x * 16; at < bytes; at += blockDim.x * 16)
            asm volatile("st.global.v4.u32 [%0], {%1, %1, %1, %1};" :: "l"(mine + at), "r"(at) : "memory");
        end = now();
    }
    note(clocks, start, end);
    sink[0] = 0;
}

// ---- The way into memory: `count` accesses issued back to back, nobody waiting.

#define QUEUE(name, count, setup, access)                                                        \
    extern "C" __global__ void name##_##count(u64 *clocks, u32 *sink, char *data, u32 last)      \
    {                                                                                            \
        u32 w[count], all = 0;                                                                 \
        setup                                                                                    \
        u64 start, end;                                                                          \
        _Pragma("unroll 1")                                                                      \
        for (u32 pass = 0; pass < 2; pass++) {                                                   \
            __syncthreads();                                                                     \
            start = now();                                                                       \
            _Pragma("unroll")                                                                    \
            for (int i = 0; i < count; i++) { access }                                           \
            end = now();                                                                         \
            _Pragma("unroll")                                                                    \
            for (int i = 0; i < count; i++) all ^= w[i];                                         \
            arrive(all);                                                                         \
        }                                                                                        \
        note(clocks, start, end);                                                                \
        sink[threadIdx.x] = all;                                                                 \
    }
#define QUEUES(name, setup, access) \
    QUEUE(name, 2, setup, access) QUEUE(name, 4, setup, access) QUEUE(name, 6, setup, access) \
    QUEUE(name, 8, setup, access) QUEUE(name, 16, setup, access) QUEUE(name, 32, setup, access)
QUEUES(queue_ldg, const char *p = data + threadIdx.x % 32 * 4;,
    asm volatile("ld.global.u32 %0, [%1];" : "=r"(w[i]) : "l"(p + i * 128) : "memory");)
QUEUES(queue_lds, u32 p = (u32)__cvta_generic_to_shared(landing) + threadIdx.x % 32 * 4;,
    asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(w[i]) : "r"(p + i * 128) : "memory");)
QUEUES(queue_stg, char *p = data + threadIdx.x * 4;,
    w[i] = all; asm volatile("st.global.u32 [%0], %1;" :: "l"(p + i * 4096), "r"(all) : "memory");)
QUEUES(queue_sts, u32 p = (u32)__cvta_generic_to_shared(landing) + threadIdx.x % 32 * 4;,
    w[i] = all; asm volatile("st.volatile.shared.u32 [%0], %1;" :: "r"(p + i * 128), "r"(all) : "memory");)

// ---- Atomics. `lane_bytes` apart in a warp, `warp_bytes` from warp to warp.

#define ATOMIC(name, setup, access)                                                              \
    extern "C" __global__ void name(u64 *clocks, u32 *sink, char *data, u32 lane_bytes, u32 warp_bytes) \
    {                                                                                            \
        extern __shared__ u32 ring[];                                                            \
        for (u32 i = threadIdx.x; i < 2048; i += blockDim.x) ring[i] = 0;                        \
        u32 v = threadIdx.x + 1;                                                                 \
        setup                                                                                    \
        u64 start, end;                                                                          \
        _Pragma("unroll 1")                                                                      \
        for (u32 pass = 0; pass < 2; pass++) {                                                   \
            __syncthreads();                                                                     \
            start = now();                                                                       \
            X16(asm volatile(access);)                                                           \
            arrive(v);                                                                           \
            end = now();                                                                         \
        }                                                                                        \
        note(clocks, start, end);                                                                \
        sink[blockIdx.x * blockDim.x + threadIdx.x] = v;                                         \
    }
#define AT_GLOBAL char *p = data + threadIdx.x % 32 * lane_bytes + (blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32) * warp_bytes;
#define AT_SHARED u32 p = (u32)__cvta_generic_to_shared(ring) + threadIdx.x % 32 * lane_bytes + threadIdx.x / 32 * warp_bytes;
ATOMIC(atom_global, AT_GLOBAL, "atom.global.add.u32 %0, [%1], %0;" : "+r"(v) : "l"(p) : "memory")
ATOMIC(red_global, AT_GLOBAL, "red.global.add.u32 [%1], %0;" : "+r"(v) : "l"(p) : "memory")
ATOMIC(atom_shared, AT_SHARED, "atom.shared.add.u32 %0, [%1], %0;" : "+r"(v) : "r"(p) : "memory")
ATOMIC(cas_shared, AT_SHARED, "atom.shared.cas.b32 %0, [%1], %0, %0;" : "+r"(v) : "r"(p) : "memory")

// ---- Fences after a store.
#define FENCE(name, fence)                                                                       \
    extern "C" __global__ void name(u64 *clocks, u32 *sink, u32 *data)                           \
    {                                                                                            \
        u64 start, end;                                                                          \
        _Pragma("unroll 1")                                                                      \
        for (u32 pass = 0; pass < 2; pass++) {                                                   \
            start = now();                                                                       \
            X4(asm volatile("st.global.u32 [%0], %1;\n\t" fence ";" :: "l"(data + threadIdx.x), "r"(pass) : "memory");) \
            end = now();                                                                         \
        }                                                                                        \
        note(clocks, start, end);                                                                \
        sink[threadIdx.x] = 0;                                                                   \
    }
FENCE(fence_cta, "membar.cta")
FENCE(fence_gpu, "membar.gl")
