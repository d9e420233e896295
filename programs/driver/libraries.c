// Libraries and kernels, CUDA 12's form of modules and functions.
#include "driver.h"

typedef struct library *CUlibrary;
typedef struct kernel *CUkernel;
CUresult cuLibraryLoadData(CUlibrary *library, const void *image, int *options, void **values, unsigned n,
                           int *library_options, void **library_values, unsigned library_n);
CUresult cuLibraryUnload(CUlibrary library);
CUresult cuLibraryGetKernel(CUkernel *kernel, CUlibrary library, const char *name);
CUresult cuLibraryGetModule(CUmodule *module, CUlibrary library);
CUresult cuLibraryGetGlobal(CUdeviceptr *at, size_t *bytes, CUlibrary library, const char *name);
CUresult cuKernelGetFunction(CUfunction *function, CUkernel kernel);
CUresult cuKernelGetAttribute(int *value, int attribute, CUkernel kernel, CUdevice device);

int main(int argc, char **argv)
{
    size_t bytes, size;
    CUlibrary library;
    CUkernel kernel;
    CUmodule module;
    CUfunction function;
    CUdeviceptr at, same;
    // Libraries are no context's; their modules and functions are.
    CHECK(cuInit(0));
    CHECK(cuLibraryLoadData(&library, read_file(argv[1], &bytes), NULL, NULL, 0, NULL, NULL, 0));
    CHECK_ERROR(cuLibraryGetKernel(&kernel, library, "no_such_kernel"), NOT_FOUND);
    CHECK(cuLibraryGetKernel(&kernel, library, "count"));
    int n = 4, counter, threads;
    CHECK(cuKernelGetAttribute(&threads, 0, kernel, 0));
    CHECK_ERROR(cuKernelGetFunction(&function, kernel), INVALID_CONTEXT);
    CHECK_ERROR(cuLibraryGetModule(&module, library), INVALID_CONTEXT);
    begin();
    CHECK(cuKernelGetFunction(&function, kernel));
    CHECK(cuLibraryGetModule(&module, library));
    CHECK(cuLibraryGetGlobal(&at, &size, library, "counter"));
    CHECK(cuModuleGetGlobal_v2(&same, NULL, module, "counter"));
    REQUIRE(at == same && size == sizeof(int));
    void *arguments[] = {&n};
    CHECK(cuLaunchKernel((CUfunction)kernel, 1, 1, 1, 32, 1, 1, 0, NULL, arguments, NULL));
    CHECK(cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, NULL, arguments, NULL));
    CHECK(cuMemcpyDtoH_v2(&counter, at, sizeof counter));
    printf("blocks of %d, counter %d\n", threads, counter);
    CHECK(cuLibraryUnload(library));
}
