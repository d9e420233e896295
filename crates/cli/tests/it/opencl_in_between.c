// Stands between a program and OpenCL's loader, whose file OPENCL_LOADER names:
// passes every call on, and changes one bit of what the read number WRONG_READ
// brings, from 1.

#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>

#define FUNCTIONS(EACH) \
    EACH(clGetPlatformIDs) EACH(clGetDeviceIDs) EACH(clGetDeviceInfo) EACH(clCreateContext) \
    EACH(clCreateCommandQueue) EACH(clCreateProgramWithSource) EACH(clBuildProgram) \
    EACH(clGetProgramBuildInfo) EACH(clCreateKernel) EACH(clSetKernelArg) EACH(clCreateBuffer) \
    EACH(clReleaseMemObject) EACH(clEnqueueWriteBuffer) EACH(clEnqueueNDRangeKernel) EACH(clFlush) \
    EACH(clGetEventInfo) EACH(clReleaseEvent)

// A jump keeps all arguments as they are.
#define JUMP(name) \
    static void *real_##name __attribute__((used)); \
    __asm__(".globl " #name "\n.type " #name ", @function\n" #name ": jmp *real_" #name "(%rip)\n");
FUNCTIONS(JUMP)

static int (*real_read)(void *, void *, unsigned, size_t, size_t, void *, unsigned, const void *, void *);

__attribute__((constructor)) static void open(void)
{
    void *loader = dlopen(getenv("OPENCL_LOADER"), RTLD_NOW);
    if (!loader) abort();
#define FIND(name) real_##name = dlsym(loader, #name);
    FUNCTIONS(FIND)
    real_read = dlsym(loader, "clEnqueueReadBuffer");
}

int clEnqueueReadBuffer(void *queue, void *buffer, unsigned wait, size_t offset, size_t bytes, void *to,
                        unsigned count, const void *list, void *event)
{
    static int reads;
    const char *wrong = getenv("WRONG_READ");
    int status = real_read(queue, buffer, wait, offset, bytes, to, count, list, event);
    if (++reads == (wrong ? atoi(wrong) : 0)) ((uint8_t *)to)[bytes / 2] ^= 0x20;
    return status;
}
