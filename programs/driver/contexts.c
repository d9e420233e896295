// A thread's stack of contexts, the primary one and others.
#include "driver.h"

int main(void)
{
    CUcontext primary, again, mine, now;
    CUdevice device = 9;
    unsigned flags;
    int active;
    CHECK(cuInit(0));
    CHECK(cuCtxGetCurrent(&now));
    REQUIRE(now == NULL);
    CHECK_ERROR(cuCtxGetDevice(&device), INVALID_CONTEXT);
    CHECK_ERROR(cuCtxSynchronize(), INVALID_CONTEXT);
    CHECK(cuDevicePrimaryCtxGetState(0, &flags, &active));
    printf("primary active %d\n", active);
    CHECK(cuDevicePrimaryCtxRetain(&primary, 0));
    CHECK(cuDevicePrimaryCtxRetain(&again, 0));
    REQUIRE(primary == again);
    CHECK(cuDevicePrimaryCtxGetState(0, &flags, &active));
    printf("primary active %d\n", active);
    CHECK(cuCtxGetCurrent(&now));
    REQUIRE(now == NULL);
    CHECK(cuCtxPushCurrent_v2(primary));
    CHECK(cuCtxGetDevice(&device));
    REQUIRE(device == 0);
    CHECK(cuCtxCreate_v2(&mine, 0, 0));
    CHECK(cuCtxGetCurrent(&now));
    REQUIRE(now == mine && mine != primary);
    CHECK(cuCtxPopCurrent_v2(&now));
    REQUIRE(now == mine);
    CHECK(cuCtxGetCurrent(&now));
    REQUIRE(now == primary);
    CHECK(cuCtxSetCurrent(mine));
    CHECK(cuCtxDestroy_v2(mine));
    CHECK(cuCtxGetCurrent(&now));
    REQUIRE(now == NULL);
    CHECK_ERROR(cuMemAlloc_v2((CUdeviceptr *)&now, 4), INVALID_CONTEXT);
    CHECK(cuCtxSetCurrent(primary));
    CUdeviceptr at = allocate(4);
    CHECK(cuMemFree_v2(at));
    CHECK(cuCtxSetCurrent(NULL));
    CHECK_ERROR(cuCtxPopCurrent_v2(&now), INVALID_CONTEXT);
    CHECK(cuDevicePrimaryCtxRelease_v2(0));
    CHECK(cuDevicePrimaryCtxRelease_v2(0));
    CHECK_ERROR(cuDevicePrimaryCtxRelease_v2(0), INVALID_CONTEXT);
    CHECK(cuDevicePrimaryCtxGetState(0, &flags, &active));
    printf("primary active %d\n", active);
}
