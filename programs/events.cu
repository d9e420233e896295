// Covers: events with and without timing, cudaEventElapsedTime (above zero and
// longer for more work), record again, queries, waiting, errors of events that
// cannot tell a time.
// Output: one line per step, then "ok"; times themselves are the chip's matter.
#include "check.h"

__global__ void spin(int *data, int rounds)
{
    int x = data[threadIdx.x];
    for (int i = 0; i < rounds; i++) {
        x = x * 1664525 + 1013904223;
    }
    data[threadIdx.x] = x;
}

int main()
{
    int *data;
    CHECK(cudaMalloc(&data, 32 * sizeof(int)));
    CHECK(cudaMemset(data, 0, 32 * sizeof(int)));
    cudaEvent_t start, middle, stop;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&middle));
    CHECK(cudaEventCreateWithFlags(&stop, cudaEventBlockingSync));

    // The first launch may pay for loading; it does not count.
    spin<<<1, 32>>>(data, 1);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaEventRecord(start));
    spin<<<1, 32>>>(data, 16);
    CHECK(cudaEventRecord(middle));
    spin<<<1, 32>>>(data, 4096);
    CHECK(cudaEventRecord(stop));
    CHECK(cudaEventSynchronize(stop));
    CHECK(cudaEventQuery(start));
    CHECK(cudaEventQuery(stop));
    float little, much, both;
    CHECK(cudaEventElapsedTime(&little, start, middle));
    CHECK(cudaEventElapsedTime(&much, middle, stop));
    CHECK(cudaEventElapsedTime(&both, start, stop));
    REQUIRE(little > 0 && much > little && both >= much);
    REQUIRE(both > little + much - 0.01f && both < little + much + 0.01f);
    printf("more work takes longer\n");

    // An event tells of its last record.
    CHECK(cudaEventRecord(start));
    CHECK(cudaEventSynchronize(start));
    float back;
    CHECK(cudaEventElapsedTime(&back, stop, start));
    REQUIRE(back >= 0);
    printf("recorded again\n");

    cudaEvent_t never, untimed;
    CHECK(cudaEventCreate(&never));
    CHECK(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
    CHECK(cudaEventRecord(untimed));
    CHECK(cudaEventSynchronize(untimed));
    // One never recorded counts as done, but has no time.
    CHECK(cudaEventQuery(never));
    CHECK_ERROR(cudaEventElapsedTime(&back, start, never), cudaErrorInvalidResourceHandle);
    CHECK_ERROR(cudaEventElapsedTime(&back, start, untimed), cudaErrorInvalidResourceHandle);
    CHECK_ERROR(cudaGetLastError(), cudaErrorInvalidResourceHandle);
    CHECK(cudaGetLastError());
    printf("no time where none was taken\n");

    for (cudaEvent_t event : {start, middle, stop, never, untimed}) {
        CHECK(cudaEventDestroy(event));
    }
    CHECK(cudaFree(data));
    printf("ok\n");
    return 0;
}
