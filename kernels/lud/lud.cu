// Blocked LU decomposition in place, without pivoting: L (unit diagonal) below
// the diagonal, U on and above it. Per step: the diagonal block, then the
// blocks right of and under it, then everything right and under those.

#define BLOCK 16

extern "C" __global__ void lud_diagonal(float *m, int dim, int offset)
{
    __shared__ float block[BLOCK][BLOCK];
    const int lane = threadIdx.x;
    float *corner = m + offset * dim + offset;

    for (int row = 0; row < BLOCK; row++) {
        block[row][lane] = corner[row * dim + lane];
    }
    __syncthreads();

    for (int pivot = 0; pivot < BLOCK - 1; pivot++) {
        // Column `pivot` of L, one row per thread.
        if (lane > pivot) {
            for (int k = 0; k < pivot; k++) {
                block[lane][pivot] -= block[lane][k] * block[k][pivot];
            }
            block[lane][pivot] /= block[pivot][pivot];
        }
        __syncthreads();
        // Row `pivot + 1` of U, one column per thread.
        if (lane > pivot) {
            for (int k = 0; k < pivot + 1; k++) {
                block[pivot + 1][lane] -= block[pivot + 1][k] * block[k][lane];
            }
        }
        __syncthreads();
    }

    // Row 0 of U is the input's.
    for (int row = 1; row < BLOCK; row++) {
        corner[row * dim + lane] = block[row][lane];
    }
}

// The first half of the threads solves a block of U right of the diagonal
// block, the second half a block of L under it.
extern "C" __global__ void lud_perimeter(float *m, int dim, int offset)
{
    __shared__ float dia[BLOCK][BLOCK];
    __shared__ float strip_row[BLOCK][BLOCK];
    __shared__ float strip_col[BLOCK][BLOCK];

    const bool upper = threadIdx.x < BLOCK;
    const int lane = upper ? threadIdx.x : threadIdx.x - BLOCK;
    float *corner = m + offset * dim + offset;
    float *row_block = corner + (blockIdx.x + 1) * BLOCK;
    float *col_block = corner + (blockIdx.x + 1) * BLOCK * dim;

    // Each half loads half of the diagonal block and one of the strips.
    if (upper) {
        for (int row = 0; row < BLOCK / 2; row++) {
            dia[row][lane] = corner[row * dim + lane];
        }
        for (int row = 0; row < BLOCK; row++) {
            strip_row[row][lane] = row_block[row * dim + lane];
        }
    } else {
        for (int row = BLOCK / 2; row < BLOCK; row++) {
            dia[row][lane] = corner[row * dim + lane];
        }
        for (int row = 0; row < BLOCK; row++) {
            strip_col[row][lane] = col_block[row * dim + lane];
        }
    }
    __syncthreads();

    if (upper) {
        for (int row = 1; row < BLOCK; row++) {
            for (int k = 0; k < row; k++) {
                strip_row[row][lane] -= dia[row][k] * strip_row[k][lane];
            }
        }
    } else {
        for (int col = 0; col < BLOCK; col++) {
            for (int k = 0; k < col; k++) {
                strip_col[lane][col] -= strip_col[lane][k] * dia[k][col];
            }
            strip_col[lane][col] /= dia[col][col];
        }
    }
    __syncthreads();

    if (upper) {
        for (int row = 1; row < BLOCK; row++) {
            row_block[row * dim + lane] = strip_row[row][lane];
        }
    } else {
        for (int row = 0; row < BLOCK; row++) {
            col_block[row * dim + lane] = strip_col[row][lane];
        }
    }
}

// A block of what remains, less the product of its strips of L and U.
extern "C" __global__ void lud_internal(float *m, int dim, int offset)
{
    __shared__ float strip_row[BLOCK][BLOCK];
    __shared__ float strip_col[BLOCK][BLOCK];

    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int row = offset + (blockIdx.y + 1) * BLOCK + ty;
    const int col = offset + (blockIdx.x + 1) * BLOCK + tx;

    strip_row[ty][tx] = m[(offset + ty) * dim + col];
    strip_col[ty][tx] = m[row * dim + offset + tx];
    __syncthreads();

    float product = 0;
    for (int k = 0; k < BLOCK; k++) {
        product += strip_col[ty][k] * strip_row[k][tx];
    }
    m[row * dim + col] -= product;
}
