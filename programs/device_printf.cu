// Covers: printf on the device: every conversion, widths and precisions, many
// arguments, strings, long lines, order of lines within a thread, output of
// several launches, its return value (the number of arguments).
// Output: the lines themselves, then "ok".
#include "check.h"

__global__ void formats(const char *text)
{
    printf("plain line\n");
    printf("int %d %i, unsigned %u, octal %o, hex %x %X\n", -42, 7, 3000000000u, 64, 255, 0xbeef);
    printf("wide [%6d] [%-6d] [%06d] [%+d] [% d]\n", 42, 42, 42, 42, 42);
    printf("alternate %#x %#o\n", 255, 8);
    printf("char %c%c%c percent %%\n", 'a', 'b', 'c');
    printf("short %hd long %ld %lld %llu\n", short(-5), -7L, 1LL << 40, 18446744073709551615ull);
    printf("hex long %llx %lx\n", 0x123456789abcdefull, 0xfedcba98ul);
    printf("double %f %.3f %10.2f %-10.1f|\n", 3.25, 2.0 / 3.0, -1.5, 99.95);
    printf("exponent %e %.2E general %g %g %G\n", 12345.678, 0.00012, 0.0001, 1e10, 1e-10);
    printf("float promoted %f, hexadecimal %a\n", 0.5f, 1.0);
    printf("special %f %f %f\n", 1.0 / 0.0, -1.0 / 0.0, -0.0);
    printf("string [%s] [%10s] [%-10s] [%.3s]\n", text, "right", "left", "truncated");
    printf("star [%*d]\n", 8, 1234);
    printf("many %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d\n", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
           16);
    int wrote = printf("no newline, ");
    printf("%d argument%s\n", 1, "");
    int arguments = printf("three %d %d %d\n", 1, 2, 3);
    printf("returns %d %d\n", wrote, arguments);
}

__global__ void by_thread(int launch)
{
    // One thread only: the order between threads is nobody's promise.
    if (blockIdx.x == gridDim.x - 1 && threadIdx.x == blockDim.x - 1) {
        printf("launch %d block (%d,%d,%d) thread (%d,%d,%d)\n", launch, blockIdx.x, blockIdx.y, blockIdx.z,
               threadIdx.x, threadIdx.y, threadIdx.z);
    }
}

// All threads print, the host cannot know in which order, so each line is the
// same.
__global__ void all()
{
    printf("the same from everybody\n");
}

int main()
{
    const char text[] = "from the host";
    char *on_device;
    CHECK(cudaMalloc(&on_device, sizeof text));
    CHECK(cudaMemcpy(on_device, text, sizeof text, cudaMemcpyHostToDevice));
    // The host's own lines must come before and after the device's.
    printf("host: before\n");
    fflush(stdout);
    formats<<<1, 1>>>(on_device);
    CHECK_LAUNCH();
    fflush(stdout);
    for (int launch = 0; launch < 3; launch++) {
        by_thread<<<2, 40>>>(launch);
    }
    CHECK_LAUNCH();
    fflush(stdout);
    all<<<2, 4>>>();
    CHECK_LAUNCH();
    fflush(stdout);
    CHECK(cudaFree(on_device));
    printf("ok\n");
    return 0;
}
