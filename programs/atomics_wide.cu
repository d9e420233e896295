// Covers: atomic functions on 64-bit integers, floats, doubles and halves, in
// global and shared memory; a float maximum by compare and swap; 16-bit cas.
// Output: one line per type, then "ok". Sums are of numbers whose order does
// not matter.
#include "check.h"

#include <cuda_fp16.h>

typedef unsigned long long u64;
typedef long long i64;

struct Results {
    u64 add, exch, cas, conj, disj, exclusive, umin, umax;
    i64 min, max;
    float sum, highest, swapped;
    double total;
    __half2 pair;
    unsigned short small;
};

// Doubles, pairs of halves and 16 bits are hardware's own from sm_60 and sm_70
// on; before, a loop around a compare and swap of the words that hold them.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
__device__ double add(double *at, double x) { return atomicAdd(at, x); }
__device__ void add(__half2 *at, __half2 x) { atomicAdd(at, x); }
__device__ unsigned short swap(unsigned short *at, unsigned short old, unsigned short x)
{
    return atomicCAS(at, old, x);
}
#else
__device__ double add(double *at, double x)
{
    u64 *word = reinterpret_cast<u64 *>(at), seen = *word, old;
    do {
        old = seen;
        seen = atomicCAS(word, old, __double_as_longlong(__longlong_as_double(old) + x));
    } while (seen != old);
    return __longlong_as_double(old);
}
__device__ void add(__half2 *at, __half2 x)
{
    unsigned *word = reinterpret_cast<unsigned *>(at), seen = *word, old;
    do {
        old = seen;
        __half2 sum = *reinterpret_cast<__half2 *>(&old);
        sum = __floats2half2_rn(__low2float(sum) + __low2float(x), __high2float(sum) + __high2float(x));
        seen = atomicCAS(word, old, *reinterpret_cast<unsigned *>(&sum));
    } while (seen != old);
}
__device__ unsigned short swap(unsigned short *at, unsigned short old, unsigned short x)
{
    u64 address = reinterpret_cast<u64>(at);
    unsigned *word = reinterpret_cast<unsigned *>(address & ~3ull), shift = address % 4 * 8;
    unsigned seen = *word, before;
    do {
        before = seen;
        if ((before >> shift & 0xffff) != old) {
            break;
        }
        seen = atomicCAS(word, before, (before & ~(0xffffu << shift)) | unsigned(x) << shift);
    } while (seen != before);
    return before >> shift;
}
#endif

__device__ void all_of_them(Results *r, int i)
{
    atomicAdd(&r->add, 1ull << 33);
    atomicExch(&r->exch, 0x123456789abcdefull);
    atomicAnd(&r->conj, ~(1ull << (i % 60)));
    atomicOr(&r->disj, 1ull << (i % 50));
    atomicXor(&r->exclusive, 1ull << (i % 64));
    atomicMin(&r->umin, (1ull << 63) - i);
    atomicMax(&r->umax, (1ull << 40) + i);
    atomicMin(&r->min, -(1ll << 40) - i);
    atomicMax(&r->max, (1ll << 40) + i);
    u64 old = r->cas, assumed;
    do {
        assumed = old;
        old = atomicCAS(&r->cas, assumed, assumed + (1ull << 32) + 1);
    } while (old != assumed);

    atomicAdd(&r->sum, 0.25f);
    add(&r->total, 0.125);
    atomicExch(&r->swapped, 2.5f);
    add(&r->pair, __floats2half2_rn(0.5f, 2.0f));
    // There is no atomic maximum of floats; positive ones order like integers.
    atomicMax(reinterpret_cast<int *>(&r->highest), __float_as_int(1.5f * i));
    unsigned short seen = r->small, before;
    do {
        before = seen;
        seen = swap(&r->small, before, (unsigned short)(before + 3));
    } while (seen != before);
}

__global__ void on_global(Results *r)
{
    all_of_them(r, blockIdx.x * blockDim.x + threadIdx.x);
}

__global__ void on_shared(Results *r)
{
    __shared__ Results own;
    if (threadIdx.x == 0) {
        own = *r;
    }
    __syncthreads();
    all_of_them(&own, threadIdx.x);
    __syncthreads();
    if (threadIdx.x == 0) {
        *r = own;
    }
}

// Old values come back, each partial sum once.
__global__ void old_values(float *sum, double *total, float *floats, double *doubles)
{
    floats[threadIdx.x] = atomicAdd(sum, 1.0f);
    doubles[threadIdx.x] = add(total, 1.0);
}

static void run(const char *name, bool shared, int threads)
{
    Results r = {}, *at;
    r.conj = r.umin = ~0ull;
    CHECK(cudaMalloc(&at, sizeof r));
    CHECK(cudaMemcpy(at, &r, sizeof r, cudaMemcpyHostToDevice));
    if (shared) {
        on_shared<<<1, threads>>>(at);
    } else {
        on_global<<<2, threads / 2>>>(at);
    }
    CHECK_LAUNCH();
    CHECK(cudaMemcpy(&r, at, sizeof r, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(at));
    u64 n = threads, last = n - 1, exclusive = 0;
    for (u64 i = 0; i < n; i++) {
        exclusive ^= 1ull << (i % 64);
    }
    REQUIRE(r.add == n << 33 && r.exch == 0x123456789abcdefull && r.cas == (n << 32) + n);
    REQUIRE(r.conj == ~((1ull << 60) - 1) && r.disj == (1ull << 50) - 1 && r.exclusive == exclusive);
    REQUIRE(r.umin == (1ull << 63) - last && r.umax == (1ull << 40) + last);
    REQUIRE(r.min == -(1ll << 40) - i64(last) && r.max == (1ll << 40) + i64(last));
    printf("%s: 64 bits %llx %llx %llx\n", name, r.add, r.exclusive, r.umin);
    REQUIRE(r.sum == 0.25f * n && r.swapped == 2.5f && r.highest == 1.5f * last && r.total == 0.125 * n);
    printf("%s: float %g %g, double %g\n", name, r.sum, r.highest, r.total);
    REQUIRE(__low2float(r.pair) == 0.5f * n && __high2float(r.pair) == 2.0f * n && r.small == 3 * n);
    printf("%s: halves %g %g, 16 bits %u\n", name, __low2float(r.pair), __high2float(r.pair), r.small);
}

int main()
{
    run("global", false, 80);
    run("shared", true, 72);

    float *floats, f[33];
    double *doubles, d[33];
    CHECK(cudaMalloc(&floats, sizeof f));
    CHECK(cudaMalloc(&doubles, sizeof d));
    CHECK(cudaMemset(floats, 0, sizeof f));
    CHECK(cudaMemset(doubles, 0, sizeof d));
    old_values<<<1, 32>>>(floats + 32, doubles + 32, floats, doubles);
    CHECK_LAUNCH();
    CHECK(cudaMemcpy(f, floats, sizeof f, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(d, doubles, sizeof d, cudaMemcpyDeviceToHost));
    u64 seen_f = 0, seen_d = 0;
    for (int i = 0; i < 32; i++) {
        seen_f |= 1ull << int(f[i]);
        seen_d |= 1ull << int(d[i]);
    }
    REQUIRE(seen_f == 0xffffffffull && seen_d == 0xffffffffull && f[32] == 32 && d[32] == 32);
    printf("old values %g %g\n", f[32], d[32]);
    CHECK(cudaFree(floats));
    CHECK(cudaFree(doubles));
    printf("ok\n");
    return 0;
}
