// Addresses set aside, memory mapped there, moved and grown.
#include "driver.h"

struct properties {
    int type, handles, location, device;
    void *metadata;
    char flags[8];
};
struct access {
    int location, device, flags;
};
CUresult cuMemGetAllocationGranularity(size_t *bytes, const struct properties *p, int option);
CUresult cuMemAddressReserve(CUdeviceptr *at, size_t bytes, size_t align, CUdeviceptr wish, unsigned long long flags);
CUresult cuMemAddressFree(CUdeviceptr at, size_t bytes);
CUresult cuMemCreate(CUhandle *memory, size_t bytes, const struct properties *p, unsigned long long flags);
CUresult cuMemRelease(CUhandle memory);
CUresult cuMemMap(CUdeviceptr at, size_t bytes, size_t offset, CUhandle memory, unsigned long long flags);
CUresult cuMemUnmap(CUdeviceptr at, size_t bytes);
CUresult cuMemSetAccess(CUdeviceptr at, size_t bytes, const struct access *list, size_t n);

int main(int argc, char **argv)
{
    begin();
    CUfunction scale = find(load(argv), "scale");
    struct properties p = {.type = 1, .location = 1};
    struct access access = {1, 0, 3};
    size_t page;
    CUdeviceptr at;
    CUhandle one, two;
    CHECK(cuMemGetAllocationGranularity(&page, &p, 0));
    printf("granules of %zu\n", page);
    CHECK(cuMemAddressReserve(&at, 2 * page, 0, 0, 0));
    REQUIRE(at % page == 0);
    CHECK_ERROR(cuMemCreate(&one, 100, &p, 0), INVALID_VALUE);
    CHECK(cuMemCreate(&one, page, &p, 0));
    CHECK(cuMemCreate(&two, page, &p, 0));
    CHECK(cuMemMap(at, page, 0, one, 0));
    CHECK_ERROR(cuMemMap(at, page, 0, two, 0), INVALID_VALUE);
    CHECK(cuMemMap(at + page, page, 0, two, 0));
    CHECK(cuMemSetAccess(at, 2 * page, &access, 1));
    // Across the border of the two.
    int in[4] = {1, 2, 3, 4}, out[4], n = 4, k = 10;
    CUdeviceptr middle = at + page - 8;
    CHECK(cuMemcpyHtoD_v2(middle, in, sizeof in));
    void *arguments[] = {&middle, &n, &k};
    CHECK(cuLaunchKernel(scale, 1, 1, 1, 4, 1, 1, 0, NULL, arguments, NULL));
    CHECK(cuMemcpyDtoH_v2(out, middle, sizeof out));
    printf("%d %d %d %d\n", out[0], out[1], out[2], out[3]);
    CHECK_ERROR(cuMemAddressFree(at, 2 * page), INVALID_VALUE);
    // The same memory the other way round keeps its contents.
    CHECK(cuMemUnmap(at, page));
    CHECK(cuMemUnmap(at + page, page));
    CHECK(cuMemMap(at, page, 0, two, 0));
    CHECK(cuMemMap(at + page, page, 0, one, 0));
    CHECK(cuMemSetAccess(at, 2 * page, &access, 1));
    CHECK(cuMemcpyDtoH_v2(out, at, 8));
    CHECK(cuMemcpyDtoH_v2(out + 2, at + 2 * page - 8, 8));
    printf("%d %d %d %d\n", out[0], out[1], out[2], out[3]);
    CHECK(cuMemRelease(one));
    CHECK(cuMemRelease(two));
    CHECK(cuMemUnmap(at, 2 * page));
    CHECK(cuMemAddressFree(at, 2 * page));
}
