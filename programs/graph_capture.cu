// Covers: CUDA graphs by stream capture, also over two streams joined by
// events; instantiated once and launched several times; nothing runs while
// capturing; cudaGraphGetNodes; update of an executable graph.
// Output: one line per step, then "ok".
#include "check.h"
#include "releases.h"

__global__ void add(int *data, int value)
{
    data[threadIdx.x] += value;
}

__global__ void twice(int *data)
{
    data[threadIdx.x] *= 2;
}

// Adds on both streams what their buffers ask for.
static cudaGraph_t capture(cudaStream_t stream, cudaStream_t side, int *a, int *b, int *host, int value)
{
    cudaEvent_t fork, join;
    CHECK(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
    CHECK(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    cudaStreamCaptureStatus status;
    CHECK(cudaStreamIsCapturing(stream, &status));
    REQUIRE(status == cudaStreamCaptureStatusActive);
    add<<<1, 32, 0, stream>>>(a, value);
    CHECK(cudaEventRecord(fork, stream));
    CHECK(cudaStreamWaitEvent(side, fork, 0));
    twice<<<1, 32, 0, side>>>(b);
    CHECK(cudaEventRecord(join, side));
    twice<<<1, 32, 0, stream>>>(a);
    CHECK(cudaStreamWaitEvent(stream, join, 0));
    CHECK(cudaMemcpyAsync(host, a, 32 * sizeof(int), cudaMemcpyDeviceToHost, stream));
    cudaGraph_t graph;
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaEventDestroy(fork));
    CHECK(cudaEventDestroy(join));
    return graph;
}

int main()
{
    int *a, *b, *host, seen[32];
    CHECK(cudaMalloc(&a, 32 * sizeof(int)));
    CHECK(cudaMalloc(&b, 32 * sizeof(int)));
    CHECK(cudaMallocHost(&host, 32 * sizeof(int)));
    CHECK(cudaMemset(a, 0, 32 * sizeof(int)));
    CHECK(cudaMemset(b, 1, 32 * sizeof(int)));
    host[0] = -1;
    cudaStream_t stream, side;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaStreamCreate(&side));
    cudaGraph_t graph = capture(stream, side, a, b, host, 3);
    size_t nodes;
    CHECK(cudaGraphGetNodes(graph, nullptr, &nodes));
    REQUIRE(nodes == 4);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(seen, a, sizeof seen, cudaMemcpyDeviceToHost));
    REQUIRE(seen[0] == 0 && host[0] == -1);
    printf("captured %zu nodes, nothing ran\n", nodes);

    cudaGraphExec_t ready;
    CHECK(instantiate(&ready, graph));
    int wanted = 0;
    for (int i = 0; i < 4; i++) {
        CHECK(cudaGraphLaunch(ready, stream));
        CHECK(cudaStreamSynchronize(stream));
        wanted = (wanted + 3) * 2;
        REQUIRE(host[0] == wanted && host[31] == wanted);
        printf("launch %d: %d\n", i, host[31]);
    }
    CHECK(cudaMemcpy(seen, b, sizeof seen, cudaMemcpyDeviceToHost));
    REQUIRE(seen[0] == 0x10101010);
    printf("side stream %#x\n", seen[0]);

    // The same shape with another argument.
    cudaGraph_t other = capture(stream, side, a, b, host, 100);
    cudaGraphExecUpdateResult result;
    CHECK(update(ready, other, &result));
    REQUIRE(result == cudaGraphExecUpdateSuccess);
    CHECK(cudaGraphLaunch(ready, stream));
    CHECK(cudaStreamSynchronize(stream));
    REQUIRE(host[0] == (wanted + 100) * 2);
    printf("updated: %d\n", host[0]);

    CHECK(cudaGraphExecDestroy(ready));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaGraphDestroy(other));
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaStreamDestroy(side));
    CHECK(cudaFree(a));
    CHECK(cudaFree(b));
    CHECK(cudaFreeHost(host));
    printf("ok\n");
    return 0;
}
