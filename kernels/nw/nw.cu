// Needleman-Wunsch global alignment scores. Tiles of 16 x 16 scores are
// independent along an anti-diagonal: one launch per anti-diagonal of tiles,
// and the same wave again inside a tile, one thread per column.

#define TILE 16

__device__ __forceinline__ void align_tile(int *similarity, int *score, int cols, int penalty,
                                           int tile_x, int tile_y)
{
    __shared__ int local[TILE + 1][TILE + 1];
    __shared__ int match[TILE][TILE];

    const int lane = threadIdx.x;
    // The tile's scores start one row and one column in; row 0 and column 0 of
    // `local` hold the scores above and left of it.
    const int corner = cols * TILE * tile_y + TILE * tile_x;

    for (int row = 0; row < TILE; row++) {
        match[row][lane] = similarity[corner + cols * (row + 1) + lane + 1];
    }
    if (lane == 0) {
        local[0][0] = score[corner];
    }
    local[lane + 1][0] = score[corner + cols * (lane + 1)];
    local[0][lane + 1] = score[corner + lane + 1];
    __syncthreads();

    for (int wave = 0; wave < TILE; wave++) {
        if (lane <= wave) {
            const int x = lane + 1;
            const int y = wave - lane + 1;
            local[y][x] = max(local[y - 1][x - 1] + match[y - 1][x - 1],
                              max(local[y][x - 1] - penalty, local[y - 1][x] - penalty));
        }
        __syncthreads();
    }
    for (int wave = TILE - 2; wave >= 0; wave--) {
        if (lane <= wave) {
            const int x = lane + TILE - wave;
            const int y = TILE - lane;
            local[y][x] = max(local[y - 1][x - 1] + match[y - 1][x - 1],
                              max(local[y][x - 1] - penalty, local[y - 1][x] - penalty));
        }
        __syncthreads();
    }

    for (int row = 0; row < TILE; row++) {
        score[corner + cols * (row + 1) + lane + 1] = local[row + 1][lane + 1];
    }
}

// Upper left triangle of tiles: anti-diagonal `diagonal` has that many tiles.
extern "C" __global__ void needle_cuda_shared_1(int *similarity, int *score, int cols, int penalty,
                                                int diagonal, int tiles)
{
    align_tile(similarity, score, cols, penalty, blockIdx.x, diagonal - 1 - blockIdx.x);
}

// Lower right triangle.
extern "C" __global__ void needle_cuda_shared_2(int *similarity, int *score, int cols, int penalty,
                                                int diagonal, int tiles)
{
    align_tile(similarity, score, cols, penalty, blockIdx.x + tiles - diagonal,
               tiles - 1 - blockIdx.x);
}
