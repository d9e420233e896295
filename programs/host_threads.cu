// Covers: several host threads, each with a stream and buffers of its own, that
// launch and copy at the same time; memory of one thread used by another;
// device symbols shared by all; the current device is per thread.
// Output: one line per thread in order, then "ok".
// Build: needs -Xcompiler -pthread.
#include "check.h"

#include <thread>
#include <vector>

__device__ int launches;

__global__ void step(int *data, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        data[i] = data[i] * 3 + 1;
    }
    if (i == 0) {
        atomicAdd(&launches, 1);
    }
}

static void work(int id, int *sum, int **shared)
{
    const int n = 200, rounds = 6;
    int device = -1;
    CHECK(cudaGetDevice(&device));
    REQUIRE(device == 0);
    cudaStream_t stream;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    std::vector<int> host(n, id);
    int *data;
    CHECK(cudaMalloc(&data, n * sizeof(int)));
    CHECK(cudaMemcpyAsync(data, host.data(), n * sizeof(int), cudaMemcpyHostToDevice, stream));
    for (int i = 0; i < rounds; i++) {
        step<<<2, 128, 0, stream>>>(data, n);
        CHECK(cudaGetLastError());
    }
    CHECK(cudaMemcpyAsync(host.data(), data, n * sizeof(int), cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaStreamDestroy(stream));
    int wanted = id;
    for (int i = 0; i < rounds; i++) {
        wanted = wanted * 3 + 1;
    }
    for (int value : host) {
        REQUIRE(value == wanted);
    }
    *sum = wanted;
    // The main thread frees it.
    *shared = data;
}

int main()
{
    const int count = 5;
    std::vector<std::thread> threads;
    int sums[count], *pieces[count];
    for (int i = 0; i < count; i++) {
        threads.emplace_back(work, i, &sums[i], &pieces[i]);
    }
    for (auto &thread : threads) {
        thread.join();
    }
    for (int i = 0; i < count; i++) {
        int first;
        CHECK(cudaMemcpy(&first, pieces[i], sizeof first, cudaMemcpyDeviceToHost));
        REQUIRE(first == sums[i]);
        CHECK(cudaFree(pieces[i]));
        printf("thread %d: %d\n", i, sums[i]);
    }
    int total;
    CHECK(cudaMemcpyFromSymbol(&total, launches, sizeof total));
    REQUIRE(total == 30);
    printf("launches %d\n", total);
    printf("ok\n");
    return 0;
}
