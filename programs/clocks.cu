// Covers: clock, clock64, the global timer, __nanosleep (from sm_70 on), %smid and %warpid,
// %laneid; cudaDevAttrClockRate against them.
// Output: what must hold on any chip, then "ok".
#include "check.h"

__device__ unsigned long long global_timer()
{
    unsigned long long now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
}

__global__ void measure(long long *out, unsigned *where)
{
    unsigned lane, warp, warps, sm, sms;
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
    asm volatile("mov.u32 %0, %%warpid;" : "=r"(warp));
    asm volatile("mov.u32 %0, %%nwarpid;" : "=r"(warps));
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    asm volatile("mov.u32 %0, %%nsmid;" : "=r"(sms));
    clock_t early = clock();
    long long first = clock64();
    unsigned long long timer = global_timer();
#if __CUDA_ARCH__ >= 700
    __nanosleep(2000);
#endif
    long long second = clock64();
    int x = threadIdx.x;
    for (int i = 0; i < 200; i++) {
        x = x * 3 + 1;
    }
    long long third = clock64();
    clock_t late = clock();
    if (threadIdx.x == 0) {
        out[0] = second - first;
        out[1] = third - second;
        // Its counter has 32 bits and may have gone round.
        out[2] = unsigned(late - early);
        out[3] = (long long)(global_timer() - timer);
        out[4] = x;
    }
    where[2 * threadIdx.x] = lane;
    where[2 * threadIdx.x + 1] = sm < sms && warp < warps;
}

int main()
{
    long long *out, got[5];
    unsigned *where, seen[128];
    CHECK(cudaMalloc(&out, sizeof got));
    CHECK(cudaMalloc(&where, sizeof seen));
    measure<<<1, 64>>>(out, where);
    CHECK_LAUNCH();
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(seen, where, sizeof seen, cudaMemcpyDeviceToHost));
    REQUIRE(got[0] > 0 && got[1] > 0);
    printf("clock64 goes on\n");
    REQUIRE(got[2] >= got[0] + got[1]);
    printf("clock agrees\n");
    // The timer ticks in steps of up to a microsecond or so.
    REQUIRE(got[3] >= 0 && got[3] < 1000000000);
    printf("the global timer does not go back\n");
    for (int i = 0; i < 64; i++) {
        REQUIRE(seen[2 * i] == unsigned(i % 32) && seen[2 * i + 1] == 1);
    }
    printf("lanes are in order\n");
    int rate;
    CHECK(cudaDeviceGetAttribute(&rate, cudaDevAttrClockRate, 0));
    REQUIRE(rate > 100000 && rate < 10000000);
    printf("ok\n");
    return 0;
}
