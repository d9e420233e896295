// A CUDA program that tells on which SMs its work ran. Its first argument is
// the way it reaches the driver, its second the way it gets a context.

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int Code;
typedef Code (*Function)();

#ifdef LINKED
extern Code cuInit(), cuDeviceGet(), cuDevicePrimaryCtxRetain(), cuDevicePrimaryCtxReset_v2(), cuCtxSetCurrent(), cuCtxGetCurrent(),
    cuCtxPushCurrent_v2(), cuCtxPopCurrent_v2(), cuCtxCreate_v2(), cuCtxDestroy_v2(), cuMemAlloc_v2(), cuMemsetD8_v2(), cuMemcpyDtoH_v2(),
    cuModuleLoadData(), cuModuleGetFunction(), cuLaunchKernel(), cuGreenCtxCreate();
static const struct { const char *name; Function function; } linked[] = {
    {"cuInit", cuInit}, {"cuDeviceGet", cuDeviceGet}, {"cuDevicePrimaryCtxRetain", cuDevicePrimaryCtxRetain},
    {"cuDevicePrimaryCtxReset", cuDevicePrimaryCtxReset_v2},
    {"cuCtxSetCurrent", cuCtxSetCurrent}, {"cuCtxGetCurrent", cuCtxGetCurrent}, {"cuCtxPushCurrent", cuCtxPushCurrent_v2},
    {"cuCtxPopCurrent", cuCtxPopCurrent_v2}, {"cuCtxCreate", cuCtxCreate_v2}, {"cuCtxDestroy", cuCtxDestroy_v2},
    {"cuMemAlloc", cuMemAlloc_v2}, {"cuMemsetD8", cuMemsetD8_v2}, {"cuMemcpyDtoH", cuMemcpyDtoH_v2},
    {"cuModuleLoadData", cuModuleLoadData}, {"cuModuleGetFunction", cuModuleGetFunction}, {"cuLaunchKernel", cuLaunchKernel},
    {"cuGreenCtxCreate", cuGreenCtxCreate},
};
#endif

static const char *way;
// The version that a context's creation is asked for with, if any.
static int create;

static Function get(const char *name)
{
#ifdef LINKED
    for (unsigned i = 0; i < sizeof linked / sizeof *linked; i++)
        if (strcmp(linked[i].name, name) == 0) return linked[i].function;
    exit(99);
#else
    void *driver = dlopen("libcuda.so.1", RTLD_NOW);
    if (!driver) exit(98);
    Function function = NULL;
    if (strcmp(way, "dlsym") == 0) {
        char second[64];
        snprintf(second, sizeof second, "%s_v2", name);
        function = (Function)dlsym(driver, second);
        if (!function) function = (Function)dlsym(driver, name);
    } else if (strcmp(way, "first") == 0) {
        Function ask = (Function)dlsym(driver, "cuGetProcAddress");
        ask(name, &function, 11030, (uint64_t)0);
    } else {
        // As NVIDIA's runtime of CUDA 12 and 13: even this one is asked for again.
        Function ask = (Function)dlsym(driver, "cuGetProcAddress_v2");
        ask("cuGetProcAddress", &ask, 12000, (uint64_t)0, NULL);
        if (strcmp(way, "second") == 0) ask = (Function)dlsym(driver, "cuGetProcAddress_v2");
        ask(name, &function, create ? create : 12000, (uint64_t)0, NULL);
    }
    if (!function) exit(97);
    return function;
#endif
}

static void work(void)
{
    uint64_t marks;
    uint32_t mask = 0;
    void *module, *kernel, *arguments[] = {&marks};
    get("cuModuleLoadData")(&module, "work");
    get("cuModuleGetFunction")(&kernel, module, "work");
    get("cuMemAlloc")(&marks, (size_t)64);
    get("cuMemsetD8")(marks, 0, (size_t)64);
    if (get("cuLaunchKernel")(kernel, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL)) exit(96);
    get("cuMemcpyDtoH")(&mask, marks, (size_t)4);
    for (int sm = 0; sm < 32; sm++)
        if (mask >> sm & 1) printf("%d ", sm);
    printf("\n");
}

int main(int count, char **words)
{
    way = words[1];
    const char *context = words[2];
    int device;
    void *made = NULL, *popped;
    get("cuInit")(0);
    if (get("cuDeviceGet")(&device, 0)) return 95;
    if (strcmp(context, "primary") == 0) {
        get("cuDevicePrimaryCtxRetain")(&made, device);
        get("cuCtxSetCurrent")(made);
        work();
    } else if (strcmp(context, "runtime") == 0) {
        // Current before it is active.
        get("cuDevicePrimaryCtxRetain")(&made, device);
        get("cuCtxSetCurrent")(NULL);
        get("cuCtxSetCurrent")(made);
        get("cuDevicePrimaryCtxRetain")(&made, device);
        work();
    } else if (strcmp(context, "push") == 0) {
        get("cuDevicePrimaryCtxRetain")(&made, device);
        get("cuCtxPushCurrent")(made);
        work();
        get("cuCtxPopCurrent")(&popped);
    } else if (strncmp(context, "create", 6) == 0) {
        create = context[6] ? atoi(context + 6) : 4000;
        Function function = get("cuCtxCreate");
        Code code = create >= 12050 ? function(&made, NULL, 0, device)
                  : create >= 11040 ? function(&made, NULL, 0, 0, device)
                                    : function(&made, 0, device);
        create = 0;
        if (code) return 94;
        work();
        if (get("cuCtxDestroy")(made)) return 93;
        get("cuCtxGetCurrent")(&popped);
        if (popped) return 92;
    } else if (strcmp(context, "reset") == 0) {
        for (int i = 0; i < 2; i++) {
            get("cuDevicePrimaryCtxRetain")(&made, device);
            get("cuCtxSetCurrent")(made);
            work();
            get("cuDevicePrimaryCtxReset")(device);
        }
    } else if (strcmp(context, "green") == 0) {
        get("cuGreenCtxCreate")(&made, NULL, device, 1);
    }
    return 7;
}
