// Covers: kernels that are templates, functors and device lambdas as arguments,
// kernels in namespaces (also unnamed and nested), static kernels, overloads,
// template parameters that are numbers.
// Output: one line per form, then "ok".
// Build: needs --extended-lambda.
#include "check.h"

#include <vector>

template <typename T>
struct Scale {
    T factor;
    __host__ __device__ T operator()(T x) const { return x * factor; }
};

template <typename T>
struct Add {
    T term;
    __host__ __device__ T operator()(T x) const { return x + term; }
};

template <typename F, typename G>
struct Compose {
    F f;
    G g;
    template <typename T>
    __host__ __device__ T operator()(T x) const { return f(g(x)); }
};

template <typename T, typename F>
__global__ void transform(T *data, int n, F f)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        data[i] = f(data[i]);
    }
}

template <int Radix, typename T>
__global__ void digits(T *data, int n)
{
    int i = threadIdx.x;
    if (i < n) {
        int sum = 0;
        for (int rest = int(data[i]); rest > 0; rest /= Radix) {
            sum += rest % Radix;
        }
        data[i] = T(sum);
    }
}

namespace outer {
namespace inner {
__global__ void fill(int *data) { data[threadIdx.x] = 1; }
} // namespace inner
__global__ void fill(int *data) { data[threadIdx.x] = 2; }
} // namespace outer

namespace {
__global__ void fill(int *data) { data[threadIdx.x] = 3; }
} // namespace

static __global__ void fill_more(int *data) { data[threadIdx.x] = 4; }
// An overload of a kernel that already exists.
static __global__ void fill_more(int *data, int what) { data[threadIdx.x] = what; }

// Runs a functor over 0, 1, 2, ... on the device and on the host.
template <typename T, typename F>
void both(const char *name, F f)
{
    const int n = 100;
    std::vector<T> data(n);
    for (int i = 0; i < n; i++) {
        data[i] = T(i);
    }
    T *on_device;
    CHECK(cudaMalloc(&on_device, n * sizeof(T)));
    CHECK(cudaMemcpy(on_device, data.data(), n * sizeof(T), cudaMemcpyHostToDevice));
    transform<<<4, 32>>>(on_device, n, f);
    CHECK_LAUNCH();
    CHECK(cudaMemcpy(data.data(), on_device, n * sizeof(T), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(on_device));
    for (int i = 0; i < n; i++) {
        REQUIRE(data[i] == f(T(i)));
    }
    printf("%s: f(99) = %g\n", name, double(data[99]));
}

int main()
{
    both<int>("int scaled", Scale<int>{3});
    both<double>("double scaled", Scale<double>{0.5});
    both<long long>("long added", Add<long long>{1LL << 40});
    both<float>("composed", Compose<Scale<float>, Add<float>>{{2.0f}, {0.25f}});
    const unsigned char mask = 0x5a;
    both<unsigned char>("lambda", [mask] __host__ __device__(unsigned char x) -> unsigned char { return x ^ mask; });

    int *data, got[8];
    CHECK(cudaMalloc(&data, sizeof got));
    auto show = [&](const char *name, int wanted) {
        CHECK_LAUNCH();
        CHECK(cudaMemcpy(got, data, sizeof got, cudaMemcpyDeviceToHost));
        REQUIRE(got[0] == wanted && got[7] == wanted);
        printf("%s: %d\n", name, got[0]);
    };
    outer::inner::fill<<<1, 8>>>(data);
    show("outer::inner::fill", 1);
    outer::fill<<<1, 8>>>(data);
    show("outer::fill", 2);
    ::fill<<<1, 8>>>(data);
    show("unnamed fill", 3);
    fill_more<<<1, 8>>>(data);
    show("static kernel", 4);
    fill_more<<<1, 8>>>(data, 5555);
    show("its overload", 5555);
    digits<10><<<1, 8>>>(data, 8);
    show("digits, radix 10", 20);
    digits<2><<<1, 8>>>(data, 8);
    show("digits, radix 2", 2);
    CHECK(cudaFree(data));
    printf("ok\n");
    return 0;
}
