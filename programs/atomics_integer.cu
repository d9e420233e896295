// Covers: 32-bit atomic functions on global and shared memory: add, sub, exch,
// min, max, inc, dec, cas, and, or, xor; their return values; the block and
// system scopes; fences.
// Output: one line per group, then "ok".
#include "check.h"

#include <algorithm>
#include <vector>

struct Results {
    int add, sub, min, max, exch, cas;
    unsigned inc, dec, conj, disj, exclusive, umin, umax;
};

__device__ void all_of_them(Results *r, int i)
{
    atomicAdd(&r->add, i);
    atomicSub(&r->sub, i);
    atomicMin(&r->min, -i);
    atomicMax(&r->max, 3 * i);
    atomicExch(&r->exch, 77);
    atomicInc(&r->inc, 9);
    atomicDec(&r->dec, 9);
    atomicAnd(&r->conj, ~(1u << (i % 31)));
    atomicOr(&r->disj, 1u << (i % 16));
    atomicXor(&r->exclusive, 1u << (i % 32));
    atomicMin(&r->umin, 0xfffffff0u - i);
    atomicMax(&r->umax, 0x80000000u + i);
    // A sum by compare and swap.
    int old = r->cas, assumed;
    do {
        assumed = old;
        old = atomicCAS(&r->cas, assumed, assumed + i);
    } while (old != assumed);
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

// Every thread takes a ticket; together they are 0 to n - 1.
__global__ void tickets(int *counter, int *taken)
{
    taken[blockIdx.x * blockDim.x + threadIdx.x] = atomicAdd(counter, 1);
}

__global__ void scopes(int *data)
{
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 600
    atomicAdd_block(&data[0], 1);
    atomicAdd_system(&data[1], 1);
    atomicMax_block(&data[2], threadIdx.x);
#else
    // Before, there is one scope for all.
    atomicAdd(&data[0], 1);
    atomicAdd(&data[1], 1);
    atomicMax(&data[2], threadIdx.x);
#endif
    __threadfence();
    __threadfence_block();
    __threadfence_system();
}

// The last block to finish sees what all blocks wrote.
__global__ void last_block(int *partial, unsigned *done, int *total)
{
    __shared__ bool last;
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = blockIdx.x + 1;
        __threadfence();
        last = atomicInc(done, gridDim.x) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        int sum = 0;
        for (int i = 0; i < gridDim.x; i++) {
            sum += ((volatile int *)partial)[i];
        }
        *total = sum;
    }
}

static Results fresh()
{
    Results r = {};
    r.conj = 0xffffffffu;
    r.dec = 5;
    r.umin = 0xffffffffu;
    return r;
}

// The same by hand, in any order.
static Results expected(int threads)
{
    Results r = fresh();
    for (int i = 0; i < threads; i++) {
        r.add += i;
        r.sub -= i;
        r.min = std::min(r.min, -i);
        r.max = std::max(r.max, 3 * i);
        r.inc = r.inc >= 9 ? 0 : r.inc + 1;
        r.dec = r.dec == 0 || r.dec > 9 ? 9 : r.dec - 1;
        r.conj &= ~(1u << (i % 31));
        r.disj |= 1u << (i % 16);
        r.exclusive ^= 1u << (i % 32);
        r.umin = std::min(r.umin, 0xfffffff0u - i);
        r.umax = std::max(r.umax, 0x80000000u + i);
        r.cas += i;
    }
    r.exch = 77;
    return r;
}

static void compare(const char *name, const Results &got, const Results &want)
{
    REQUIRE(got.add == want.add && got.sub == want.sub && got.min == want.min && got.max == want.max);
    REQUIRE(got.exch == want.exch && got.inc == want.inc && got.dec == want.dec && got.cas == want.cas);
    REQUIRE(got.conj == want.conj && got.disj == want.disj && got.exclusive == want.exclusive);
    REQUIRE(got.umin == want.umin && got.umax == want.umax);
    printf("%s: add %d, min %d, inc %u, dec %u, and %08x, xor %08x\n", name, got.add, got.min, got.inc, got.dec,
           got.conj, got.exclusive);
}

int main()
{
    Results r = fresh(), *at;
    CHECK(cudaMalloc(&at, sizeof r));
    CHECK(cudaMemcpy(at, &r, sizeof r, cudaMemcpyHostToDevice));
    on_global<<<3, 33>>>(at);
    CHECK_LAUNCH();
    CHECK(cudaMemcpy(&r, at, sizeof r, cudaMemcpyDeviceToHost));
    compare("global", r, expected(99));

    r = fresh();
    CHECK(cudaMemcpy(at, &r, sizeof r, cudaMemcpyHostToDevice));
    on_shared<<<1, 64>>>(at);
    CHECK_LAUNCH();
    CHECK(cudaMemcpy(&r, at, sizeof r, cudaMemcpyDeviceToHost));
    compare("shared", r, expected(64));

    int *data;
    std::vector<int> taken(257);
    CHECK(cudaMalloc(&data, 257 * sizeof(int)));
    CHECK(cudaMemset(data, 0, 257 * sizeof(int)));
    tickets<<<4, 64>>>(data, data + 1);
    CHECK_LAUNCH();
    CHECK(cudaMemcpy(taken.data(), data, 257 * sizeof(int), cudaMemcpyDeviceToHost));
    REQUIRE(taken[0] == 256);
    std::sort(taken.begin() + 1, taken.end());
    for (int i = 0; i < 256; i++) {
        REQUIRE(taken[i + 1] == i);
    }
    printf("tickets %d\n", taken[0]);

    CHECK(cudaMemset(data, 0, 257 * sizeof(int)));
    scopes<<<1, 96>>>(data);
    CHECK_LAUNCH();
    CHECK(cudaMemcpy(taken.data(), data, 3 * sizeof(int), cudaMemcpyDeviceToHost));
    REQUIRE(taken[0] == 96 && taken[1] == 96 && taken[2] == 95);
    printf("scopes %d %d %d\n", taken[0], taken[1], taken[2]);

    CHECK(cudaMemset(data, 0, 257 * sizeof(int)));
    last_block<<<8, 32>>>(data, reinterpret_cast<unsigned *>(data + 100), data + 101);
    CHECK_LAUNCH();
    CHECK(cudaMemcpy(taken.data(), data + 101, sizeof(int), cudaMemcpyDeviceToHost));
    REQUIRE(taken[0] == 36);
    printf("last block %d\n", taken[0]);
    CHECK(cudaFree(at));
    CHECK(cudaFree(data));
    printf("ok\n");
    return 0;
}
