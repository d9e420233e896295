// Kernels as PTX text, which is compiled when the module is loaded; a text that is wrong,
// with what the compiler says of it.
#include "driver.h"

static const char *text =
    ".version 6.0\n.target sm_35\n.address_size 64\n"
    ".visible .entry square(.param .u64 out, .param .u32 n) {\n"
    "  .reg .u64 %a<3>; .reg .u32 %r<4>; .reg .pred %p;\n"
    "  mov.u32 %r1, %tid.x;\n"
    "  ld.param.u32 %r2, [n];\n"
    "  setp.ge.u32 %p, %r1, %r2;\n"
    "  @%p ret;\n"
    "  ld.param.u64 %a1, [out];\n"
    "  mul.wide.u32 %a2, %r1, 4;\n"
    "  add.u64 %a1, %a1, %a2;\n"
    "  mul.lo.u32 %r3, %r1, %r1;\n"
    "  st.global.u32 [%a1], %r3;\n"
    "  ret;\n"
    "}\n";

int main(void)
{
    begin();
    CUmodule module;
    CHECK(cuModuleLoadData(&module, text));
    CUfunction square = find(module, "square");
    unsigned out[10], n = 10;
    CUdeviceptr at = allocate(sizeof out);
    void *arguments[] = {&at, &n};
    CHECK(cuLaunchKernel(square, 1, 1, 1, 32, 1, 1, 0, NULL, arguments, NULL));
    CHECK(cuMemcpyDtoH_v2(out, at, sizeof out));
    for (unsigned i = 0; i < n; i++)
        printf("%u ", out[i]);
    puts("");
    char log[512] = "";
    int options[] = {5, 6};
    void *values[] = {log, (void *)sizeof log};
    CHECK_ERROR(cuModuleLoadDataEx(&module, ".version 6.0\nrubbish\n", 2, options, values), 218);
    REQUIRE(log[0] != 0);
}
