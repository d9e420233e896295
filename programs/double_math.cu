// Covers: double precision arithmetic: the four operations with every rounding,
// fused multiply-add, division, square root, conversions to and from integers
// and floats, comparisons with infinities and NaN. Results are those of IEEE
// 754, so they must equal the host's to the bit.
// Output: how many agree, directed roundings, then "ok".
#include "check.h"

#include <cmath>
#include <cstring>
#include <vector>

struct Results {
    double sum, difference, product, quotient, root, fused, narrowed, remainder;
    long long rounded, truncated;
    unsigned flags;
    float single;
};

__host__ __device__ Results compute(double a, double b)
{
    Results r;
    r.sum = a + b;
    r.difference = a - b;
    r.product = a * b;
    r.quotient = a / b;
    r.root = sqrt(fabs(a));
    r.fused = fma(a, b, -r.product);
    r.narrowed = double(float(a));
    r.remainder = fmod(a, b);
    // Out of range, a conversion is the host's own affair.
    double bounded = fmin(fmax(a, -1e15), 1e15);
    r.rounded = llrint(bounded);
    r.truncated = (long long)bounded;
    r.flags = (a < b) | (a <= b) << 1 | (a == b) << 2 | (a != b) << 3 | (a > b) << 4 | !(a >= b) << 5;
    r.single = float(b);
    return r;
}

__global__ void on_device(const double *a, const double *b, Results *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = compute(a[i], b[i]);
    }
}

__global__ void directed(double a, double b, double *out)
{
    out[0] = __dadd_rd(a, b);
    out[1] = __dadd_ru(a, b);
    out[2] = __dmul_rd(a, b);
    out[3] = __dmul_ru(a, b);
    out[4] = __ddiv_rd(a, b);
    out[5] = __ddiv_ru(a, b);
    out[6] = __dsqrt_rd(b);
    out[7] = __dsqrt_ru(b);
    out[8] = __fma_rz(a, b, a);
}

// Equal to the bit, or both NaN: NaN has no one form.
static bool same(double x, double y)
{
    return (std::isnan(x) && std::isnan(y)) || memcmp(&x, &y, sizeof x) == 0;
}

int main()
{
    std::vector<double> values = {0.0,    -0.0,  1.0,     -1.0,   1.5,   3.0,       1e-300, -1e300, 4e-324, 1.7976931348623157e308,
                                  1.0 / 3, 1e10,  -123.456, INFINITY, -INFINITY, NAN,    2.5,    1e-310};
    std::vector<double> a, b;
    for (double x : values) {
        for (double y : values) {
            a.push_back(x);
            b.push_back(y);
        }
    }
    int n = int(a.size());
    double *da, *db, *dd, d[9];
    Results *dr;
    CHECK(cudaMalloc(&da, n * sizeof(double)));
    CHECK(cudaMalloc(&db, n * sizeof(double)));
    CHECK(cudaMalloc(&dr, n * sizeof(Results)));
    CHECK(cudaMalloc(&dd, sizeof d));
    CHECK(cudaMemcpy(da, a.data(), n * sizeof(double), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(db, b.data(), n * sizeof(double), cudaMemcpyHostToDevice));
    on_device<<<(n + 63) / 64, 64>>>(da, db, dr, n);
    CHECK_LAUNCH();
    std::vector<Results> results(n);
    CHECK(cudaMemcpy(results.data(), dr, n * sizeof(Results), cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++) {
        Results r = results[i], h = compute(a[i], b[i]);
        bool right = same(r.sum, h.sum) && same(r.difference, h.difference) && same(r.product, h.product) &&
                     same(r.quotient, h.quotient) && same(r.root, h.root) && same(r.fused, h.fused) &&
                     same(r.narrowed, h.narrowed) && same(r.remainder, h.remainder) && r.flags == h.flags &&
                     same(r.single, h.single);
        // A NaN becomes another integer on each machine.
        right = right && (std::isnan(a[i]) || (r.rounded == h.rounded && r.truncated == h.truncated));
        if (!right) {
            fprintf(stderr, "a %a b %a: %a %a %a %a %a %a %a %a %lld %lld %x %a\n", a[i], b[i], r.sum, r.difference,
                    r.product, r.quotient, r.root, r.fused, r.narrowed, r.remainder, r.rounded, r.truncated, r.flags,
                    r.single);
            fprintf(stderr, "not %a %a %a %a %a %a %a %a %lld %lld %x %a\n", h.sum, h.difference, h.product,
                    h.quotient, h.root, h.fused, h.narrowed, h.remainder, h.rounded, h.truncated, h.flags, h.single);
            return 1;
        }
    }
    printf("%d pairs as on the host\n", n);

    directed<<<1, 1>>>(1.0, 3.0, dd);
    CHECK_LAUNCH();
    CHECK(cudaMemcpy(d, dd, sizeof d, cudaMemcpyDeviceToHost));
    REQUIRE(d[0] == 4 && d[1] == 4 && d[2] == 3 && d[3] == 3 && d[8] == 4);
    REQUIRE(d[4] < d[5] && d[5] == std::nextafter(d[4], 1.0) && (d[4] == 1.0 / 3 || d[5] == 1.0 / 3));
    REQUIRE(d[6] < d[7] && d[7] == std::nextafter(d[6], 2.0));
    printf("directed %a %a %a %a\n", d[4], d[5], d[6], d[7]);
    directed<<<1, 1>>>(1.0, 1e-30, dd);
    CHECK_LAUNCH();
    CHECK(cudaMemcpy(d, dd, sizeof d, cudaMemcpyDeviceToHost));
    REQUIRE(d[0] == 1 && d[1] == std::nextafter(1.0, 2.0));
    printf("directed %a %a\n", d[0], d[1]);
    printf("ok\n");
    return 0;
}
