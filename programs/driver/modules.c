// Code from memory in all forms, its variables, and what is not there.
#include "driver.h"

int main(int argc, char **argv)
{
    begin();
    size_t bytes, size;
    char *image = read_file(argv[1], &bytes);
    CUmodule module, second;
    CUfunction f, g;
    CUdeviceptr at, other;
    CHECK_ERROR(cuModuleLoad(&module, "no-such-file"), FILE_NOT_FOUND);
    CHECK(cuModuleLoadData(&module, image));
    CHECK(cuModuleLoadFatBinary(&second, image));
    CHECK(cuModuleGetFunction(&f, module, "count"));
    CHECK(cuModuleGetFunction(&g, module, "count"));
    REQUIRE(f == g);
    CHECK(cuModuleGetFunction(&g, second, "count"));
    REQUIRE(f != g);
    CHECK_ERROR(cuModuleGetFunction(&g, module, "no_such_kernel"), NOT_FOUND);
    REQUIRE(g == NULL);
    CHECK(cuModuleGetFunction(&g, second, "count"));
    CHECK_ERROR(cuModuleGetGlobal_v2(&at, &size, module, "no_such_variable"), NOT_FOUND);
    CHECK(cuModuleGetGlobal_v2(&at, &size, module, "counter"));
    CHECK(cuModuleGetGlobal_v2(&other, NULL, second, "counter"));
    REQUIRE(at != other && size == sizeof(int));
    int n = 8, counter = 0;
    void *arguments[] = {&n};
    CHECK(cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, NULL, arguments, NULL));
    CHECK(cuMemcpyDtoH_v2(&counter, at, sizeof counter));
    printf("counter %d\n", counter);
    CHECK(cuMemcpyDtoH_v2(&counter, other, sizeof counter));
    printf("the other module's %d\n", counter);
    int factors[4] = {10, 20, 30, 40};
    CHECK(cuModuleGetGlobal_v2(&at, &size, module, "factors"));
    REQUIRE(size == sizeof factors);
    CHECK(cuMemcpyHtoD_v2(at, factors, sizeof factors));
    CHECK(cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, NULL, arguments, NULL));
    CHECK(cuModuleGetGlobal_v2(&at, NULL, module, "counter"));
    CHECK(cuMemcpyDtoH_v2(&counter, at, sizeof counter));
    printf("counter %d\n", counter);
    char log[256] = "unset";
    int options[] = {5, 6};
    void *values[] = {log, (void *)sizeof log};
    CHECK(cuModuleLoadDataEx(&second, image, 2, options, values));
    CHECK_ERROR(cuModuleLoadData(&second, "no code of any kind"), INVALID_IMAGE);
    CHECK(cuModuleUnload(module));
    CHECK(cuLaunchKernel(g, 1, 1, 1, 32, 1, 1, 0, NULL, arguments, NULL));
    CHECK(cuCtxSynchronize());
}
