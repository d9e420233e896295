// Covers: recursion on the device (depth the compiler cannot know), a larger
// stack by cudaDeviceSetLimit, tables of function pointers in constant memory,
// pointers passed from the host through a symbol.
// Output: one line per step, then "ok".
#include "check.h"

__device__ __noinline__ int ackermann(int m, int n)
{
    if (m == 0) {
        return n + 1;
    }
    return n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

__device__ __noinline__ unsigned fibonacci(unsigned n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

__device__ int is_odd(unsigned n);
__device__ __noinline__ int is_even(unsigned n)
{
    return n == 0 ? 1 : is_odd(n - 1);
}
__device__ __noinline__ int is_odd(unsigned n)
{
    return n == 0 ? 0 : is_even(n - 1);
}

// Quicksort of a thread's own piece, with a frame per level.
__device__ void quicksort(int *data, int count)
{
    if (count < 2) {
        return;
    }
    int pivot = data[count / 2], i = 0, j = count - 1;
    while (i <= j) {
        while (data[i] < pivot) {
            i++;
        }
        while (data[j] > pivot) {
            j--;
        }
        if (i <= j) {
            int t = data[i];
            data[i++] = data[j];
            data[j--] = t;
        }
    }
    quicksort(data, j + 1);
    quicksort(data + i, count - i);
}

__global__ void recurse(int *out)
{
    int i = threadIdx.x;
    out[4 * i] = ackermann(1, i);
    out[4 * i + 1] = fibonacci(i);
    out[4 * i + 2] = is_even(i);
    int piece[12];
    for (int k = 0; k < 12; k++) {
        piece[k] = (k * 7 + i * 3) % 13;
    }
    quicksort(piece, 12);
    int sorted = 1;
    for (int k = 1; k < 12; k++) {
        sorted &= piece[k - 1] <= piece[k];
    }
    out[4 * i + 3] = sorted;
}

// Depth that needs more than the default stack.
__device__ __noinline__ int deep(int n, volatile int *pad)
{
    // The first word comes down from the caller's frame.
    volatile int frame[16];
    frame[0] = pad[0];
    frame[1 + n % 15] = n;
    if (n == 0) {
        return frame[0];
    }
    return deep(n - 1, frame) + (frame[1 + n % 15] == n);
}

__global__ void go_deep(int depth, int *out)
{
    volatile int start[1] = {1000};
    *out = deep(depth, start);
}

typedef float (*Operation)(float, float);
__device__ float plus(float a, float b) { return a + b; }
__device__ float minus(float a, float b) { return a - b; }
__device__ float times(float a, float b) { return a * b; }
__device__ float over(float a, float b) { return a / b; }

__constant__ Operation operations[4] = {plus, minus, times, over};
__device__ Operation chosen = times;

__global__ void dispatch(float *out)
{
    // Every thread of a warp calls another function.
    out[threadIdx.x] = operations[threadIdx.x % 4](threadIdx.x, 4.0f);
}

__global__ void by_argument(Operation f, float *out)
{
    out[threadIdx.x] = f(threadIdx.x, 2.0f);
}

int main()
{
    int *out, got[64];
    CHECK(cudaMalloc(&out, sizeof got));
    recurse<<<1, 12>>>(out);
    CHECK_LAUNCH();
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    int a = 0, b = 1;
    for (int i = 0; i < 12; i++) {
        REQUIRE(got[4 * i] == i + 2 && got[4 * i + 1] == a && got[4 * i + 2] == (i % 2 == 0) && got[4 * i + 3] == 1);
        int next = a + b;
        a = b;
        b = next;
    }
    printf("recursion %d %d\n", got[44], got[45]);

    CHECK(cudaDeviceSetLimit(cudaLimitStackSize, 32 * 1024));
    go_deep<<<1, 1>>>(200, out);
    CHECK_LAUNCH();
    CHECK(cudaMemcpy(got, out, sizeof(int), cudaMemcpyDeviceToHost));
    REQUIRE(got[0] == 1200);
    printf("depth %d\n", got[0] - 1000);

    float *reals, seen[8];
    CHECK(cudaMalloc(&reals, sizeof seen));
    dispatch<<<1, 8>>>(reals);
    CHECK_LAUNCH();
    CHECK(cudaMemcpy(seen, reals, sizeof seen, cudaMemcpyDeviceToHost));
    REQUIRE(seen[0] == 4 && seen[1] == -3 && seen[2] == 8 && seen[3] == 0.75f && seen[7] == 1.75f);
    printf("dispatch %g %g %g %g\n", seen[4], seen[5], seen[6], seen[7]);

    // The host carries a device pointer from a symbol to an argument.
    Operation f;
    CHECK(cudaMemcpyFromSymbol(&f, chosen, sizeof f));
    by_argument<<<1, 8>>>(f, reals);
    CHECK_LAUNCH();
    CHECK(cudaMemcpy(seen, reals, sizeof seen, cudaMemcpyDeviceToHost));
    REQUIRE(seen[7] == 14);
    CHECK(cudaMemcpyFromSymbol(&f, operations, sizeof f, sizeof f));
    by_argument<<<1, 8>>>(f, reals);
    CHECK_LAUNCH();
    CHECK(cudaMemcpy(seen, reals, sizeof seen, cudaMemcpyDeviceToHost));
    REQUIRE(seen[7] == 5);
    printf("by argument %g\n", seen[7]);
    CHECK(cudaFree(out));
    CHECK(cudaFree(reals));
    printf("ok\n");
    return 0;
}
