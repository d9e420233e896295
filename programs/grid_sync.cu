// Covers: cudaLaunchCooperativeKernel and a barrier over the whole grid, the
// largest cooperative grid from the occupancy query, a refused larger one.
// Output: one line per step, then "ok".
#include "check.h"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

// Each round every block reads what its neighbour wrote in the round before.
__global__ void rounds(int *cells, int *next, int count)
{
    cg::grid_group grid = cg::this_grid();
    int i = grid.thread_rank();
    for (int round = 0; round < count; round++) {
        next[i] = cells[(i + blockDim.x) % grid.size()] + 1;
        grid.sync();
        cells[i] = next[i];
        grid.sync();
    }
    if (i == 0) {
        next[0] = grid.is_valid() ? int(grid.size()) : -1;
    }
}

int main()
{
    int supported;
    CHECK(cudaDeviceGetAttribute(&supported, cudaDevAttrCooperativeLaunch, 0));
    const int blocks = 6, threads = 48, n = blocks * threads;
    int host[n], *cells, *next, count = 5;
    for (int i = 0; i < n; i++) {
        host[i] = 1000 * (i / threads);
    }
    CHECK(cudaMalloc(&cells, sizeof host));
    CHECK(cudaMalloc(&next, sizeof host));
    CHECK(cudaMemcpy(cells, host, sizeof host, cudaMemcpyHostToDevice));
    void *args[] = {&cells, &next, &count};
    // Grids that wait for each other came with compute capability 6.0.
    if (!supported) {
        int major;
        CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
        REQUIRE(major < 6);
        cudaError_t refused =
            cudaLaunchCooperativeKernel((const void *)rounds, dim3(blocks), dim3(threads), args, 0, 0);
        printf("not here: %s\n", cudaGetErrorName(refused));
        REQUIRE(refused == cudaErrorNotSupported && cudaGetLastError() == refused);
        return 0;
    }
    CHECK(cudaLaunchCooperativeKernel((const void *)rounds, dim3(blocks), dim3(threads), args, 0, 0));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(host, cells, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++) {
        REQUIRE(host[i] == 1000 * ((i / threads + count) % blocks) + count);
    }
    printf("after %d rounds: %d %d\n", count, host[0], host[n - 1]);
    CHECK(cudaMemcpy(host, next, sizeof(int), cudaMemcpyDeviceToHost));
    REQUIRE(host[0] == n);
    printf("grid of %d threads\n", host[0]);

    // More blocks than fit at once cannot meet.
    int per_sm, sms;
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, rounds, threads, 0));
    CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    cudaError_t error =
        cudaLaunchCooperativeKernel((const void *)rounds, dim3(per_sm * sms + 1), dim3(threads), args, 0, 0);
    REQUIRE(error == cudaErrorCooperativeLaunchTooLarge);
    printf("too large: %s\n", cudaGetErrorName(cudaGetLastError()));
    CHECK(cudaFree(cells));
    CHECK(cudaFree(next));
    printf("ok\n");
    return 0;
}
