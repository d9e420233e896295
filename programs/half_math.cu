// Covers: cuda_fp16.h: conversions, arithmetic on __half and __half2, fused
// multiply-add, comparisons, packing, half functions (hsqrt, hexp...), and
// cuda_bf16.h conversions.
// Output: one line per group, then "ok".
#include "check.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cmath>

__global__ void arithmetic(const float *in, float *out, int n)
{
    int i = threadIdx.x;
    if (i >= n) {
        return;
    }
    __half a = __float2half(in[i]), b = __float2half(in[(i + 1) % n]);
    float *o = out + 12 * i;
    o[0] = __half2float(a);
    o[1] = __half2float(__hadd(a, b));
    o[2] = __half2float(__hsub(a, b));
    o[3] = __half2float(__hmul(a, b));
    o[4] = __half2float(__hfma(a, b, a));
    o[5] = __half2float(a / b);
    o[6] = __half2float(-a);
    o[7] = __hlt(a, b) + 2 * __heq(a, b) + 4 * __hge(a, b);
    o[8] = __half2float(__float2half_rd(in[i]));
    o[9] = __half2float(__float2half_ru(in[i]));
    o[10] = __half2int_rn(a);
    o[11] = __half2float(__hadd_sat(a, b));
}

__global__ void pairs(const __half2 *in, __half2 *out)
{
    int i = threadIdx.x;
    __half2 a = in[i], b = in[i ^ 1];
    out[4 * i] = __hadd2(a, b);
    out[4 * i + 1] = __hfma2(a, b, __float2half2_rn(1.0f));
    out[4 * i + 2] = __lowhigh2highlow(a);
    out[4 * i + 3] = __hmul2(a, __halves2half2(__high2half(b), __low2half(b)));
}

__global__ void functions(const float *in, float *out)
{
    __half x = __float2half(in[threadIdx.x]);
    float *o = out + 6 * threadIdx.x;
    o[0] = __half2float(hsqrt(x));
    o[1] = __half2float(hexp(x));
    o[2] = __half2float(hlog(x));
    o[3] = __half2float(hrcp(x));
    o[4] = __half2float(hfloor(x));
    o[5] = __bfloat162float(__float2bfloat16(in[threadIdx.x]));
}

// A float rounded to half by the host's own conversion.
static float rounded(float x)
{
    return __half2float(__float2half(x));
}

int main()
{
    const int n = 8;
    float in[n] = {1.0f, -2.5f, 0.1f, 1000.0f, 0.333f, -0.0625f, 7.75f, 60000.0f};
    float *din, *dout, got[12 * n];
    CHECK(cudaMalloc(&din, sizeof in));
    CHECK(cudaMalloc(&dout, sizeof got));
    CHECK(cudaMemcpy(din, in, sizeof in, cudaMemcpyHostToDevice));
    arithmetic<<<1, 32>>>(din, dout, n);
    CHECK_LAUNCH();
    CHECK(cudaMemcpy(got, dout, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++) {
        float *o = got + 12 * i;
        float a = rounded(in[i]), b = rounded(in[(i + 1) % n]);
        // Sums and products of halves are exact in float or double, so one
        // rounding at the end is the right one.
        REQUIRE(o[0] == a && o[1] == rounded(a + b) && o[2] == rounded(a - b) && o[3] == rounded(a * b));
        REQUIRE(o[4] == __half2float(__double2half(double(a) * b + a)));
        REQUIRE(std::fabs(o[5] - a / b) <= std::fabs(a / b) / 1000 || std::isinf(o[5]));
        REQUIRE(o[6] == -a && o[7] == (a < b) + 2 * (a == b) + 4 * (a >= b));
        REQUIRE(o[8] <= in[i] && o[9] >= in[i] && (o[0] == o[8] || o[0] == o[9]));
        REQUIRE(o[10] == rintf(a));
        REQUIRE(o[11] == std::fmin(std::fmax(rounded(a + b), 0.0f), 1.0f));
    }
    printf("arithmetic %g %g %g\n", got[12 * 2], got[12 * 3 + 1], got[12 * 6 + 3]);

    __half2 two[4] = {__floats2half2_rn(1, 2), __floats2half2_rn(3, 4), __floats2half2_rn(-1, 0.5f),
                      __floats2half2_rn(100, 0.25f)};
    __half2 *dtwo, *dpairs, p[16];
    CHECK(cudaMalloc(&dtwo, sizeof two));
    CHECK(cudaMalloc(&dpairs, sizeof p));
    CHECK(cudaMemcpy(dtwo, two, sizeof two, cudaMemcpyHostToDevice));
    pairs<<<1, 4>>>(dtwo, dpairs);
    CHECK_LAUNCH();
    CHECK(cudaMemcpy(p, dpairs, sizeof p, cudaMemcpyDeviceToHost));
    REQUIRE(__low2float(p[0]) == 4 && __high2float(p[0]) == 6);
    REQUIRE(__low2float(p[1]) == 4 && __high2float(p[1]) == 9);
    REQUIRE(__low2float(p[2]) == 2 && __high2float(p[2]) == 1);
    REQUIRE(__low2float(p[3]) == 4 && __high2float(p[3]) == 6);
    REQUIRE(__low2float(p[9]) == -99 && __high2float(p[9]) == 1.125f);
    printf("pairs %g %g\n", __low2float(p[9]), __high2float(p[9]));

    float at[4] = {0.25f, 1.0f, 2.5f, 9.0f};
    CHECK(cudaMemcpy(din, at, sizeof at, cudaMemcpyHostToDevice));
    functions<<<1, 4>>>(din, dout);
    CHECK_LAUNCH();
    CHECK(cudaMemcpy(got, dout, 24 * sizeof(float), cudaMemcpyDeviceToHost));
    for (int i = 0; i < 4; i++) {
        float *o = got + 6 * i, x = at[i];
        auto near = [](float value, float wanted) {
            return std::fabs(value - wanted) <= std::fabs(wanted) / 500 + 1e-4f;
        };
        REQUIRE(near(o[0], sqrtf(x)) && near(o[1], expf(x)) && near(o[2], logf(x)) && near(o[3], 1 / x));
        REQUIRE(o[4] == floorf(x) && o[5] == x);
    }
    printf("functions %g %g\n", got[6 * 3], got[6 * 2 + 4]);
    printf("ok\n");
    return 0;
}
