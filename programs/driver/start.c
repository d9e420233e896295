// How a program begins: nothing works before cuInit, then there is one device.
#include "driver.h"

int main(void)
{
    int count = -1, version = 0, major = 0, warp = 0;
    CHECK_ERROR(cuDeviceGetCount(&count), NOT_INITIALIZED);
    CHECK(cuDriverGetVersion(&version));
    REQUIRE(version >= 11080);
    CHECK_ERROR(cuInit(1), INVALID_VALUE);
    CHECK(cuInit(0));
    CHECK(cuInit(0));
    CHECK(cuDeviceGetCount(&count));
    CUdevice device = -1;
    CHECK(cuDeviceGet(&device, 0));
    CHECK_ERROR(cuDeviceGet(&device, count), INVALID_DEVICE);
    char name[64];
    size_t bytes;
    CHECK(cuDeviceGetName(name, sizeof name, 0));
    REQUIRE(name[0] != 0);
    CHECK(cuDeviceTotalMem_v2(&bytes, 0));
    REQUIRE(bytes > 1 << 20);
    CHECK(cuDeviceGetAttribute(&major, 75, 0));
    CHECK(cuDeviceGetAttribute(&warp, 10, 0));
    REQUIRE(major >= 3);
    CHECK_ERROR(cuDeviceGetAttribute(&warp, 0, 0), INVALID_VALUE);
    void *p;
    CHECK_ERROR(cuMemAlloc_v2((CUdeviceptr *)&p, 4), INVALID_CONTEXT);
    printf("devices %d, warps of %d\n", count, warp);
    int errors[] = {0, 1, 2, 3, 100, 101, 200, 201, 209, 301, 400, 500, 600, 700, 719, 801, 999};
    for (unsigned i = 0; i < sizeof errors / sizeof *errors; i++) {
        const char *is, *says;
        CHECK(cuGetErrorName(errors[i], &is));
        CHECK(cuGetErrorString(errors[i], &says));
        printf("%d %s: %s\n", errors[i], is, says);
    }
    const char *none = "";
    CHECK_ERROR(cuGetErrorName(12345, &none), INVALID_VALUE);
    REQUIRE(none == NULL);
}
