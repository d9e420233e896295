// Device function calls: direct, recursive, through pointers and tables.
typedef int (*Op)(int, int);
__device__ __noinline__ int add(int a, int b) { return a + b; }
__device__ __noinline__ int mul(int a, int b) { return a * b + 1; }
__device__ Op operations[2] = {add, mul};
__constant__ Op constant_operations[2] = {mul, add};
__device__ __noinline__ int ackermann(int m, int n) {
    if (m == 0) return n + 1;
    if (n == 0) return ackermann(m - 1, 1);
    return ackermann(m - 1, ackermann(m, n - 1));
}
extern "C" __global__ void direct(int *out, int a, int b) { out[threadIdx.x] = add(a, b) + mul(a, b); }
extern "C" __global__ void recursive(int *out, int m, int n) { out[threadIdx.x] = ackermann(m, n); }
extern "C" __global__ void indirect(int *out, int a, int b, int which) {
    Op op = which < 2 ? operations[which] : which < 4 ? constant_operations[which - 2] : (threadIdx.x & 1 ? add : mul);
    out[threadIdx.x] = op(a, b);
}
