// Floating point: library functions, divisions, conversions, rounding modes.
#include <cuda_fp16.h>

extern "C" __global__ void math32(float *o, const float *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float x = a[i], y = a[i + n], r = 0;
    r += sinf(x) + cosf(x) * tanf(y) + expf(x) / (logf(y) + 1.f);
    r += powf(x, y) + exp2f(x) + log2f(y) + rsqrtf(x) + sqrtf(y) + cbrtf(x);
    r += atan2f(x, y) + sinhf(x) + erff(y) + tgammaf(x) + fmodf(x, y) + remainderf(x, y);
    r += floorf(x) + ceilf(y) + truncf(x) + rintf(y) + roundf(x) + fabsf(y);
    r += fminf(x, y) * fmaxf(x, -y) + copysignf(x, y) + fdimf(x, y) + hypotf(x, y);
    r += __fadd_rd(x, y) + __fadd_ru(x, y) + __fadd_rz(x, y) + __fmul_rd(x, y);
    r += __fmaf_ru(x, y, r) + __fmaf_rd(x, y, r) + __fmaf_rz(x, y, r) + __saturatef(x);
    r += __frcp_rn(x) + __frcp_rz(x) + __fsqrt_rd(y) + __fdiv_ru(x, y) + __fdividef(x, y);
    r += __sinf(x) + __cosf(y) + __expf(x) + __logf(y) + __powf(x, y) + __tanf(x);
    r += __int_as_float(__float_as_int(x) ^ 0x80000000) + (isnan(x) ? 1.f : 0.f) + (isinf(y) ? 2.f : 0.f);
    int e;
    r += frexpf(x, &e) + ldexpf(y, e) + (float)e + (signbit(x) ? 1.f : 2.f);
    o[i] = r;
}

extern "C" __global__ void math64(double *o, const double *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double x = a[i], y = a[i + n], r = 0;
    r += sin(x) + cos(y) + exp(x) / log(y) + pow(x, y) + sqrt(x) + rsqrt(y) + atan(x);
    r += x / y + fmin(x, y) + fmax(x, y) + floor(x) + ceil(y) + trunc(x) + rint(y) + fmod(x, y);
    r += __dadd_rd(x, y) + __dmul_ru(x, y) + __fma_rz(x, y, r) + __dsqrt_rd(x) + __ddiv_rz(x, y);
    r += (x < y) ? fabs(x) : -y;
    r += (x != y) ? 1.5 : 2.5;
    o[i] = r;
}

extern "C" __global__ void convert(void *out, const void *in, int n) {
    int i = threadIdx.x;
    const float *f = (const float *)in;
    const double *d = (const double *)in;
    const int *s = (const int *)in;
    const long long *l = (const long long *)in;
    const signed char *c = (const signed char *)in;
    const unsigned short *h = (const unsigned short *)in;
    float *of = (float *)out;
    double *od = (double *)out + 4096;
    int *oi = (int *)out + 16384;
    long long *ol = (long long *)out + 32768;
    of[i] = (float)s[i] + (float)(unsigned)s[i + 1] + (float)l[i] + (float)(unsigned long long)l[i + 1];
    of[i + n] = (float)d[i] + (float)c[i] + (float)h[i] + __int2float_rd(s[i]) + __uint2float_ru(s[i]);
    od[i] = (double)f[i] + (double)s[i] + (double)l[i] + (double)(unsigned)s[i + 1] + __ll2double_rz(l[i]);
    oi[i] = (int)f[i] + (int)d[i] + (int)(unsigned)f[i + 1] + __float2int_rn(f[i]) + __float2int_ru(f[i]) + __double2int_rd(d[i]);
    oi[i + n] = (int)(unsigned)d[i] + (signed char)f[i] + (unsigned char)f[i + 1] + (short)d[i] + (unsigned short)f[i + 2];
    ol[i] = (long long)f[i] + (long long)d[i] + (long long)(unsigned long long)f[i + 1] + __float2ll_rd(f[i]);
    ol[i + n] = (long long)(unsigned long long)d[i] + __double2ll_ru(d[i + 1]);
    __half *oh = (__half *)out + (1 << 18);
    oh[i] = __float2half(f[i]);
    oh[i + n] = __double2half(d[i]);
    oh[i + 2 * n] = __int2half_rn(s[i]);
    of[i + 2 * n] = __half2float(oh[i]) + __half2int_rz(oh[i + 1]);
}

extern "C" __global__ void halves(__half2 *o, const __half2 *a, int n) {
    int i = threadIdx.x;
    __half2 x = a[i], y = a[i + n], z = a[i + 2 * n];
    __half2 r = __hfma2(x, y, z);
    r = __hadd2(r, __hmul2(x, y));
    r = __hsub2(r, __hneg2(z));
    r = __hadd2_sat(r, __hfma2_sat(x, z, y));
    r = __hadd2(r, __hgt2(x, y));
    r = __hadd2(r, __heq2(x, z));
    r = __hadd2(r, __habs2(x));
    r = __hadd2(r, __lowhigh2highlow(x));
    r = __hadd2(r, h2sqrt(y));
    r = __hadd2(r, h2exp(x));
    r = __hadd2(r, h2log(z));
    r = __hadd2(r, h2rcp(z));
    r = __hadd2(r, h2floor(z));
    if (__hbgt2(x, y)) r = __hmul2(r, __float2half2_rn(3.0f));
    if (__hlt(__low2half(x), __high2half(y))) r = __hadd2(r, __floats2half2_rn(1.5f, -2.0f));
    o[i] = r;
}
