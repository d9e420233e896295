// Memory in the order of a stream.
#include "driver.h"

CUresult cuDeviceGetDefaultMemPool(CUpool *pool, CUdevice device);
CUresult cuMemPoolSetAttribute(CUpool pool, int attribute, void *value);
CUresult cuMemPoolGetAttribute(CUpool pool, int attribute, void *value);
CUresult cuMemAllocAsync(CUdeviceptr *at, size_t bytes, CUstream stream);
CUresult cuMemFreeAsync(CUdeviceptr at, CUstream stream);
CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t bytes, CUstream stream);
CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, size_t n, CUstream stream);

int main(int argc, char **argv)
{
    begin();
    CUfunction scale = find(load(argv), "scale");
    CUstream stream;
    CUpool pool;
    CUdeviceptr at;
    uint64_t keep = 1 << 20, kept = 0;
    CHECK(cuDeviceGetDefaultMemPool(&pool, 0));
    CHECK(cuMemPoolSetAttribute(pool, 4, &keep));
    CHECK(cuMemPoolGetAttribute(pool, 4, &kept));
    CHECK(cuStreamCreate(&stream, 1));
    int out[16], n = 16, k = 9;
    for (int round = 0; round < 3; round++) {
        CHECK(cuMemAllocAsync(&at, sizeof out, stream));
        CHECK(cuMemsetD32Async(at, round + 1, 16, stream));
        void *arguments[] = {&at, &n, &k};
        CHECK(cuLaunchKernel(scale, 1, 1, 1, 16, 1, 1, 0, stream, arguments, NULL));
        CHECK(cuMemcpyDtoHAsync_v2(out, at, sizeof out, stream));
        CHECK(cuMemFreeAsync(at, stream));
        CHECK(cuStreamSynchronize(stream));
        printf("%d %d\n", out[0], out[15]);
    }
    printf("kept %llu\n", (unsigned long long)kept);
}
