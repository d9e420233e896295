// The method of gpu-burn, and of DCGM's `diagnostic`, to be graded beside our
// tests: a product of random matrices again and again, each element compared
// with that of the first product, by the same GPU, with an absolute tolerance.
// Written anew; their products are cuBLAS's.

typedef unsigned int u32;

// A CTA of 8 x 8 threads has a tile of 32 x 32 elements, a thread 4 x 4 of them.
#define TILE 32
#define DEPTH 16
#define EACH 4
#define SIDE (TILE / EACH)

// c = a b, square matrices of n rows, a multiple of 32.
extern "C" __global__ void rival_product(const float *a, const float *b, float *c, u32 n) {
    __shared__ float left[DEPTH][TILE], right[DEPTH][TILE];
    u32 thread = threadIdx.x, row = thread / SIDE, column = thread % SIDE;
    u32 top = blockIdx.y * TILE, first = blockIdx.x * TILE;
    float sum[EACH][EACH] = {};
    for (u32 k = 0; k < n; k += DEPTH) {
#pragma unroll
        for (u32 i = thread; i < TILE * DEPTH; i += SIDE * SIDE) {
            left[i % DEPTH][i / DEPTH] = a[(top + i / DEPTH) * n + k + i % DEPTH];
            right[i / TILE][i % TILE] = b[(k + i / TILE) * n + first + i % TILE];
        }
        __syncthreads();
#pragma unroll
        for (u32 d = 0; d < DEPTH; d++)
#pragma unroll
            for (u32 y = 0; y < EACH; y++)
#pragma unroll
                for (u32 x = 0; x < EACH; x++)
                    sum[y][x] = __fmaf_rn(left[d][row * EACH + y], right[d][column * EACH + x],
                                          sum[y][x]);
        __syncthreads();
    }
#pragma unroll
    for (u32 y = 0; y < EACH; y++)
#pragma unroll
        for (u32 x = 0; x < EACH; x++)
            c[(top + row * EACH + y) * n + first + column * EACH + x] = sum[y][x];
}

// Elements of the later products that differ from the first by more than epsilon;
// a comparison with NaN is false.
extern "C" __global__ void rival_compare(const float *c, u32 *faulty, u32 elements, u32 products,
                                         float epsilon) {
    u32 element = blockIdx.x * blockDim.x + threadIdx.x, found = 0;
    for (u32 i = 1; i < products; i++)
        if (fabsf(c[element] - c[element + i * elements]) > epsilon)
            found++;
    atomicAdd(faulty, found);
}
