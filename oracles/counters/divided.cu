// Ways to divide a warp, for the instruction counters of a real GPU: twelve
// patterns (template argument) of six kernels. docs/timing-hardware.md tells what
// the counters said; sm_90.tsv beside this file has them.
//
//   nvcc -cudart shared -arch=sm_90 -std=c++14 -o divided divided.cu
//   ncu --csv --page raw --print-units base --clock-control none --cache-control none \
//       --metrics smsp__inst_executed.sum,smsp__thread_inst_executed.sum ./divided
//   upset run --chip h200 --json divided.json -- ./divided
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
template <int P> __global__ void trips(const int *n, int *out)
{
    int k = n[threadIdx.x], s = 0;
    _Pragma("unroll 1") while (k != 0) { s = s * 3 + k; k--; asm volatile("" ::: "memory"); }
    out[threadIdx.x] = s;
}
// if inside a loop that all leave together
template <int P> __global__ void inner(const int *n, int *out)
{
    int k = n[threadIdx.x], s = 0;
    for (int i = 0; i < 6; i++) { if (i < k) { out[threadIdx.x + 32 * i] = s; s += out[threadIdx.x * 2 + i]; } }
    out[threadIdx.x] = s;
}
// nested ifs
template <int P> __global__ void nested(const int *n, int *out)
{
    int k = n[threadIdx.x], s = 0;
    if (k > 1) { out[k] = 1; s = out[k + 7]; if (k > 2) { out[k + 100] = 1; s += out[k + 207]; if (k > 3) { out[k + 300] = 1; s += out[k + 407]; } out[s + 5] = 3; } out[s] = 2; }
    else { s = out[9 * k]; out[s + 1] = 7; }
    out[threadIdx.x] = s;
}
__device__ __noinline__ int f(int k, int *out) { if (k & 1) { out[k] = 5; k += out[3 * k]; } return k * 3; }
// a call with a region of its own, in a divergent region
template <int P> __global__ void calls(const int *n, int *out)
{
    int k = n[threadIdx.x], s = 0;
    if (k > 2) { s = f(k, out); s += f(s, out); } else { s = out[k]; }
    out[threadIdx.x] = s;
}
__device__ __noinline__ int g(int k, int *out);
__device__ __noinline__ int h(int k, int *out) { int s = out[k]; if (k > 0) s += g(k - 1, out) + 1; return s; }
__device__ __noinline__ int g(int k, int *out) { int s = out[k + 1]; if (k > 0) s += h(k - 1, out) * 2; return s; }
template <int P> __global__ void deep(const int *n, int *out)
{
    out[threadIdx.x] = h(n[threadIdx.x], out);
}
template <int P> __global__ void cases(const int *n, int *out)
{
    int k = n[threadIdx.x], s = 0;
    switch (k) {
    case 0: s = out[5]; break;
    case 1: s = out[7] * 3; out[9] = s; break;
    case 2: s = out[k + 8] + 4; out[10] = s; break;
    case 3: s = out[k * 3] - 9; out[11] = s; break;
    case 4: s = out[k + 77] ^ 3; out[12] = s; break;
    case 5: s = out[k - 1] | 3; out[13] = s; break;
    default: s = 8;
    }
    out[threadIdx.x] = s;
}
static int *dn, *dout;
template <int P> void all(const int *n)
{
    cudaMemcpy(dn, n, 128, cudaMemcpyHostToDevice);
    cudaMemset(dout, 0, 1 << 20);
    trips<P><<<1, 32>>>(dn, dout); inner<P><<<1, 32>>>(dn, dout); nested<P><<<1, 32>>>(dn, dout);
    calls<P><<<1, 32>>>(dn, dout); deep<P><<<1, 32>>>(dn, dout); cases<P><<<1, 32>>>(dn, dout);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
int main()
{
    cudaMalloc(&dn, 128); cudaMalloc(&dout, 1 << 20);
    int p[12][32];
    for (int i = 0; i < 32; i++) {
        p[0][i] = i < 16 ? 1 : 2;
        p[1][i] = i < 15 ? 1 : i < 19 ? 2 : i < 23 ? 3 : i < 28 ? 4 : i < 31 ? 5 : 7;
        p[2][i] = i < 8 ? 1 : i < 16 ? 2 : 3;
        p[3][i] = i < 16 ? 3 : i < 24 ? 2 : 1;
        p[4][i] = i % 4 + 1;
        p[5][i] = i + 1;
        p[6][i] = 32 - i;
        p[7][i] = i == 0 ? 2 : 1;
        p[8][i] = i == 31 ? 1 : 2;
        p[9][i] = i < 16 ? 0 : i < 24 ? 1 : 2;
        p[10][i] = (i * 7 % 32) / 5;
        p[11][i] = 4;
    }
    all<0>(p[0]); all<1>(p[1]); all<2>(p[2]); all<3>(p[3]); all<4>(p[4]); all<5>(p[5]); all<6>(p[6]); all<7>(p[7]);
    all<8>(p[8]); all<9>(p[9]); all<10>(p[10]); all<11>(p[11]);
}
