// All atomics, with and without use of the old value.
#include <cuda_fp16.h>
extern __shared__ int pool[];

extern "C" __global__ void returning(int *o, int *g, unsigned long long *w, float *f, double *d, int k) {
    int i = threadIdx.x, r = 0;
    unsigned *u = (unsigned *)g;
    r += atomicAdd(g, k) + atomicSub(g + 1, k) + atomicMin(g + 2, k) + atomicMax(g + 3, k);
    r += (int)(atomicMin(u + 4, k) + atomicMax(u + 5, k) + atomicInc(u + 6, k) + atomicDec(u + 7, k));
    r += atomicAnd(g + 8, k) + atomicOr(g + 9, k) + atomicXor(g + 10, k) + atomicExch(g + 11, k) + atomicCAS(g + 12, i, k);
    r += (int)(atomicAdd(w, k) + atomicMin(w + 1, k) + atomicMax((long long *)w + 2, k) + atomicAnd(w + 3, k) + atomicExch(w + 4, k) + atomicCAS(w + 5, i, k));
    r += (int)(atomicAdd(f, 1.5f) + atomicAdd(d, 2.5) + atomicExch(f + 1, 2.f));
    r += (int)(atomicAdd_system(g + 20, k) + atomicAdd_block(g + 21, k));
    __half2 h = atomicAdd((__half2 *)g + 30, __float2half2_rn(1.f));
    r += (int)__low2float(h);
    r += atomicAdd(pool + i, k) + atomicMin(pool + 1, k) + (int)atomicInc((unsigned *)pool + 2, k) + atomicCAS(pool + 3, i, k) + atomicExch(pool + 4, k);
    r += (int)(atomicAdd((unsigned long long *)pool + 5, k) + atomicCAS((unsigned long long *)pool + 6, i, k) + atomicAdd((float *)pool + 20, 1.f) + atomicAdd((double *)pool + 30, 1.0));
    r += atomicAnd(pool + 40, k) + atomicOr(pool + 41, k) + atomicXor(pool + 42, k) + (int)atomicMax((unsigned *)pool + 44, k);
    o[i] = r;
}

extern "C" __global__ void reducing(int *g, unsigned long long *w, float *f, double *d, int k) {
    unsigned *u = (unsigned *)g;
    atomicAdd(g, k); atomicMin(g + 2, k); atomicMax(g + 3, k); atomicMin(u + 4, k); atomicMax(u + 5, k);
    atomicInc(u + 6, k); atomicDec(u + 7, k); atomicAnd(g + 8, k); atomicOr(g + 9, k); atomicXor(g + 10, k);
    atomicAdd(w, k); atomicMin(w + 1, k); atomicMax((long long *)w + 2, k); atomicAdd(f, 1.5f); atomicAdd(d, 2.5);
    atomicAdd_system(g + 20, k); atomicAdd_block(g + 21, k);
    atomicAdd((__half2 *)g + 30, __float2half2_rn(1.f));
    atomicAdd(pool + threadIdx.x, k); atomicXor(pool + 3, k); atomicAdd((float *)pool + 9, 1.f);
    asm volatile("red.relaxed.gpu.global.add.u32 [%0], %1;" ::"l"(g + 40), "r"(k));
    asm volatile("red.release.sys.global.max.s32 [%0], %1;" ::"l"(g + 41), "r"(k));
}
