// Product of two square matrices, a tile of it per block: tiles of both factors
// go through shared memory one pair after the other.

#define TILE 16

extern "C" __global__ void matrixMul(float *product, const float *left, const float *right,
                                     int size)
{
    __shared__ float a[TILE][TILE];
    __shared__ float b[TILE][TILE];

    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int row = blockIdx.y * TILE + ty;
    const int col = blockIdx.x * TILE + tx;

    float sum = 0.0f;
    for (int first = 0; first < size; first += TILE) {
        a[ty][tx] = left[row * size + first + tx];
        b[ty][tx] = right[(first + ty) * size + col];
        __syncthreads();
        for (int k = 0; k < TILE; k++) {
            sum += a[ty][k] * b[k][tx];
        }
        __syncthreads();
    }
    product[row * size + col] = sum;
}
