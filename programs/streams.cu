// Covers: several streams, cudaStreamWaitEvent, host functions and callbacks in
// a stream, priorities, flags, queries, the legacy default stream among them.
// Output: one line per step, then "ok".
#include "check.h"

#include <vector>

__global__ void fill(int *data, int value)
{
    data[threadIdx.x] = value;
}

__global__ void add(int *to, const int *from)
{
    to[threadIdx.x] += from[threadIdx.x];
}

struct Log {
    std::vector<int> entries;
};

static void CUDART_CB note(void *log)
{
    static_cast<Log *>(log)->entries.push_back(1);
}

static void CUDART_CB note_status(cudaStream_t, cudaError_t status, void *log)
{
    static_cast<Log *>(log)->entries.push_back(status == cudaSuccess ? 2 : -1);
}

int main()
{
    const int n = 64, count = 4;
    int *data[count], got[n];
    cudaStream_t streams[count];
    cudaEvent_t filled[count];
    for (int i = 0; i < count; i++) {
        CHECK(cudaMalloc(&data[i], sizeof got));
        CHECK(cudaStreamCreate(&streams[i]));
        CHECK(cudaEventCreateWithFlags(&filled[i], cudaEventDisableTiming));
    }
    // Each stream fills a buffer; the first waits for all and adds them.
    for (int i = 0; i < count; i++) {
        fill<<<1, n, 0, streams[i]>>>(data[i], 1 << (4 * i));
        CHECK(cudaEventRecord(filled[i], streams[i]));
    }
    for (int i = 1; i < count; i++) {
        CHECK(cudaStreamWaitEvent(streams[0], filled[i], 0));
        add<<<1, n, 0, streams[0]>>>(data[0], data[i]);
    }
    CHECK(cudaMemcpyAsync(got, data[0], sizeof got, cudaMemcpyDeviceToHost, streams[0]));
    CHECK(cudaStreamSynchronize(streams[0]));
    REQUIRE(got[0] == 0x1111 && got[n - 1] == 0x1111);
    printf("joined %#x\n", got[0]);
    for (int i = 0; i < count; i++) {
        CHECK(cudaStreamSynchronize(streams[i]));
        CHECK(cudaStreamQuery(streams[i]));
        CHECK(cudaEventQuery(filled[i]));
    }

    // Host functions run in the stream's order.
    Log log;
    fill<<<1, n, 0, streams[1]>>>(data[1], 5);
    CHECK(cudaLaunchHostFunc(streams[1], note, &log));
    add<<<1, n, 0, streams[1]>>>(data[1], data[1]);
    CHECK(cudaStreamAddCallback(streams[1], note_status, &log, 0));
    CHECK(cudaLaunchHostFunc(streams[1], note, &log));
    CHECK(cudaStreamSynchronize(streams[1]));
    REQUIRE((log.entries == std::vector<int>{1, 2, 1}));
    CHECK(cudaMemcpy(got, data[1], sizeof got, cudaMemcpyDeviceToHost));
    REQUIRE(got[0] == 10);
    printf("host functions ran: %zu\n", log.entries.size());

    // Priorities: lower numbers go first; the range is the device's matter.
    int least, greatest, priority;
    CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    REQUIRE(greatest <= least);
    cudaStream_t urgent;
    CHECK(cudaStreamCreateWithPriority(&urgent, cudaStreamNonBlocking, greatest));
    CHECK(cudaStreamGetPriority(urgent, &priority));
    REQUIRE(priority == greatest);
    unsigned flags;
    CHECK(cudaStreamGetFlags(urgent, &flags));
    REQUIRE(flags == cudaStreamNonBlocking);
    CHECK(cudaStreamGetFlags(streams[0], &flags));
    REQUIRE(flags == cudaStreamDefault);
    fill<<<1, n, 0, urgent>>>(data[2], 9);
    CHECK(cudaStreamSynchronize(urgent));
    CHECK(cudaStreamDestroy(urgent));
    printf("urgent stream done\n");

    // The default stream waits for the others, and they for it.
    fill<<<1, n, 0, streams[3]>>>(data[3], 100);
    add<<<1, n>>>(data[3], data[2]);
    add<<<1, n, 0, streams[2]>>>(data[3], data[2]);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(got, data[3], sizeof got, cudaMemcpyDeviceToHost));
    REQUIRE(got[0] == 118);
    printf("through the default stream %d\n", got[0]);

    for (int i = 0; i < count; i++) {
        CHECK(cudaStreamDestroy(streams[i]));
        CHECK(cudaEventDestroy(filled[i]));
        CHECK(cudaFree(data[i]));
    }
    printf("ok\n");
    return 0;
}
