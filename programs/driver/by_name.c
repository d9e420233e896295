// Not linked to the driver at all: opened at run time, and every function asked for by
// its name and a release.
#include <dlfcn.h>

#include "driver.h"

typedef CUresult (*Find)(const char *name, void **function, int version, unsigned long long flags, int *status);
static Find find_function;

static void *get(const char *name, int version)
{
    void *f = NULL;
    int status = -1;
    CHECK(find_function(name, &f, version, 0, &status));
    REQUIRE(f != NULL && status == 0);
    return f;
}

int main(int argc, char **argv)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    REQUIRE(library != NULL);
    find_function = (Find)dlsym(library, "cuGetProcAddress_v2");
    REQUIRE(find_function != NULL);
    REQUIRE(get("cuMemAlloc", 12000) == dlsym(library, "cuMemAlloc_v2"));
    REQUIRE(get("cuMemAlloc", 2000) == dlsym(library, "cuMemAlloc"));
    REQUIRE(get("cuGetProcAddress", 12000) == (void *)find_function);
    REQUIRE(get("cuGetProcAddress", 11030) == dlsym(library, "cuGetProcAddress"));
    REQUIRE(get("cuStreamGetCaptureInfo", 11080) == dlsym(library, "cuStreamGetCaptureInfo_v2"));
    void *f = &f;
    int status = -1;
    CUresult said = find_function("cuNoSuchFunction", &f, 12000, 0, &status);
    printf("unknown: %d, status %d, %s\n", said, status, f ? "something" : "nothing");
    said = find_function("cuLibraryLoadData", &f, 11080, 0, &status);
    printf("too new: %d, status %d, %s\n", said, status, f ? "something" : "nothing");
    CUresult (*init)(unsigned) = get("cuInit", 12000);
    CUresult (*retain)(CUcontext *, CUdevice) = get("cuDevicePrimaryCtxRetain", 12000);
    CUresult (*set)(CUcontext) = get("cuCtxSetCurrent", 12000);
    CUresult (*alloc)(CUdeviceptr *, size_t) = get("cuMemAlloc", 12000);
    CUresult (*up)(CUdeviceptr, const void *, size_t) = get("cuMemcpyHtoD", 12000);
    CUresult (*down)(void *, CUdeviceptr, size_t) = get("cuMemcpyDtoH", 12000);
    CUcontext context;
    CUdeviceptr at;
    char text[] = "through the device", back[sizeof text];
    CHECK(init(0));
    CHECK(retain(&context, 0));
    CHECK(set(context));
    CHECK(alloc(&at, sizeof text));
    CHECK(up(at, text, sizeof text));
    CHECK(down(back, at, sizeof text));
    puts(back);
}
