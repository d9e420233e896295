// Shuffles, votes, matches, barriers, special registers, assertions, output.
#include <cassert>
#include <cstdio>

extern "C" __global__ void lanes(int *o, const int *a, int n) {
    int i = threadIdx.x, x = a[i], r = 0;
    r += __shfl_sync(0xffffffff, x, n) + __shfl_sync(0xffffffff, x, 3, 8);
    r += __shfl_up_sync(0xffffffff, x, 1) + __shfl_down_sync(0xffffffff, x, n) + __shfl_xor_sync(0xffffffff, x, 16, 32);
    r += (int)__shfl_sync(0xffffffff, (long long)x, n, n);
    r += (int)__ballot_sync(0xffffffff, x > 3) + __any_sync(0xffffffff, x > 4) + __all_sync(0xffffffff, x > 5) + (int)__activemask();
    if (x > 7) r += (int)__ballot_sync(__activemask(), x > 9);
    r += (int)__match_any_sync(0xffffffff, x);
    int p;
    r += (int)__match_all_sync(0xffffffff, x, &p) + p;
    r += (int)__match_any_sync(0xffffffff, (unsigned long long)x << 33);
    __syncwarp();
    __syncwarp(n);
    if (x & 1) { __syncwarp(0x55555555); r += 3; }
    r += __syncthreads_count(x > 2) + __syncthreads_and(x > 3) + __syncthreads_or(x > 4);
    asm volatile("bar.sync 3, 64;");
    asm volatile("bar.arrive 4, 64;");
    asm volatile("barrier.sync %0, %1;" ::"r"(n), "r"(n));
    asm volatile("bar.sync %0;" ::"r"(n));
    asm volatile("barrier.arrive %0, 96;" ::"r"(n));
    asm volatile("{ .reg .pred q; setp.gt.s32 q, %1, 5; barrier.red.popc.u32 %0, 2, 64, q; }" : "=r"(p) : "r"(x));
    r += p;
    o[i] = r;
}

extern "C" __global__ void registers(unsigned *o, int n) {
    unsigned v, r = 0;
    unsigned long long w;
#define READ(name) asm volatile("mov.u32 %0, %%" name ";" : "=r"(v)); r += v;
    READ("laneid") READ("warpid") READ("nwarpid") READ("smid") READ("nsmid") READ("lanemask_lt") READ("lanemask_ge")
    READ("lanemask_eq") READ("lanemask_le") READ("lanemask_gt") READ("clock") READ("clock_hi") READ("globaltimer_lo")
    READ("dynamic_smem_size") READ("total_smem_size") READ("ctaid.y") READ("ctaid.z") READ("tid.y") READ("tid.z")
    READ("ntid.x") READ("nctaid.z") READ("envreg0") READ("pm0")
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(w)); r += (unsigned)w;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(w)); r += (unsigned)w;
    asm volatile("mov.u64 %0, %%gridid;" : "=l"(w)); r += (unsigned)w;
    __nanosleep(100);
    __nanosleep(n);
    asm volatile("pmevent 3;");
    asm volatile("brkpt;");
    if (n == 77) asm volatile("trap;");
    if (n == 78) asm volatile("exit;");
    assert(n != 79);
    printf("%d %u\n", n, r);
    o[threadIdx.x] = r;
}
