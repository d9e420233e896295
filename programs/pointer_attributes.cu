// Covers: cudaPointerGetAttributes for device, pinned, registered, managed and
// ordinary memory, for places inside a piece and after it was freed.
// Output: the kind of each pointer, then "ok".
#include "check.h"

#include <cstdlib>

__device__ int variable;

static const char *kind(const void *p)
{
    cudaPointerAttributes a;
    CHECK(cudaPointerGetAttributes(&a, p));
    switch (a.type) {
    case cudaMemoryTypeUnregistered:
        return "unregistered";
    case cudaMemoryTypeHost:
        REQUIRE(a.hostPointer == p);
        return "host";
    case cudaMemoryTypeDevice:
        REQUIRE(a.devicePointer == p && a.device == 0);
        return "device";
    case cudaMemoryTypeManaged:
        REQUIRE(a.hostPointer == p && a.devicePointer == p);
        return "managed";
    }
    return "unknown";
}

int main()
{
    int on_stack = 0;
    char *device, *pinned, *managed;
    void *symbol;
    CHECK(cudaMalloc(&device, 1000));
    CHECK(cudaMallocHost(&pinned, 1000));
    CHECK(cudaMallocManaged(&managed, 1000));
    CHECK(cudaGetSymbolAddress(&symbol, variable));
    char *ordinary = static_cast<char *>(aligned_alloc(4096, 8192));

    printf("cudaMalloc: %s\n", kind(device));
    printf("inside it: %s\n", kind(device + 999));
    printf("cudaMallocHost: %s\n", kind(pinned));
    printf("inside it: %s\n", kind(pinned + 500));
    printf("cudaMallocManaged: %s\n", kind(managed));
    printf("__device__ variable: %s\n", kind(symbol));
    printf("aligned_alloc: %s\n", kind(ordinary));
    CHECK(cudaHostRegister(ordinary, 4096, cudaHostRegisterDefault));
    printf("registered: %s\n", kind(ordinary + 100));
    CHECK(cudaHostUnregister(ordinary));
    printf("no longer: %s\n", kind(ordinary + 100));
    printf("stack: %s\n", kind(&on_stack));

    // A managed pointer is also an argument for copies of any kind.
    CHECK(cudaMemcpy(managed, device, 100, cudaMemcpyDefault));
    CHECK(cudaFree(device));
    CHECK(cudaFree(managed));
    CHECK(cudaFreeHost(pinned));
    free(ordinary);
    printf("ok\n");
    return 0;
}
