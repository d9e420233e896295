// Streams, events, functions of the host in between.
#include "driver.h"

CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned flags, int priority);
CUresult cuStreamGetFlags(CUstream stream, unsigned *flags);
CUresult cuStreamQuery(CUstream stream);
CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags);
CUresult cuEventCreate(CUevent *event, unsigned flags);
CUresult cuEventRecord(CUevent event, CUstream stream);
CUresult cuEventSynchronize(CUevent event);
CUresult cuEventElapsedTime(float *ms, CUevent start, CUevent end);
CUresult cuEventDestroy_v2(CUevent event);
CUresult cuLaunchHostFunc(CUstream stream, void (*f)(void *), void *data);
CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t bytes, CUstream stream);
CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t bytes, CUstream stream);

static int called;

static void note(void *data)
{
    called += *(int *)data;
}

int main(int argc, char **argv)
{
    begin();
    CUfunction scale = find(load(argv), "scale");
    CUstream one, two;
    CUevent start, end;
    unsigned flags;
    CHECK(cuStreamCreate(&one, 0));
    CHECK(cuStreamCreateWithPriority(&two, 1, -1));
    CHECK(cuStreamGetFlags(two, &flags));
    CHECK(cuEventCreate(&start, 0));
    CHECK(cuEventCreate(&end, 0));
    int numbers[32], n = 32, k = 3, by = 5;
    for (int i = 0; i < 32; i++)
        numbers[i] = i;
    CUdeviceptr at = allocate(sizeof numbers);
    void *arguments[] = {&at, &n, &k};
    CHECK(cuMemcpyHtoDAsync_v2(at, numbers, sizeof numbers, one));
    CHECK(cuEventRecord(start, one));
    CHECK(cuLaunchKernel(scale, 1, 1, 1, 32, 1, 1, 0, one, arguments, NULL));
    CHECK(cuEventRecord(end, one));
    CHECK(cuStreamWaitEvent(two, end, 0));
    CHECK(cuLaunchKernel(scale, 1, 1, 1, 32, 1, 1, 0, two, arguments, NULL));
    CHECK(cuMemcpyDtoHAsync_v2(numbers, at, sizeof numbers, two));
    CHECK(cuLaunchHostFunc(two, note, &by));
    CHECK(cuStreamSynchronize(two));
    CHECK(cuStreamQuery(one));
    CHECK(cuEventSynchronize(end));
    float ms = -1;
    CHECK(cuEventElapsedTime(&ms, start, end));
    REQUIRE(ms > 0);
    printf("flags %u, called %d, %d %d\n", flags, called, numbers[1], numbers[31]);
    CHECK(cuEventDestroy_v2(start));
    CHECK(cuStreamDestroy_v2(one));
    CHECK(cuStreamDestroy_v2(two));
}
