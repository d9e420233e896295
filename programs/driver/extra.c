// Arguments in one piece, laid out by the program, and what is wrong with them.
#include "driver.h"

struct arguments {
    char a;
    double b;
    short c;
    CUdeviceptr out;
    int d;
};

int main(int argc, char **argv)
{
    begin();
    CUfunction mixed = find(load(argv), "mixed");
    double out[4];
    CUdeviceptr at = allocate(sizeof out);
    struct arguments all = {1, 0.5, -3, at, 100};
    // Without what fills up the last word: more than the kernel takes is refused.
    size_t size = offsetof(struct arguments, d) + sizeof all.d;
    void *extra[] = {(void *)1, &all, (void *)2, &size, (void *)0};
    CHECK(cuLaunchKernel(mixed, 1, 1, 1, 4, 1, 1, 0, NULL, NULL, extra));
    CHECK(cuMemcpyDtoH_v2(out, at, sizeof out));
    for (int i = 0; i < 4; i++)
        printf("%.1f\n", out[i]);
    size++;
    CHECK_ERROR(cuLaunchKernel(mixed, 1, 1, 1, 4, 1, 1, 0, NULL, NULL, extra), OUT_OF_RESOURCES);
    // The same one by one.
    void *each[] = {&all.a, &all.b, &all.c, &all.out, &all.d};
    all.d = 200;
    CHECK(cuLaunchKernel(mixed, 1, 1, 1, 4, 1, 1, 0, NULL, each, NULL));
    CHECK(cuMemcpyDtoH_v2(out, at, sizeof out));
    printf("%.1f\n", out[3]);
    CHECK_ERROR(cuLaunchKernel(mixed, 1, 1, 1, 4, 1, 1, 0, NULL, each, extra), INVALID_VALUE);
}
