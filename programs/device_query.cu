// Covers: cudaGetDeviceCount, cudaSetDevice, cudaGetDeviceProperties,
// cudaDeviceGetAttribute (both must agree), cudaMemGetInfo, versions, limits,
// PCI bus identifiers, cudaChooseDevice, cudaDeviceGetByPCIBusId.
// Output: what every chip has in common, then "ok".
#include "check.h"

#include <cstring>

static int attribute(cudaDeviceAttr which)
{
    int value = -1;
    CHECK(cudaDeviceGetAttribute(&value, which, 0));
    return value;
}

int main()
{
    int count, device;
    CHECK(cudaGetDeviceCount(&count));
    REQUIRE(count >= 1);
    CHECK(cudaSetDevice(0));
    CHECK(cudaGetDevice(&device));
    REQUIRE(device == 0);
    CHECK_ERROR(cudaSetDevice(count), cudaErrorInvalidDevice);
    CHECK_ERROR(cudaGetLastError(), cudaErrorInvalidDevice);

    cudaDeviceProp p;
    CHECK(cudaGetDeviceProperties(&p, 0));
    REQUIRE(strlen(p.name) > 0);
    REQUIRE(p.major >= 3 && p.warpSize == 32 && p.maxThreadsPerBlock == 1024);
    REQUIRE(p.maxThreadsDim[0] == 1024 && p.maxThreadsDim[1] == 1024 && p.maxThreadsDim[2] == 64);
    REQUIRE(p.maxGridSize[0] == 2147483647 && p.maxGridSize[1] == 65535 && p.maxGridSize[2] == 65535);
    REQUIRE(p.multiProcessorCount > 0 && p.memoryBusWidth > 0);
    REQUIRE(p.totalGlobalMem > (1u << 30) && p.totalConstMem == 65536 && p.l2CacheSize > 0);
    REQUIRE(p.sharedMemPerBlock == 49152 && p.sharedMemPerBlockOptin >= p.sharedMemPerBlock);
    REQUIRE(p.sharedMemPerMultiprocessor >= p.sharedMemPerBlockOptin);
    REQUIRE(p.regsPerBlock == 65536 && p.regsPerMultiprocessor == 65536);
    REQUIRE(p.maxThreadsPerMultiProcessor >= 1024 && p.maxThreadsPerMultiProcessor % 32 == 0);
    REQUIRE(p.unifiedAddressing && p.managedMemory && p.canMapHostMemory && p.concurrentKernels);
    REQUIRE(p.textureAlignment > 0 && p.texturePitchAlignment > 0 && p.maxTexture1D > 0);
    // Grids that wait for each other came with compute capability 6.0.
    REQUIRE(p.cooperativeLaunch == (p.major >= 6) && p.asyncEngineCount > 0);
    printf("warp %d, block %d, registers %d\n", p.warpSize, p.maxThreadsPerBlock, p.regsPerBlock);

    REQUIRE(attribute(cudaDevAttrComputeCapabilityMajor) == p.major);
    REQUIRE(attribute(cudaDevAttrComputeCapabilityMinor) == p.minor);
    REQUIRE(attribute(cudaDevAttrMultiProcessorCount) == p.multiProcessorCount);
    REQUIRE(attribute(cudaDevAttrMaxThreadsPerBlock) == p.maxThreadsPerBlock);
    REQUIRE(attribute(cudaDevAttrMaxThreadsPerMultiProcessor) == p.maxThreadsPerMultiProcessor);
    REQUIRE(attribute(cudaDevAttrMaxBlocksPerMultiprocessor) == p.maxBlocksPerMultiProcessor);
    REQUIRE(attribute(cudaDevAttrMaxSharedMemoryPerBlock) == int(p.sharedMemPerBlock));
    REQUIRE(attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin) == int(p.sharedMemPerBlockOptin));
    REQUIRE(attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor) == int(p.sharedMemPerMultiprocessor));
    REQUIRE(attribute(cudaDevAttrReservedSharedMemoryPerBlock) == int(p.reservedSharedMemPerBlock));
    REQUIRE(attribute(cudaDevAttrClockRate) > 0 && attribute(cudaDevAttrMemoryClockRate) > 0);
    REQUIRE(attribute(cudaDevAttrComputeMode) == cudaComputeModeDefault);
#if CUDART_VERSION < 13000  // later ones are asked for attributes only
    REQUIRE(attribute(cudaDevAttrClockRate) == p.clockRate && p.computeMode == cudaComputeModeDefault);
    REQUIRE(attribute(cudaDevAttrMemoryClockRate) == p.memoryClockRate);
#endif
    REQUIRE(attribute(cudaDevAttrGlobalMemoryBusWidth) == p.memoryBusWidth);
    REQUIRE(attribute(cudaDevAttrL2CacheSize) == p.l2CacheSize);
    REQUIRE(attribute(cudaDevAttrWarpSize) == 32);
    REQUIRE(attribute(cudaDevAttrMaxGridDimX) == p.maxGridSize[0]);
    REQUIRE(attribute(cudaDevAttrMaxBlockDimZ) == p.maxThreadsDim[2]);
    REQUIRE(attribute(cudaDevAttrTotalConstantMemory) == int(p.totalConstMem));
    REQUIRE(attribute(cudaDevAttrTextureAlignment) == int(p.textureAlignment));
    REQUIRE(attribute(cudaDevAttrConcurrentManagedAccess) == p.concurrentManagedAccess);
    REQUIRE(attribute(cudaDevAttrCooperativeLaunch) == p.cooperativeLaunch);
    printf("attributes agree with properties\n");

    // Memory goes down and up again.
    size_t free_before, total, free_after;
    CHECK(cudaMemGetInfo(&free_before, &total));
    REQUIRE(free_before > 0 && free_before <= total && total <= p.totalGlobalMem);
    void *big;
    CHECK(cudaMalloc(&big, 64 << 20));
    CHECK(cudaMemGetInfo(&free_after, &total));
    REQUIRE(free_after + (64 << 20) <= free_before);
    CHECK(cudaFree(big));
    printf("memory is counted\n");

    int driver, runtime;
    CHECK(cudaDriverGetVersion(&driver));
    CHECK(cudaRuntimeGetVersion(&runtime));
    REQUIRE(runtime >= 11000 && driver >= runtime);
    printf("driver is not older than the runtime\n");

    size_t stack, fifo, heap;
    CHECK(cudaDeviceGetLimit(&stack, cudaLimitStackSize));
    CHECK(cudaDeviceGetLimit(&fifo, cudaLimitPrintfFifoSize));
    CHECK(cudaDeviceGetLimit(&heap, cudaLimitMallocHeapSize));
    REQUIRE(stack >= 512 && fifo >= (1 << 16) && heap >= (1 << 20));
    CHECK(cudaDeviceSetLimit(cudaLimitStackSize, 4096));
    CHECK(cudaDeviceGetLimit(&stack, cudaLimitStackSize));
    REQUIRE(stack == 4096);
    CHECK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 16 << 20));
    CHECK(cudaDeviceGetLimit(&heap, cudaLimitMallocHeapSize));
    REQUIRE(heap >= (16 << 20));
    printf("limits can be set\n");

    char bus[32];
    int same;
    CHECK(cudaDeviceGetPCIBusId(bus, sizeof bus, 0));
    CHECK(cudaDeviceGetByPCIBusId(&same, bus));
    REQUIRE(same == 0);
    cudaDeviceProp wish = {};
    wish.major = 7;
    CHECK(cudaChooseDevice(&device, &wish));
    REQUIRE(device >= 0 && device < count);
    CHECK(cudaDeviceSynchronize());
    printf("ok\n");
    return 0;
}
