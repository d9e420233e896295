// Covers: cuda::barrier in shared memory (transaction barriers where the chip has them,
// SYNCS in its code): phases by token, more arrivals than one, threads that
// leave, several barriers at once, copies that arrive when they have ended.
// Output: one line per kernel, then "ok".
#include "check.h"

#include <cooperative_groups.h>

#include <new>
#include <utility>

#include <cuda/barrier>

namespace cg = cooperative_groups;
using Barrier = cuda::barrier<cuda::thread_scope_block>;

// Neighbours exchange values, phase after phase.
__global__ void phases(int *out)
{
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ Barrier barrier;
    __shared__ int cell[2][96];
    int t = threadIdx.x;
    if (t == 0) {
        init(&barrier, blockDim.x);
    }
    __syncthreads();
    int value = t;
    for (int i = 0; i < 7; i++) {
        cell[i % 2][t] = value;
        Barrier::arrival_token token = barrier.arrive();
        value += i;
        barrier.wait(std::move(token));
        value = value * 3 + cell[i % 2][(t + 5) % 96];
    }
    out[t] = value;
}

// One warp makes what the others use; each arrives at what the other waits for.
__global__ void maker(const int *in, int *out)
{
    __shared__ Barrier full, empty;
    __shared__ int cell[32];
    int t = threadIdx.x;
    if (t == 0) {
        init(&full, 128);
        init(&empty, 128);
    }
    __syncthreads();
    int sum = 0;
    for (int i = 0; i < 5; i++) {
        if (t < 32) {
            empty.arrive_and_wait();
            cell[t] = in[32 * i + t];
            (void)full.arrive();
        } else {
            (void)empty.arrive();
            full.arrive_and_wait();
            sum = sum * 5 + cell[(t + i) % 32];
        }
    }
    out[t] = sum;
}

// Every warp goes one round less than the one before it. The others wait until it has gone:
// where a barrier is two numbers in memory (CUDA 11.8 below sm_80), whoever ends a phase sets up
// the next one in a second step, and nobody notices the end of that if all arrive before it.
__global__ void leaving(int *out)
{
    __shared__ Barrier barrier;
    __shared__ int there, gone;
    int t = threadIdx.x, warp = t / 32;
    if (t == 0) {
        init(&barrier, blockDim.x);
        there = gone = 0;
    }
    __syncthreads();
    int seen = 0;
    for (int i = 0; i < 4; i++) {
        if (warp == 3 - i && i < 3) {
            barrier.arrive_and_drop();
            atomicAdd(&gone, 1);
            break;
        }
        if (t % 32 == 0) {
            atomicAdd(&there, 1);
        }
        barrier.arrive_and_wait();
        while (atomicAdd(&gone, 0) < 32 * min(i + 1, 3)) {
        }
        seen = seen * 16 + there;
        barrier.arrive_and_wait();
    }
    out[t] = seen;
}

// Lanes that are divided, and one thread that arrives for others.
__global__ void divided(int *out)
{
    __shared__ Barrier barrier;
    __shared__ int cell[64];
    int t = threadIdx.x;
    if (t == 0) {
        init(&barrier, 64 + 8);
    }
    __syncthreads();
    cell[t] = t * t;
    if (t % 8 == 3) {
        auto token = barrier.arrive(2);
        cell[t] += 1;
        barrier.wait(std::move(token));
    } else {
        barrier.arrive_and_wait();
    }
    __syncthreads();
    out[t] = cell[63 - t];
}

// A copy for the whole block that arrives when it has ended.
__global__ void copied(const int *in, int *out)
{
    __shared__ alignas(16) int room[512];
    __shared__ Barrier barrier;
    cg::thread_block block = cg::this_thread_block();
    if (block.thread_rank() == 0) {
        init(&barrier, block.size());
    }
    block.sync();
    int sum = 0;
    for (int i = 0; i < 3; i++) {
        cuda::memcpy_async(block, room, in + 512 * i, cuda::aligned_size_t<8>(sizeof room), barrier);
        barrier.arrive_and_wait();
        for (int j = 0; j < 4; j++) {
            sum = sum * 7 + room[(4 * threadIdx.x + 129 * j) % 512];
        }
        block.sync();
    }
    out[threadIdx.x] = sum;
}

int main()
{
    static int numbers[2048], got[128];
    for (int i = 0; i < 2048; i++) {
        numbers[i] = i * 7919 % 4099;
    }
    int *in, *out;
    CHECK(cudaMalloc(&in, sizeof numbers));
    CHECK(cudaMalloc(&out, sizeof got));
    CHECK(cudaMemcpy(in, numbers, sizeof numbers, cudaMemcpyHostToDevice));
    auto show = [&](const char *name, int threads) {
        CHECK_LAUNCH();
        CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
        unsigned sum = 0;
        for (int i = 0; i < threads; i++) {
            sum = sum * 31 + got[i];
        }
        printf("%-8s %08x %d %d\n", name, sum, got[0], got[threads - 1]);
    };
    phases<<<1, 96>>>(out);
    show("phases", 96);
    maker<<<1, 128>>>(in, out);
    show("maker", 128);
    leaving<<<1, 128>>>(out);
    show("leaving", 128);
    divided<<<1, 64>>>(out);
    show("divided", 64);
    copied<<<1, 128>>>(in, out);
    show("copied", 128);
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    printf("ok\n");
}
