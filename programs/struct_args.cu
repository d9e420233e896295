// Covers: structures passed to kernels by value: odd sizes, alignments above
// eight, arrays and pointers inside, bit fields, vector types, a large one
// near the parameter limit, the order and padding of mixed arguments.
// Output: a sum per kernel, then "ok".
#include "check.h"

struct Three {
    char c[3];
};

struct Odd {
    short s;
    char c;
    double d;
    char tail;
};

struct __align__(16) Wide {
    float x, y, z;
};

struct Bits {
    unsigned low : 5;
    unsigned middle : 12;
    signed high : 15;
};

struct Nested {
    Three three;
    Wide wide;
    int *target;
    Odd odd[2];
};

struct Big {
    int values[1000];
};

struct Empty {};

__global__ void mixed(char a, Three three, Odd odd, char b, Wide wide, Bits bits, Empty, char c, int *out)
{
    out[0] = a + three.c[0] + three.c[1] + three.c[2];
    out[1] = odd.s + odd.c + int(odd.d) + odd.tail;
    out[2] = b + int(wide.x + wide.y + wide.z);
    out[3] = bits.low + bits.middle + bits.high;
    out[4] = c;
}

__global__ void nested(Nested n)
{
    n.target[0] = n.three.c[0] + n.three.c[1] + n.three.c[2];
    n.target[1] = int(n.wide.x * n.wide.y + n.wide.z);
    n.target[2] = n.odd[0].s + n.odd[1].s;
    n.target[3] = int(n.odd[0].d + n.odd[1].d) + n.odd[1].tail;
}

// The index is not known at compile time, so parameters are read indirectly.
__global__ void big(Big b, int *out)
{
    int sum = 0;
    for (int i = threadIdx.x; i < 1000; i += 32) {
        sum += b.values[i];
    }
    atomicAdd(out, sum);
}

__global__ void vectors(float2 a, char c, float4 b, uchar3 u, double2 d, short4 s, longlong2 l, float *out)
{
    out[0] = a.x + a.y;
    out[1] = c;
    out[2] = b.x + b.y + b.z + b.w;
    out[3] = u.x + u.y + u.z;
    out[4] = float(d.x + d.y);
    out[5] = s.x + s.y + s.z + s.w;
    out[6] = float(l.x + l.y);
}

// A parameter the kernel writes to is a private copy of each thread.
__global__ void own_copy(Big b, int *out)
{
    b.values[threadIdx.x] += 1000;
    b.values[(threadIdx.x + 1) % 1000] += 1;
    out[threadIdx.x] = b.values[threadIdx.x] + b.values[(threadIdx.x + 1) % 1000];
}

int main()
{
    int *out, got[32];
    CHECK(cudaMalloc(&out, sizeof got));

    Three three = {{1, 2, 3}};
    Odd odd = {1000, 20, 3.75, 4};
    Wide wide = {1.5f, 2.5f, 3.0f};
    Bits bits = {31, 4095, -16384};
    mixed<<<1, 1>>>(100, three, odd, 50, wide, bits, Empty(), 77, out);
    CHECK_LAUNCH();
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    REQUIRE(got[0] == 106 && got[1] == 1027 && got[2] == 57 && got[3] == -12258 && got[4] == 77);
    printf("mixed %d %d %d %d %d\n", got[0], got[1], got[2], got[3], got[4]);

    Nested n = {three, wide, out, {odd, odd}};
    n.odd[1].s = -1;
    n.odd[1].d = 100.5;
    nested<<<1, 1>>>(n);
    CHECK_LAUNCH();
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    REQUIRE(got[0] == 6 && got[1] == 6 && got[2] == 999 && got[3] == 108);
    printf("nested %d %d %d %d\n", got[0], got[1], got[2], got[3]);

    Big b;
    int sum = 0;
    for (int i = 0; i < 1000; i++) {
        b.values[i] = i * i % 101;
        sum += b.values[i];
    }
    CHECK(cudaMemset(out, 0, sizeof got));
    big<<<1, 32>>>(b, out);
    CHECK_LAUNCH();
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    REQUIRE(got[0] == sum);
    printf("big %d\n", got[0]);

    own_copy<<<1, 32>>>(b, out);
    CHECK_LAUNCH();
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 32; i++) {
        REQUIRE(got[i] == b.values[i] + b.values[i + 1] + 1001);
    }
    printf("own copy %d\n", got[0]);

    float *reals, seen[7];
    CHECK(cudaMalloc(&reals, sizeof seen));
    vectors<<<1, 1>>>(make_float2(1, 2), 'A', make_float4(1, 2, 3, 4), make_uchar3(200, 201, 202),
                      make_double2(0.5, 0.25), make_short4(-1, -2, -3, -4),
                      make_longlong2(1LL << 33, -(1LL << 32)), reals);
    CHECK_LAUNCH();
    CHECK(cudaMemcpy(seen, reals, sizeof seen, cudaMemcpyDeviceToHost));
    REQUIRE(seen[0] == 3 && seen[1] == 65 && seen[2] == 10 && seen[3] == 603);
    REQUIRE(seen[4] == 0.75f && seen[5] == -10 && seen[6] == 4294967296.0f);
    printf("vectors %g %g %g %g\n", seen[0], seen[2], seen[4], seen[5]);

    CHECK(cudaFree(out));
    CHECK(cudaFree(reals));
    printf("ok\n");
    return 0;
}
