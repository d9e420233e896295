// Covers: a pipeline of asynchronous copies and kernels in two streams over
// pinned memory, copies on the device, cudaMemcpyDefault, overlapping halves,
// cudaMemcpyPeer to the device itself, zero-byte copies.
// Output: one line per step, then "ok".
#include "check.h"

#include <vector>

__global__ void square(float *data, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        data[i] *= data[i];
    }
}

int main()
{
    const int n = 1024, parts = 4, part = n / parts;
    float *host, *device;
    CHECK(cudaMallocHost(&host, n * sizeof(float)));
    CHECK(cudaMalloc(&device, n * sizeof(float)));
    for (int i = 0; i < n; i++) {
        host[i] = i;
    }
    cudaStream_t streams[2];
    CHECK(cudaStreamCreate(&streams[0]));
    CHECK(cudaStreamCreate(&streams[1]));
    for (int p = 0; p < parts; p++) {
        cudaStream_t stream = streams[p % 2];
        size_t at = p * part, bytes = part * sizeof(float);
        CHECK(cudaMemcpyAsync(device + at, host + at, bytes, cudaMemcpyHostToDevice, stream));
        square<<<2, 128, 0, stream>>>(device + at, part);
        CHECK(cudaMemcpyAsync(host + at, device + at, bytes, cudaMemcpyDeviceToHost, stream));
    }
    CHECK(cudaStreamSynchronize(streams[0]));
    CHECK(cudaStreamSynchronize(streams[1]));
    for (int i = 0; i < n; i++) {
        REQUIRE(host[i] == float(i) * i);
    }
    printf("pipeline %.0f\n", host[n - 1]);

    // From one half to the other, and whole again by default kinds.
    CHECK(cudaMemcpyAsync(device + n / 2, device, n / 2 * sizeof(float), cudaMemcpyDeviceToDevice, streams[0]));
    std::vector<float> copy(n);
    CHECK(cudaStreamSynchronize(streams[0]));
    CHECK(cudaMemcpy(copy.data(), device, n * sizeof(float), cudaMemcpyDefault));
    REQUIRE(copy[n - 1] == 511.0f * 511 && copy[n / 2] == 0);
    printf("halves %g\n", copy[n - 1]);

    CHECK(cudaMemcpy(host, copy.data(), n * sizeof(float), cudaMemcpyHostToHost));
    REQUIRE(host[n - 1] == 511.0f * 511);
    CHECK(cudaMemset(device, 0, n / 2 * sizeof(float)));
    CHECK(cudaMemcpyPeer(device, 0, device + n / 2, 0, 16));
    CHECK(cudaMemcpy(device, host, 0, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(copy.data(), device, 20, cudaMemcpyDeviceToHost));
    REQUIRE(copy[3] == 9 && copy[4] == 0);
    printf("peer %g\n", copy[3]);

    CHECK(cudaStreamDestroy(streams[0]));
    CHECK(cudaStreamDestroy(streams[1]));
    CHECK(cudaFreeHost(host));
    CHECK(cudaFree(device));
    printf("ok\n");
    return 0;
}
