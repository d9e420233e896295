// Memory spaces, widths, cache hints, scopes, fences, local arrays, constants.

__constant__ int table[256];
__constant__ double table64[64];
__device__ int global_counter;

extern "C" __global__ void widths(char *o, const char *a, int n) {
    int i = threadIdx.x;
    __shared__ double2 tile[64];
    ((double2 *)o)[i] = ((const double2 *)a)[i];
    ((int2 *)o)[i + n] = ((const int2 *)a)[i + 1];
    ((short *)o)[i] = ((const short *)a)[i];
    ((unsigned short *)o)[i + 99] = ((const unsigned short *)a)[i] + 1;
    ((signed char *)o)[i] = ((const signed char *)a)[i + 3];
    ((unsigned char *)o)[i + 5] = ((const unsigned char *)a)[i + 3] + 7;
    tile[i] = ((const double2 *)a)[i];
    __syncthreads();
    ((double2 *)o)[i + 77] = tile[63 - i];
    ((float *)o)[i] += ((float *)tile)[i * 3 & 127];
    ((char *)tile)[i] = 3;
    ((short *)tile)[i + 64] = 5;
    ((long long *)tile)[i & 31] = 9;
    __syncthreads();
    ((long long *)o)[i] = ((long long *)tile)[i] + ((signed char *)tile)[i] + ((unsigned short *)tile)[i];
    ((int *)o)[i + 500] = table[i] + table[n & 255] + (int)table64[i & 63] + ((const unsigned char *)table)[i] + ((const short *)table)[i];
}

extern "C" __global__ void hints(int *o, const int *a, int n) {
    int i = threadIdx.x;
    int r = __ldg(a + i) + __ldcg(a + i + 1) + __ldca(a + i + 2) + __ldcs(a + i + 3) + __ldlu(a + i + 4) + __ldcv(a + i + 5);
    volatile int *v = o;
    r += v[i];
    v[i + n] = r;
    __stcg(o + i, r);
    __stcs(o + i + 1, r);
    __stwb(o + i + 2, r);
    __stwt(o + i + 3, r);
    asm volatile("ld.relaxed.gpu.global.s32 %0, [%1];" : "=r"(r) : "l"(a + 6));
    asm volatile("ld.acquire.sys.global.s32 %0, [%1];" : "=r"(r) : "l"(a + 7));
    asm volatile("ld.relaxed.cta.s32 %0, [%1];" : "=r"(r) : "l"(a + 8));
    asm volatile("st.release.gpu.global.s32 [%0], %1;" ::"l"(o + 9), "r"(r));
    asm volatile("st.relaxed.sys.global.s32 [%0], %1;" ::"l"(o + 10), "r"(r));
    asm volatile("prefetch.global.L1 [%0];" ::"l"(a + 11));
    asm volatile("prefetch.global.L2 [%0];" ::"l"(a + 12));
    asm volatile("prefetchu.L1 [%0];" ::"l"(a + 12));
    __threadfence_block();
    __threadfence();
    __threadfence_system();
    asm volatile("fence.acq_rel.gpu;");
    asm volatile("fence.sc.sys;");
    asm volatile("fence.sc.cta;");
    o[i + 64] = r;
}

extern "C" __global__ void local_array(int *o, const int *a, int n) {
    int buffer[64];
    double wide[16];
    for (int k = 0; k < 64; k++) buffer[k] = a[k] * k;
    for (int k = 0; k < 16; k++) wide[k] = a[k];
    for (int k = 0; k < n; k++) { buffer[a[k] & 63] += k; wide[a[k] & 15] *= 2; }
    char bytes[40];
    for (int k = 0; k < n; k++) bytes[(k * 7) % 40] = (char)a[k];
    short shorts[40];
    for (int k = 0; k < n; k++) shorts[(k * 5) % 40] = (short)a[k];
    o[threadIdx.x] = buffer[n & 63] + (int)wide[n & 15] + bytes[n % 40] + shorts[n % 40];
}

extern "C" __global__ void generic(int *o, int *a, int n) {
    __shared__ int s[32];
    int l[8] = {1, 2, 3, 4, 5, 6, 7, n};
    int *p = n > 3 ? (n > 5 ? s : a) : (n > 1 ? l : o);
    p[threadIdx.x & 7] += __isShared(p) + __isGlobal(p) + __isLocal(p) + __isConstant(p);
    *(long long *)(p + 2) = 5;
    *(char *)p = *(signed char *)(p + 1);
    *(short *)(p + 1) = *(unsigned short *)(p + 3);
    ((int4 *)p)[0] = ((int4 *)p)[1];
    o[threadIdx.x] = *p + atomicAdd(p, 3) + atomicCAS(p + 1, 4, 5) + atomicExch(p + 2, 6);
}
