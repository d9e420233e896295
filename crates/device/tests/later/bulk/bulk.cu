// Copies of many bytes at once between global and shared memory (cp.async.bulk).
#include <cstdint>

typedef uint32_t u32;
typedef uint64_t u64;

__device__ static u32 place(const void *p) { return (u32)__cvta_generic_to_shared(p); }

__device__ static void begin(u64 *bar, u32 count) {
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(place(bar)), "r"(count) : "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

__device__ static void load(void *to, const void *from, u32 bytes, u64 *bar) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(place(to)), "l"(from), "r"(bytes), "r"(place(bar)) : "memory");
}

__device__ static void store(void *to, const void *from, u32 bytes) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(place(from)), "r"(bytes) : "memory");
}

__device__ static u64 arrive(u64 *bar) {
    u64 state;
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(place(bar)) : "memory");
    return state;
}

__device__ static u64 expect(u64 *bar, u32 bytes) {
    u64 state;
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 %0, [%1], %2;" : "=l"(state) : "r"(place(bar)), "r"(bytes) : "memory");
    return state;
}

__device__ static void await(u64 *bar, u32 parity) {
    u32 over = 0;
    while (!over)
        asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}" : "=r"(over) : "r"(place(bar)), "r"(parity) : "memory");
}

// A copy of each length to its own place in shared memory, from an odd one in global
// memory, one after the other through the same barrier; the whole of shared memory
// goes out after each.
extern "C" __global__ void lengths(const u32 *in, u32 *out, const u32 *bytes, u32 count) {
    __shared__ alignas(128) u32 buffer[4096];
    __shared__ alignas(8) u64 bar;
    if (threadIdx.x == 0) begin(&bar, blockDim.x);
    for (u32 i = threadIdx.x; i < 4096; i += blockDim.x) buffer[i] = 0xaaaa0000 + i;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    for (u32 n = 0; n < count; n++) {
        if (threadIdx.x == 0) {
            load(buffer + 4 * n, in + 12 * n + 4 * blockIdx.x, bytes[n], &bar);
            expect(&bar, bytes[n]);
        } else {
            arrive(&bar);
        }
        await(&bar, n & 1);
        u32 *to = out + (blockIdx.x * count + n) * 4096;
        for (u32 i = threadIdx.x; i < 4096; i += blockDim.x) to[i] = buffer[i];
        __syncthreads();
    }
}

// Every thread of a warp asks for a copy of its own, all for one barrier, which two
// of them do not expect before they have come.
extern "C" __global__ void each(const u32 *in, u32 *out) {
    __shared__ alignas(128) u32 buffer[4096];
    __shared__ alignas(8) u64 bar;
    u32 t = threadIdx.x;
    if (t == 0) begin(&bar, 32);
    for (u32 i = t; i < 4096; i += 32) buffer[i] = i;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    u32 bytes = 16 * (t + 1);
    load(buffer + 128 * t, in + 64 * t + 4, bytes, &bar);
    if (t >= 30) __nanosleep(2000);
    u64 state = expect(&bar, bytes);
    await(&bar, 0);
    out[4096 + t] = (u32)(state >> 63);
    for (u32 i = t; i < 4096; i += 32) out[i] = buffer[i];
}

// Back to global memory in three groups, the last of which is waited for alone.
extern "C" __global__ void back(u32 *out, u32 *seen, u32 bytes) {
    __shared__ alignas(128) u32 buffer[2048];
    for (u32 i = threadIdx.x; i < 2048; i += blockDim.x) buffer[i] = 0x50000 + 0x1000 * blockIdx.x + i;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        u32 *to = out + 8192 * blockIdx.x;
        store(to, buffer, bytes);
        asm volatile("cp.async.bulk.commit_group;");
        store(to + 2052, buffer + 4, bytes);
        store(to + 4104, buffer + 1024, 512);
        asm volatile("cp.async.bulk.commit_group;");
        store(to + 6160, buffer + 16, 16);
        asm volatile("cp.async.bulk.commit_group;");
        asm volatile("cp.async.bulk.wait_group.read 2;" ::: "memory");
        asm volatile("cp.async.bulk.wait_group 1;" ::: "memory");
        seen[2 * blockIdx.x] = *(volatile u32 *)(to + 2052);
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
        seen[2 * blockIdx.x + 1] = *(volatile u32 *)(to + 6160);
    }
}

#define REDUCE(what, to, from, bytes) \
    asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group." what " [%0], [%1], %2;" ::"l"(to), "r"(place(from)), "r"(bytes) : "memory")

// Into what is there, with every operation and type.
extern "C" __global__ void reduce(u32 *out) {
    __shared__ alignas(128) u32 buffer[256];
    for (u32 i = threadIdx.x; i < 256; i += blockDim.x) buffer[i] = 0x3f903c10 + 0x10013 * i;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x != 0) return;
    REDUCE("add.u32", out, buffer, 1024);
    REDUCE("add.u32", out, buffer + 8, 48);
    REDUCE("add.s32", out + 256, buffer, 528);
    REDUCE("add.u64", out + 512, buffer, 1008);
    REDUCE("min.u32", out + 768, buffer, 512);
    REDUCE("min.s32", out + 1024, buffer, 512);
    REDUCE("max.u64", out + 1280, buffer, 512);
    REDUCE("max.s64", out + 1536, buffer, 512);
    REDUCE("inc.u32", out + 1792, buffer, 512);
    REDUCE("dec.u32", out + 2048, buffer, 512);
    REDUCE("and.b32", out + 2304, buffer, 512);
    REDUCE("or.b32", out + 2560, buffer, 512);
    REDUCE("xor.b64", out + 2816, buffer, 512);
    REDUCE("add.f32", out + 3072, buffer, 512);
    REDUCE("add.f64", out + 3328, buffer, 512);
    REDUCE("add.noftz.f16", out + 3584, buffer, 512);
    REDUCE("add.noftz.bf16", out + 3840, buffer, 512);
    asm volatile("cp.async.bulk.commit_group;");
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

// Cycles from the copy to its end, the second time.
extern "C" __global__ void times(const u32 *in, u32 *cycles, u32 bytes) {
    extern __shared__ __align__(128) u32 memory[];
    __shared__ alignas(8) u64 bar;
    if (threadIdx.x != 0) return;
    begin(&bar, 1);
    for (u32 n = 0; n < 3; n++) {
        u32 from = clock();
        load(memory, in, bytes, &bar);
        expect(&bar, bytes);
        await(&bar, n & 1);
        cycles[n] = clock() - from;
    }
}
