// Covers: the mathematical functions in single and double precision and the
// fast intrinsics, each compared with the host's within a few units in the last
// place (the CUDA C++ Programming Guide gives the bounds).
// Output: how many functions agree, then "ok".
#include "check.h"

#include <cmath>
#include <vector>

// X-macro: function, lowest and highest argument, tolerance in units in the
// last place of the device's result.
#define UNARY(row)                                                                                     \
    row(sin, -100, 100, 4) row(cos, -100, 100, 4) row(tan, -10, 10, 6) row(asin, -1, 1, 4)             \
    row(acos, -1, 1, 4) row(atan, -50, 50, 4) row(sinh, -10, 10, 4) row(cosh, -10, 10, 4)              \
    row(tanh, -5, 5, 4) row(asinh, -100, 100, 4) row(acosh, 1, 100, 6) row(atanh, -0.99, 0.99, 6)      \
    row(exp, -80, 80, 4) row(exp2, -100, 100, 4) row(expm1, -20, 20, 4) row(log, 0.001, 1000, 4)       \
    row(log2, 0.001, 1000, 4) row(log10, 0.001, 1000, 4) row(log1p, -0.9, 100, 4) row(sqrt, 0, 1e6, 1) \
    row(cbrt, -1000, 1000, 4) row(erf, -4, 4, 4) row(erfc, -4, 4, 16) row(tgamma, 0.1, 20, 16)         \
    row(lgamma, 3, 100, 8) row(floor, -50, 50, 0) row(ceil, -50, 50, 0) row(trunc, -50, 50, 0)         \
    row(round, -50, 50, 0) row(rint, -50, 50, 0) row(fabs, -50, 50, 0) row(j0, 0, 8, 2000)
#define BINARY(row)                                                                             \
    row(pow, 0.1, 20, -8, 8, 16) row(atan2, -10, 10, -10, 10, 4) row(hypot, -10, 10, -10, 10, 4) \
    row(fmod, -50, 50, 0.5, 7, 0) row(fmin, -5, 5, -5, 5, 0) row(fmax, -5, 5, -5, 5, 0)          \
    row(copysign, -5, 5, -5, 5, 0) row(fdim, -5, 5, -5, 5, 0) row(remainder, -50, 50, 0.5, 7, 0)

const int N = 64;

#define KERNEL1(f, low, high, ulps)                     \
    template <typename T>                               \
    __global__ void k_##f(const T *x, const T *, T *out) \
    {                                                   \
        out[threadIdx.x] = f(x[threadIdx.x]);           \
    }
#define KERNEL2(f, low, high, low2, high2, ulps)                  \
    template <typename T>                                         \
    __global__ void k_##f(const T *x, const T *y, T *out)         \
    {                                                             \
        out[threadIdx.x] = f(x[threadIdx.x], y[threadIdx.x]);     \
    }
UNARY(KERNEL1)
BINARY(KERNEL2)

__global__ void fast(const float *x, float *out)
{
    float v = x[threadIdx.x];
    float *o = out + 8 * threadIdx.x;
    o[0] = __sinf(v);
    o[1] = __cosf(v);
    o[2] = __expf(v);
    o[3] = __logf(v);
    o[4] = __powf(v, 1.5f);
    o[5] = __fdividef(1.0f, v);
    o[6] = rsqrtf(v);
    o[7] = __saturatef(v);
}

static int agreed;

// Distance in units in the last place of the wanted value.
template <typename T>
static double distance(T got, double wanted)
{
    if (std::isnan(got) || std::isinf(got)) {
        return (std::isnan(got) && std::isnan(wanted)) || got == T(wanted) ? 0 : 1e30;
    }
    double near = std::fabs(double(T(wanted)));
    double unit = sizeof(T) == 4 ? double(std::nextafter(float(near), INFINITY)) - float(near)
                                 : std::nextafter(near, INFINITY) - near;
    return std::fabs(double(got) - (sizeof(T) == 4 ? wanted : double(T(wanted)))) / unit;
}

template <typename T, typename F>
static void compare(const char *name, void (*kernel)(const T *, const T *, T *), F reference, double low, double high,
                    double low2, double high2, double ulps)
{
    std::vector<T> x(N), y(N), got(N);
    for (int i = 0; i < N; i++) {
        // Evenly over the range, and neither end left out.
        x[i] = T(low + (high - low) * i / (N - 1));
        y[i] = T(low2 + (high2 - low2) * (i * 37 % N) / (N - 1));
    }
    T *dx, *dy, *out;
    CHECK(cudaMalloc(&dx, N * sizeof(T)));
    CHECK(cudaMalloc(&dy, N * sizeof(T)));
    CHECK(cudaMalloc(&out, N * sizeof(T)));
    CHECK(cudaMemcpy(dx, x.data(), N * sizeof(T), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(dy, y.data(), N * sizeof(T), cudaMemcpyHostToDevice));
    kernel<<<1, N>>>(dx, dy, out);
    CHECK_LAUNCH();
    CHECK(cudaMemcpy(got.data(), out, N * sizeof(T), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(dx));
    CHECK(cudaFree(dy));
    CHECK(cudaFree(out));
    for (int i = 0; i < N; i++) {
        double wanted = reference(double(x[i]), double(y[i]));
        // Half a unit more: the wanted value is itself rounded.
        if (distance(got[i], wanted) > ulps + 0.5) {
            fprintf(stderr, "%s(%.17g, %.17g), %zu bytes: %.17g, not %.17g\n", name, double(x[i]), double(y[i]),
                    sizeof(T), double(got[i]), wanted);
            exit(1);
        }
    }
    agreed++;
}

#define RUN1(f, low, high, ulps)                                                                            \
    compare<float>(#f, k_##f<float>, [](double x, double) { return double(f(x)); }, low, high, 0, 0, ulps); \
    compare<double>(#f, k_##f<double>, [](double x, double) { return double(f(x)); }, low, high, 0, 0, ulps);
#define RUN2(f, low, high, low2, high2, ulps)                                                                          \
    compare<float>(#f, k_##f<float>, [](double x, double y) { return double(f(x, y)); }, low, high, low2, high2, ulps); \
    compare<double>(#f, k_##f<double>, [](double x, double y) { return double(f(x, y)); }, low, high, low2, high2, ulps);

int main()
{
    UNARY(RUN1)
    BINARY(RUN2)
    printf("%d functions agree\n", agreed);

    float x[4] = {0.25f, 0.75f, 1.5f, 3.0f}, *dx, *out, got[32];
    CHECK(cudaMalloc(&dx, sizeof x));
    CHECK(cudaMalloc(&out, sizeof got));
    CHECK(cudaMemcpy(dx, x, sizeof x, cudaMemcpyHostToDevice));
    fast<<<1, 4>>>(dx, out);
    CHECK_LAUNCH();
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 4; i++) {
        float v = x[i];
        float wanted[8] = {sinf(v),        cosf(v),  expf(v),           logf(v),
                           powf(v, 1.5f),  1 / v,    1 / sqrtf(v),      fminf(v, 1)};
        for (int f = 0; f < 8; f++) {
            if (fabsf(got[8 * i + f] - wanted[f]) > 1e-5f * fmaxf(1, fabsf(wanted[f]))) {
                fprintf(stderr, "fast function %d of %g: %g, not %g\n", f, v, got[8 * i + f], wanted[f]);
                return 1;
            }
        }
    }
    printf("intrinsics agree\n");
    CHECK(cudaFree(dx));
    CHECK(cudaFree(out));
    printf("ok\n");
    return 0;
}
