// Covers: a build with --default-stream per-thread: the compiler then calls the
// _ptsz and _ptds forms of the runtime's functions. Also cudaStreamPerThread
// and cudaStreamLegacy named outright.
// Output: one line per step, then "ok".
// Build: needs --default-stream per-thread.
#include "check.h"

#include <thread>
#include <vector>

__global__ void add(int *data, int value)
{
    data[threadIdx.x] += value;
}

static void work(int id, int *result)
{
    int *data, got[32];
    CHECK(cudaMalloc(&data, sizeof got));
    CHECK(cudaMemset(data, 0, sizeof got));
    for (int i = 0; i < 5; i++) {
        add<<<1, 32>>>(data, id);
    }
    CHECK(cudaMemcpy(got, data, sizeof got, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(data));
    *result = got[31];
}

int main()
{
    int *data, got[32];
    CHECK(cudaMalloc(&data, sizeof got));
    CHECK(cudaMemsetAsync(data, 0, sizeof got));
    add<<<1, 32>>>(data, 1);
    add<<<1, 32, 0, cudaStreamPerThread>>>(data, 10);
    CHECK(cudaStreamSynchronize(cudaStreamPerThread));
    add<<<1, 32, 0, cudaStreamLegacy>>>(data, 100);
    CHECK(cudaStreamSynchronize(cudaStreamLegacy));
    cudaEvent_t event;
    CHECK(cudaEventCreate(&event));
    CHECK(cudaEventRecord(event));
    CHECK(cudaEventSynchronize(event));
    CHECK(cudaEventDestroy(event));
    CHECK(cudaStreamQuery(0));
    CHECK(cudaMemcpyAsync(got, data, sizeof got, cudaMemcpyDeviceToHost));
    CHECK(cudaStreamSynchronize(0));
    REQUIRE(got[0] == 111 && got[31] == 111);
    printf("named streams %d\n", got[0]);
    CHECK(cudaFree(data));

    std::vector<int> results(3);
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; i++) {
        threads.emplace_back(work, i + 1, &results[i]);
    }
    for (auto &thread : threads) {
        thread.join();
    }
    REQUIRE(results[0] == 5 && results[1] == 10 && results[2] == 15);
    printf("threads %d %d %d\n", results[0], results[1], results[2]);
    printf("ok\n");
    return 0;
}
