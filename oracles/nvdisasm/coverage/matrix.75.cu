// Tensor cores of Turing: integers, bits, matrix loads.
#include <mma.h>
using namespace nvcuda;
extern "C" __global__ void wmma8(signed char *a, signed char *b, int *c) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, signed char, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, int> fc;
    wmma::fill_fragment(fc, 1);
    wmma::load_matrix_sync(fa, a, 16);
    wmma::load_matrix_sync(fb, b, 16);
    wmma::mma_sync(fc, fa, fb, fc, true);
    wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
}
extern "C" __global__ void bits(unsigned *a, unsigned *b, int *c) {
    int x = c[0], y = c[1], d0, d1;
    asm volatile("mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc {%0,%1}, {%2}, {%3}, {%4,%5};" : "=r"(d0), "=r"(d1) : "r"(a[0]), "r"(b[0]), "r"(x), "r"(y));
    c[0] = d0 + d1;
    asm volatile("mma.sync.aligned.m8n8k32.row.col.s32.s4.u4.s32 {%0,%1}, {%2}, {%3}, {%4,%5};" : "=r"(d0), "=r"(d1) : "r"(a[1]), "r"(b[1]), "r"(x), "r"(y));
    c[1] = d0 + d1;
    asm volatile("mma.sync.aligned.m8n8k16.row.col.s32.u8.s8.s32 {%0,%1}, {%2}, {%3}, {%4,%5};" : "=r"(d0), "=r"(d1) : "r"(a[2]), "r"(b[2]), "r"(x), "r"(y));
    c[2] = d0 + d1;
    __shared__ unsigned tile[256];
    tile[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    unsigned p = (unsigned)__cvta_generic_to_shared(tile + threadIdx.x), r0, r1, r2, r3;
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(r0) : "r"(p));
    c[3] = r0;
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];" : "=r"(r0), "=r"(r1) : "r"(p));
    c[4] = r0 + r1;
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3) : "r"(p));
    c[5] = r0 + r1 + r2 + r3;
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3}, {%4}, {%5,%6};" : "=r"(r2), "=r"(r3) : "r"(a[7]), "r"(a[8]), "r"(b[7]), "r"(r0), "r"(r1));
    c[6] = r2 + r3;
}
