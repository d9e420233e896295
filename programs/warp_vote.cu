// Covers: __all_sync, __any_sync, __ballot_sync, __activemask, __match_any_sync,
// __match_all_sync, __syncthreads_count/_and/_or, bit intrinsics (__popc, __ffs,
// __clz, __brev, __byte_perm, __funnelshift), 64-bit forms.
// Output: one line per group, then "ok".
#include "check.h"

const unsigned ALL = 0xffffffffu;

__global__ void votes(unsigned *out)
{
    int lane = threadIdx.x;
    unsigned ballot = __ballot_sync(ALL, lane % 3 == 0);
    int all_small = __all_sync(ALL, lane < 32), all_smaller = __all_sync(ALL, lane < 31);
    int any_last = __any_sync(ALL, lane == 31), any_more = __any_sync(ALL, lane == 32);
    unsigned low = 0;
    if (lane < 10) {
        low = __ballot_sync(0x3ffu, lane & 1);
    }
    __syncwarp();
    if (lane == 0) {
        out[0] = ballot;
        out[1] = all_small | all_smaller << 1 | any_last << 2 | any_more << 3;
        out[2] = low;
        out[3] = __popc(ballot);
    }
}

// Matches are hardware's own from sm_70 on; before, every value is compared.
#if __CUDA_ARCH__ >= 700
template <typename T>
__device__ unsigned match_any(T value) { return __match_any_sync(ALL, value); }
template <typename T>
__device__ unsigned match_all(T value, int *same) { return __match_all_sync(ALL, value, same); }
#else
template <typename T>
__device__ unsigned match_any(T value)
{
    unsigned mine = 0;
    for (int lane = 0; lane < 32; lane++) {
        unsigned equal = __ballot_sync(ALL, __shfl_sync(ALL, value, lane) == value);
        if (lane == threadIdx.x) {
            mine = equal;
        }
    }
    return mine;
}
template <typename T>
__device__ unsigned match_all(T value, int *same)
{
    unsigned equal = match_any(value);
    *same = equal == ALL;
    return *same ? ALL : 0;
}
#endif

__global__ void matches(unsigned *any, unsigned *all, int *same)
{
    int lane = threadIdx.x;
    any[lane] = match_any(lane / 5);
    all[lane] = match_all(7.5f, &same[lane]);
    all[32 + lane] = match_all((long long)(lane / 31), &same[32 + lane]);
}

__global__ void counts(int *out)
{
    int odd = __syncthreads_count(threadIdx.x & 1);
    int all = __syncthreads_and(threadIdx.x < 100);
    int any = __syncthreads_or(threadIdx.x == 99);
    out[threadIdx.x] = odd * 100 + all * 10 + any;
}

__global__ void bits(const unsigned *in, unsigned long long *out)
{
    unsigned x = in[threadIdx.x];
    unsigned long long wide = (unsigned long long)x << 20 | 5;
    unsigned long long *o = out + 12 * threadIdx.x;
    o[0] = __popc(x);
    o[1] = __ffs(x);
    o[2] = __clz(x);
    o[3] = __brev(x);
    o[4] = __popcll(wide);
    o[5] = __ffsll(wide >> 3);
    o[6] = __clzll(wide);
    o[7] = __brevll(wide);
    o[8] = __byte_perm(x, 0xaabbccddu, 0x5140);
    o[9] = __funnelshift_l(x, ~x, 7);
    o[10] = __umulhi(x, 0x9e3779b9u);
    o[11] = __vadd4(x, 0x01010101u);
}

// What the intrinsics mean, bit by bit.
static void by_hand(unsigned x, unsigned long long *o)
{
    unsigned long long wide = (unsigned long long)x << 20 | 5;
    unsigned reversed = 0;
    unsigned long long wide_reversed = 0;
    for (int i = 0; i < 32; i++) {
        reversed |= (x >> i & 1) << (31 - i);
    }
    for (int i = 0; i < 64; i++) {
        wide_reversed |= (wide >> i & 1) << (63 - i);
    }
    o[0] = __builtin_popcount(x);
    o[1] = __builtin_ffs(x);
    o[2] = x ? __builtin_clz(x) : 32;
    o[3] = reversed;
    o[4] = __builtin_popcountll(wide);
    o[5] = __builtin_ffsll(wide >> 3);
    o[6] = __builtin_clzll(wide);
    o[7] = wide_reversed;
    o[8] = (x & 0xff) | 0xddu << 8 | (x >> 8 & 0xff) << 16 | 0xccu << 24;
    // Digits 0, 4, 1, 5 from the low end: x's byte 0, y's 0, x's 1, y's 1.
    o[9] = ~x << 7 | x >> 25;
    o[10] = (unsigned long long)x * 0x9e3779b9u >> 32;
    unsigned sum = 0;
    for (int i = 0; i < 4; i++) {
        sum |= ((x >> 8 * i) + 1 & 0xff) << 8 * i;
    }
    o[11] = sum;
}

int main()
{
    unsigned *out, got[4];
    CHECK(cudaMalloc(&out, 4096));
    votes<<<1, 32>>>(out);
    CHECK_LAUNCH();
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    REQUIRE(got[0] == 0x49249249u && got[1] == 5 && got[2] == 0x2aau && got[3] == 11);
    printf("votes %08x %u %03x %u\n", got[0], got[1], got[2], got[3]);

    unsigned *masks, any[32], all[64];
    int *flags, same[64];
    CHECK(cudaMalloc(&masks, sizeof any + sizeof all));
    CHECK(cudaMalloc(&flags, sizeof same));
    matches<<<1, 32>>>(masks, masks + 32, flags);
    CHECK_LAUNCH();
    CHECK(cudaMemcpy(any, masks, sizeof any, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(all, masks + 32, sizeof all, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(same, flags, sizeof same, cudaMemcpyDeviceToHost));
    for (int lane = 0; lane < 32; lane++) {
        REQUIRE(any[lane] == (lane < 30 ? 0x1fu << lane / 5 * 5 : 0xc0000000u));
        REQUIRE(all[lane] == 0xffffffffu && same[lane] == 1);
        REQUIRE(all[32 + lane] == 0 && same[32 + lane] == 0);
    }
    printf("matches %08x %08x\n", any[7], any[31]);

    int *ints, counted[100];
    CHECK(cudaMalloc(&ints, sizeof counted));
    counts<<<1, 100>>>(ints);
    CHECK_LAUNCH();
    CHECK(cudaMemcpy(counted, ints, sizeof counted, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 100; i++) {
        REQUIRE(counted[i] == 5011);
    }
    printf("barrier counts %d\n", counted[0]);

    unsigned values[8] = {0, 1, 0x80000000u, 0xffffffffu, 0x12345678u, 0x00ff00ffu, 0xdeadbeefu, 0x7fffffffu};
    unsigned long long *wide, results[8][12], wanted[12];
    CHECK(cudaMalloc(&wide, sizeof results));
    CHECK(cudaMemcpy(out, values, sizeof values, cudaMemcpyHostToDevice));
    bits<<<1, 8>>>(out, wide);
    CHECK_LAUNCH();
    CHECK(cudaMemcpy(results, wide, sizeof results, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 8; i++) {
        by_hand(values[i], wanted);
        for (int j = 0; j < 12; j++) {
            if (results[i][j] != wanted[j]) {
                fprintf(stderr, "%08x, function %d: %llx, not %llx\n", values[i], j, results[i][j], wanted[j]);
                return 1;
            }
        }
    }
    printf("bits %llx %llx\n", results[4][3], results[6][8]);
    printf("ok\n");
    return 0;
}
