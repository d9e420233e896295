// What the driver says of pointers.
#include "driver.h"

CUresult cuPointerGetAttribute(void *value, int attribute, CUdeviceptr at);
CUresult cuMemGetAddressRange_v2(CUdeviceptr *base, size_t *bytes, CUdeviceptr at);
CUresult cuMemAllocHost_v2(void **at, size_t bytes);
CUresult cuMemAllocManaged(CUdeviceptr *at, size_t bytes, unsigned flags);
CUresult cuPointerGetAttributes(unsigned n, int *attributes, void **values, CUdeviceptr at);

static void show(const char *what, CUdeviceptr at)
{
    unsigned type = 0, managed = 9;
    int device = 9;
    CUdeviceptr start, on_device;
    size_t bytes;
    CHECK(cuPointerGetAttribute(&type, 2, at));
    CHECK(cuPointerGetAttribute(&managed, 8, at));
    CHECK(cuPointerGetAttribute(&device, 9, at));
    CHECK(cuPointerGetAttribute(&on_device, 3, at));
    CHECK(cuPointerGetAttribute(&start, 11, at));
    CHECK(cuPointerGetAttribute(&bytes, 12, at));
    printf("%s: type %u, managed %u, device %d, %d bytes into %zu\n", what, type, managed, device,
           (int)(at - start), bytes);
    REQUIRE(on_device == at);
}

int main(void)
{
    begin();
    CUdeviceptr at = allocate(1000), base, managed;
    size_t bytes;
    void *pinned;
    int here = 0, type = 7;
    CHECK(cuMemGetAddressRange_v2(&base, &bytes, at + 10));
    REQUIRE(base == at && bytes == 1000);
    show("device", at + 10);
    CHECK(cuMemAllocHost_v2(&pinned, 4096));
    show("pinned", (CUdeviceptr)pinned);
    CHECK(cuMemAllocManaged(&managed, 4096, 1));
    show("managed", managed);
    CHECK_ERROR(cuPointerGetAttribute(&type, 2, (CUdeviceptr)&here), INVALID_VALUE);
    int attributes[] = {2, 3};
    CUdeviceptr device = 7;
    void *values[] = {&type, &device};
    CHECK(cuPointerGetAttributes(2, attributes, values, (CUdeviceptr)&here));
    printf("of the host: type %d, device pointer %llu\n", type, device);
}
