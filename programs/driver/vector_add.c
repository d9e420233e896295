// A module from a file, a launch with a pointer to each argument.
#include "driver.h"

int main(int argc, char **argv)
{
    enum { N = 1000 };
    static float a[N], b[N], c[N];
    begin();
    CUmodule module = load(argv);
    CUfunction add = find(module, "add");
    for (int i = 0; i < N; i++) {
        a[i] = i;
        b[i] = 2 * i + 0.5f;
    }
    CUdeviceptr da = allocate(sizeof a), db = allocate(sizeof b), dc = allocate(sizeof c);
    CHECK(cuMemcpyHtoD_v2(da, a, sizeof a));
    CHECK(cuMemcpyHtoD_v2(db, b, sizeof b));
    int n = N;
    void *arguments[] = {&da, &db, &dc, &n};
    CHECK(cuLaunchKernel(add, 4, 1, 1, 256, 1, 1, 0, NULL, arguments, NULL));
    CHECK(cuCtxSynchronize());
    CHECK(cuMemcpyDtoH_v2(c, dc, sizeof c));
    double sum = 0;
    for (int i = 0; i < N; i++) {
        REQUIRE(c[i] == a[i] + b[i]);
        sum += c[i];
    }
    CHECK(cuMemFree_v2(da));
    CHECK(cuMemFree_v2(db));
    CHECK(cuMemFree_v2(dc));
    CHECK(cuModuleUnload(module));
    CHECK(cuDevicePrimaryCtxRelease_v2(0));
    printf("sum %.1f\n", sum);
}
