// A driver for tests: one GPU of 12 SMs that executes nothing but marks. Groups
// of two SMs come in an order of their own, as on real chips.

#define _GNU_SOURCE // dlvsym
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int Code;
typedef struct { uint32_t kind; uint32_t mask; uint8_t inside[88]; uint32_t sms; uint8_t rest[44]; } Resource;
typedef struct { uint32_t mask; int green; } Context;

#define SMS 12
#define ALL ((1u << SMS) - 1)
#define OK 0
#define INVALID 1
#define NOT_FOUND 500
#define NOT_SUPPORTED 801

static Context primary = {ALL, 0};
static __thread Context *stack[16];
static __thread int depth;
static int active;
static const int order[] = {4, 0, 5, 2, 1, 3};

static int is(const char *variable, const char *value)
{
    const char *set = getenv(variable);
    return set && strcmp(set, value) == 0;
}
#define CALLED(name) do { \
    const char *file_ = getenv("FAKE_CALLS"); \
    FILE *f_ = file_ ? fopen(file_, "a") : NULL; \
    if (f_) { fprintf(f_, "%s\n", name); fclose(f_); } \
    if (is("FAKE_REFUSES", name)) return NOT_SUPPORTED; } while (0)

Code cuInit(unsigned flags) { return OK; }
Code cuDriverGetVersion(int *version) { *version = 13000; return OK; }
Code cuDeviceGet(int *device, int ordinal) { *device = ordinal; return ordinal ? 101 : OK; }
Code cuDeviceGetUuid(uint8_t *bytes, int device) { for (int i = 0; i < 16; i++) bytes[i] = i; return OK; }
Code cuGetErrorName(Code code, const char **text) { *text = code == NOT_SUPPORTED ? "CUDA_ERROR_NOT_SUPPORTED" : "CUDA_ERROR"; return OK; }
Code cuGetErrorString(Code code, const char **text) { *text = "operation not supported"; return OK; }

Code cuDevicePrimaryCtxRetain(void **context, int device) { CALLED("cuDevicePrimaryCtxRetain"); active++; *context = &primary; return OK; }
Code cuDevicePrimaryCtxReset_v2(int device) { CALLED("cuDevicePrimaryCtxReset"); return OK; }
Code cuCtxSetCurrent(void *context)
{
    CALLED("cuCtxSetCurrent");
    if (!depth) depth = 1;
    stack[depth - 1] = context;
    if (!context) depth--;
    return OK;
}
Code cuCtxGetCurrent(void **context) { *context = depth ? stack[depth - 1] : NULL; return OK; }
Code cuCtxGetDevice(int *device) { if (!depth || (stack[depth - 1] == &primary && !active)) return 201; *device = 0; return OK; }
Code cuCtxPushCurrent_v2(void *context) { CALLED("cuCtxPushCurrent"); stack[depth++] = context; return OK; }
Code cuCtxPopCurrent_v2(void **context) { if (!depth) return 201; *context = stack[--depth]; return OK; }
Code cuCtxCreate_v2(void **context, unsigned flags, int device)
{
    CALLED("cuCtxCreate");
    Context *made = malloc(sizeof *made);
    *made = (Context){ALL, 0};
    *context = stack[depth++] = made;
    return OK;
}
Code cuCtxCreate_v3(void **context, void *parameters, int count, unsigned flags, int device) { return cuCtxCreate_v2(context, flags, device); }
Code cuCtxCreate_v4(void **context, void *parameters, unsigned flags, int device) { return cuCtxCreate_v2(context, flags, device); }
Code cuCtxDestroy_v2(void *context) { CALLED("cuCtxDestroy"); if (((Context *)context)->green) return INVALID; free(context); return OK; }
Code cuCtxSynchronize(void) { return OK; }

#ifndef OLD
Code cuDeviceGetDevResource(int device, Resource *all, unsigned kind)
{
    memset(all, 0, sizeof *all);
    *all = (Resource){.kind = 1, .mask = ALL, .sms = SMS};
    return OK;
}
Code cuDevSmResourceSplitByCount(Resource *groups, unsigned *count, const Resource *all, Resource *rest, unsigned flags, unsigned minimum)
{
    CALLED("cuDevSmResourceSplitByCount");
    if (flags && getenv("FAKE_NO_FLAGS")) return INVALID;
    // Without flags two pairs at once, and one pair of them left over when asked for.
    const int pairs = flags ? 1 : 2;
    const int possible = 6 / pairs - (flags ? 0 : 1);
    if (!groups) { *count = possible; return OK; }
    if ((int)*count > possible) *count = possible;
    for (int i = 0; i < (int)*count; i++) {
        groups[i] = (Resource){.kind = 1, .sms = 2 * pairs};
        for (int k = 0; k < pairs; k++) groups[i].mask |= 3u << 2 * order[pairs * i + k];
    }
    *rest = (Resource){.kind = 1};
    for (int i = pairs * *count; i < 6; i++) { rest->mask |= 3u << 2 * order[i]; rest->sms += 2; }
    return OK;
}
Code cuDevResourceGenerateDesc(void **made, Resource *groups, unsigned count)
{
    uint32_t *mask = calloc(1, sizeof *mask);
    for (unsigned i = 0; i < count; i++) *mask |= groups[i].mask;
    *made = mask;
    return OK;
}
Code cuGreenCtxCreate(void **context, void *resources, int device, unsigned flags)
{
    CALLED("cuGreenCtxCreate");
    if (flags != 1) return INVALID;
    Context *made = malloc(sizeof *made);
    *made = (Context){*(uint32_t *)resources, 1};
    if (getenv("FAKE_LEAKS") && __builtin_popcount(made->mask) == SMS - 2) made->mask ^= 0x41;
    *context = made;
    return OK;
}
Code cuGreenCtxDestroy(void *context) { CALLED("cuGreenCtxDestroy"); free(context); return OK; }
Code cuCtxFromGreenCtx(void **context, void *green) { *context = green; return OK; }
#endif

Code cuModuleLoadData(void **module, const void *image) { *module = (void *)image; return image && *(const char *)image ? OK : 200; }
Code cuModuleUnload(void *module) { return OK; }
// The only kernel that there is, under any name.
Code cuModuleGetFunction(void **kernel, void *module, const char *name) { *kernel = module; return OK; }
Code cuMemAlloc_v2(uint64_t *at, size_t bytes) { *at = (uint64_t)malloc(bytes); return OK; }
Code cuMemFree_v2(uint64_t at) { free((void *)at); return OK; }
Code cuMemsetD8_v2(uint64_t at, uint8_t value, size_t bytes) { memset((void *)at, value, bytes); return OK; }
Code cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes) { memcpy(to, (void *)from, bytes); return OK; }
Code cuLaunchKernel(void *kernel, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared, void *stream, void **arguments, void **extra)
{
    CALLED("cuLaunchKernel");
    if (!depth) return 201;
    **(uint32_t **)arguments[0] |= stack[depth - 1]->mask;
    return OK;
}


static Code found(const char *name, void **function, int version)
{
    static const char *const second[] = {"cuCtxPushCurrent", "cuCtxPopCurrent", "cuCtxCreate", "cuCtxDestroy", "cuDevicePrimaryCtxReset", "cuMemAlloc", "cuMemFree", "cuMemsetD8", "cuMemcpyDtoH"};
    char full[64];
    snprintf(full, sizeof full, "%s", name);
    for (unsigned i = 0; i < sizeof second / sizeof *second; i++)
        if (strcmp(name, second[i]) == 0) snprintf(full, sizeof full, "%s_v2", name);
    if (strcmp(name, "cuCtxCreate") == 0 && version >= 11040) snprintf(full, sizeof full, "%s_v%d", name, version >= 12050 ? 4 : 3);
    // Within this library, whoever stands before it in the process.
    void *self = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    *function = self ? dlvsym(self, full, "FAKE_1") : NULL;
    return *function ? OK : NOT_FOUND;
}
Code cuGetProcAddress(const char *name, void **function, int version, uint64_t flags) { CALLED("cuGetProcAddress"); return found(name, function, version); }
Code cuGetProcAddress_v2(const char *name, void **function, int version, uint64_t flags, int *status)
{
    CALLED("cuGetProcAddress_v2");
    Code code = found(name, function, version);
    if (status) *status = code == OK ? 0 : 1;
    return code;
}
