// Transpose of a matrix, a tile per block, through shared memory so that rows
// are both read and written whole. A column more keeps its banks apart.

#define TILE 32

extern "C" __global__ void transpose(const float *from, float *to, int width, int height)
{
    __shared__ float tile[TILE][TILE + 1];

    const int left = blockIdx.x * TILE;
    const int top = blockIdx.y * TILE;
    for (int row = threadIdx.y; row < TILE; row += blockDim.y) {
        tile[row][threadIdx.x] = from[(top + row) * width + left + threadIdx.x];
    }
    __syncthreads();
    for (int row = threadIdx.y; row < TILE; row += blockDim.y) {
        to[(left + row) * height + top + threadIdx.x] = tile[threadIdx.x][row];
    }
}
