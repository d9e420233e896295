// Code that is linked while the program runs: PTX with PTX, with machine code from memory and
// from a file; what does not fit together, and what is asked for in the wrong order.
#include "driver.h"

typedef struct link *CUlink;

CUresult cuLinkCreate_v2(unsigned n, int *options, void **values, CUlink *link);
CUresult cuLinkAddData_v2(CUlink link, int kind, const void *data, size_t bytes, const char *name,
                          unsigned n, int *options, void **values);
CUresult cuLinkAddFile_v2(CUlink link, int kind, const char *path, unsigned n, int *options,
                          void **values);
CUresult cuLinkComplete(CUlink link, void **code, size_t *bytes);
CUresult cuLinkDestroy(CUlink link);

enum { CUBIN, PTX, FATBIN, NO_BINARY = 209, INVALID_PTX = 218, INVALID_SOURCE = 300 };

#define HEAD ".version 6.0\n.target sm_35\n.address_size 64\n"

static const char *caller =
    HEAD ".extern .func (.param .u32 result) triple(.param .u32 x);\n"
    ".extern .global .u32 base;\n"
    ".visible .entry apply(.param .u64 out) {\n"
    "  .reg .u64 %a<3>; .reg .u32 %r<4>;\n"
    "  .param .u32 given; .param .u32 result;\n"
    "  mov.u32 %r1, %tid.x;\n"
    "  st.param.u32 [given], %r1;\n"
    "  call.uni (result), triple, (given);\n"
    "  ld.param.u32 %r2, [result];\n"
    "  ld.global.u32 %r3, [base];\n"
    "  add.u32 %r2, %r2, %r3;\n"
    "  ld.param.u64 %a1, [out];\n"
    "  mul.wide.u32 %a2, %r1, 4;\n"
    "  add.u64 %a1, %a1, %a2;\n"
    "  st.global.u32 [%a1], %r2;\n"
    "  ret;\n"
    "}\n";
static const char *called =
    HEAD ".visible .global .u32 base = 1000;\n"
    ".visible .func (.param .u32 result) triple(.param .u32 x) {\n"
    "  .reg .u32 %r<3>;\n"
    "  ld.param.u32 %r1, [x];\n"
    "  mul.lo.u32 %r2, %r1, 3;\n"
    "  st.param.u32 [result], %r2;\n"
    "  ret;\n"
    "}\n";

static char errors[2000];

static CUlink create(void)
{
    int options[] = {5, 6};
    static void *values[2];
    values[0] = errors;
    values[1] = (void *)sizeof errors;
    CUlink link;
    CHECK(cuLinkCreate_v2(2, options, values, &link));
    return link;
}

static CUresult add(CUlink link, int kind, const void *data, size_t bytes)
{
    return cuLinkAddData_v2(link, kind, data, bytes, "a piece", 0, NULL, NULL);
}

static void add_text(CUlink link, const char *text)
{
    CHECK(add(link, PTX, text, strlen(text) + 1));
}

// Links, runs what was linked, and tries what comes too late.
static void run(CUlink link)
{
    void *code;
    size_t bytes;
    CHECK(cuLinkComplete(link, &code, &bytes));
    REQUIRE(bytes > 0);
    CUmodule module;
    CHECK(cuModuleLoadData(&module, code));
    unsigned out[6];
    CUdeviceptr at = allocate(sizeof out), base;
    void *arguments[] = {&at};
    CHECK(cuLaunchKernel(find(module, "apply"), 1, 1, 1, 6, 1, 1, 0, NULL, arguments, NULL));
    CHECK(cuMemcpyDtoH_v2(out, at, sizeof out));
    for (int i = 0; i < 6; i++)
        printf("%u ", out[i]);
    CHECK(cuModuleGetGlobal_v2(&base, &bytes, module, "base"));
    printf("and a variable of %zu bytes\n", bytes);
    CHECK_ERROR(cuLinkComplete(link, &code, &bytes), INVALID_HANDLE);
    CHECK_ERROR(add(link, PTX, called, strlen(called) + 1), INVALID_VALUE);
    CHECK(cuLinkDestroy(link));
}

int main(int argc, char **argv)
{
    CUlink link;
    void *code;
    size_t bytes;
    CHECK_ERROR(cuLinkCreate_v2(0, NULL, NULL, &link), NOT_INITIALIZED);
    CHECK(cuInit(0));
    CHECK_ERROR(cuLinkCreate_v2(0, NULL, NULL, &link), INVALID_CONTEXT);
    begin();
    CHECK_ERROR(cuLinkCreate_v2(0, NULL, NULL, NULL), INVALID_VALUE);

    link = create();
    add_text(link, caller);
    add_text(link, called);
    run(link);

    // A function and a variable as machine code, beside the kernels that the program is told of.
    char path[4096];
    snprintf(path, sizeof path, "%.*s/parts.fatbin", (int)(strrchr(argv[1], '/') - argv[1]), argv[1]);
    char *parts = read_file(path, &bytes);
    link = create();
    CHECK(add(link, FATBIN, parts, bytes));
    add_text(link, caller);
    run(link);
    link = create();
    CHECK(cuLinkAddFile_v2(link, FATBIN, path, 0, NULL, NULL));
    CHECK_ERROR(cuLinkAddFile_v2(link, PTX, "/no/such/file.ptx", 0, NULL, NULL), FILE_NOT_FOUND);
    CHECK_ERROR(add(link, PTX, NULL, 10), INVALID_VALUE);
    CHECK_ERROR(add(link, 9, caller, strlen(caller)), INVALID_VALUE);
    CHECK(add(link, PTX, caller, strlen(caller)));
    run(link);

    // A name that is nowhere.
    link = create();
    add_text(link, caller);
    CHECK_ERROR(cuLinkComplete(link, &code, &bytes), INVALID_SOURCE);
    REQUIRE(strstr(errors, "triple") != NULL);
    CHECK(cuLinkDestroy(link));
    // Code that was linked before.
    char *kernels = read_file(argv[1], &bytes);
    link = create();
    CHECK_ERROR(add(link, FATBIN, kernels, bytes), NO_BINARY);
    CHECK_ERROR(add(link, PTX, called, strlen(called)), NO_BINARY);
    CHECK_ERROR(cuLinkComplete(link, &code, &bytes), NO_BINARY);
    CHECK(cuLinkDestroy(link));
    puts("what does not fit is refused");
}
