// What Ampere added: asynchronous copies, warp reductions, new number formats, bigger tiles.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
extern "C" __global__ void copies(int *o, const int *a, int n) {
    __shared__ int tile[1024];
    unsigned p = (unsigned)__cvta_generic_to_shared(tile + threadIdx.x * 4);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(p), "l"(a + threadIdx.x));
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(p), "l"(a + threadIdx.x * 2));
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(p), "l"(a + threadIdx.x * 4));
    asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;" ::"r"(p), "l"(a + threadIdx.x * 4), "r"(n));
    asm volatile("cp.async.commit_group;");
    asm volatile("cp.async.wait_group 2;");
    asm volatile("cp.async.wait_all;");
    unsigned long long state;
    __shared__ unsigned long long barrier;
    unsigned q = (unsigned)__cvta_generic_to_shared(&barrier);
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(q), "r"(32));
    asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(q));
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(q));
    int done;
    asm volatile("{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.s32 %0, 1, 0, p; }" : "=r"(done) : "r"(q), "l"(state));
    __syncthreads();
    o[threadIdx.x] = tile[threadIdx.x] + done;
    asm volatile("ld.global.L2::128B.s32 %0, [%1];" : "=r"(done) : "l"(a + 3));
    o[1] = done;
    asm volatile("ld.global.L1::evict_last.s32 %0, [%1];" : "=r"(done) : "l"(a + 5));
    o[2] = done;
    asm volatile("ld.global.L1::no_allocate.s32 %0, [%1];" : "=r"(done) : "l"(a + 6));
    o[3] = done;
}
extern "C" __global__ void reductions(unsigned *o, const unsigned *a) {
    unsigned x = a[threadIdx.x];
    o[0] = __reduce_add_sync(0xffffffff, x) + __reduce_min_sync(0xffffffff, x) + __reduce_max_sync(0xffffffff, x);
    o[1] = __reduce_and_sync(0xffffffff, x) + __reduce_or_sync(0xffffffff, x) + __reduce_xor_sync(0xffffffff, x);
    o[2] = __reduce_min_sync(0xffffffff, (int)x) + __reduce_max_sync(0xffffffff, (int)x) + __reduce_add_sync(0xffff, (int)x);
}
extern "C" __global__ void formats(__nv_bfloat162 *o, const __nv_bfloat162 *a, __half2 *h) {
    int i = threadIdx.x;
    __nv_bfloat162 x = a[i], y = a[i + 32], z = a[i + 64];
    o[i] = __hfma2(x, y, z);
    o[i + 32] = __hmax2(x, __hmin2(y, z));
    o[i + 64] = __hfma2_relu(x, y, z);
    o[i + 96] = __floats2bfloat162_rn(1.f, __low2float(x));
    h[i] = __hmax2(h[i + 1], __hmin2_nan(h[i + 2], h[i + 3]));
    h[i + 9] = __hfma2_relu(h[i], h[i + 1], h[i + 2]);
    o[i + 128] = __hadd2(x, __hmul2(y, z));
    if (__hbgt2(x, y)) o[i + 160] = h2exp2(z);
    o[i + 192] = __hgt2(x, y);
    o[i + 256] = h2rcp(x);
}
extern "C" __global__ void tiles(unsigned *c, const unsigned *a, double *d) {
    unsigned r0 = c[0], r1 = c[1], r2 = c[2], r3 = c[3];
#define MMA(shape, at, bt) asm volatile("mma.sync.aligned." shape ".row.col.f32." at "." bt ".f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};" : "+r"(r0), "+r"(r1), "+r"(r2), "+r"(r3) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(a[4]), "r"(a[5]));
    MMA("m16n8k16", "f16", "f16") MMA("m16n8k16", "bf16", "bf16") MMA("m16n8k8", "tf32", "tf32")
    asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};" : "+r"(r0), "+r"(r1), "+r"(r2), "+r"(r3) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(a[4]), "r"(a[5]));
    asm volatile("mma.sync.aligned.m16n8k64.row.col.satfinite.s32.u4.s4.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};" : "+r"(r0), "+r"(r1), "+r"(r2), "+r"(r3) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(a[4]), "r"(a[5]));
    asm volatile("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};" : "+r"(r0), "+r"(r1), "+r"(r2), "+r"(r3) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(a[4]), "r"(a[5]));
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};" : "+d"(d[0]), "+d"(d[1]) : "d"(d[2]), "d"(d[3]));
    c[0] = r0; c[1] = r1; c[2] = r2; c[3] = r3;
    asm volatile("mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9,%10,%11}, {%0,%1,%2,%3}, %12, 0x0;" : "+r"(r0), "+r"(r1), "+r"(r2), "+r"(r3) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(a[4]), "r"(a[5]), "r"(a[6]), "r"(a[7]), "r"(a[8]));
    c[4] = r0; c[5] = r1; c[6] = r2; c[7] = r3;
}
