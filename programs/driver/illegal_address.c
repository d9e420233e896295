// A kernel that goes astray: the error shows when the program waits, and stays.
#include "driver.h"

int main(int argc, char **argv)
{
    begin();
    CUfunction astray = find(load(argv), "astray");
    CUdeviceptr at = 0x10, other = allocate(4);
    int back;
    void *arguments[] = {&at};
    CHECK(cuLaunchKernel(astray, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL));
    CHECK_ERROR(cuCtxSynchronize(), ILLEGAL_ADDRESS);
    CHECK_ERROR(cuMemcpyDtoH_v2(&back, other, 4), ILLEGAL_ADDRESS);
    CHECK_ERROR(cuMemAlloc_v2(&at, 4), ILLEGAL_ADDRESS);
    puts("the context is lost");
    return 3;
}
