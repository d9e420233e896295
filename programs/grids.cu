// Covers: grids and blocks of one, two and three dimensions, blocks that are no
// multiple of a warp, gridDim and blockDim on the device.
// Output: threads that ran per shape, then "ok".
#include "check.h"

#include <vector>

// Every thread adds one at its place in the whole grid, and block 0 notes the
// dimensions it sees.
__global__ void mark(int *places, int *shape)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    int width = gridDim.x * blockDim.x;
    int height = gridDim.y * blockDim.y;
    atomicAdd(&places[(z * height + y) * width + x], 1);
    if (x + y + z == 0) {
        shape[0] = gridDim.x;
        shape[1] = gridDim.y;
        shape[2] = gridDim.z;
        shape[3] = blockDim.x;
        shape[4] = blockDim.y;
        shape[5] = blockDim.z;
        shape[6] = warpSize;
    }
}

static void run(const char *name, dim3 grid, dim3 block)
{
    size_t threads = size_t(grid.x) * grid.y * grid.z * block.x * block.y * block.z;
    int *places, *shape, seen[7];
    CHECK(cudaMalloc(&places, threads * sizeof(int)));
    CHECK(cudaMalloc(&shape, sizeof seen));
    CHECK(cudaMemset(places, 0, threads * sizeof(int)));
    mark<<<grid, block>>>(places, shape);
    CHECK_LAUNCH();
    std::vector<int> got(threads);
    CHECK(cudaMemcpy(got.data(), places, threads * sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(seen, shape, sizeof seen, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < threads; i++) {
        REQUIRE(got[i] == 1);
    }
    REQUIRE(seen[0] == int(grid.x) && seen[1] == int(grid.y) && seen[2] == int(grid.z));
    REQUIRE(seen[3] == int(block.x) && seen[4] == int(block.y) && seen[5] == int(block.z));
    REQUIRE(seen[6] == 32);
    CHECK(cudaFree(places));
    CHECK(cudaFree(shape));
    printf("%s: %zu threads\n", name, threads);
}

int main()
{
    run("1D", 5, 64);
    run("1D, 33 threads a block", 3, 33);
    run("2D", dim3(3, 4), dim3(8, 8));
    run("2D, odd", dim3(2, 3), dim3(7, 5));
    run("3D", dim3(2, 2, 2), dim3(4, 4, 4));
    run("3D, odd", dim3(1, 2, 3), dim3(3, 5, 7));
    run("one thread", 1, 1);
    run("the largest block", 1, 1024);
    run("z only", dim3(1, 1, 9), dim3(1, 1, 64));
    printf("ok\n");
    return 0;
}
