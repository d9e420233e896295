// Speckle reducing anisotropic diffusion, second version: 16 x 16 tiles of a
// row-major image in shared memory, statistics of the speckle region from the
// host. Rows and columns are multiples of the tile.

#define TILE 16

extern "C" __global__ void srad_cuda_1(float *east, float *west, float *north, float *south,
                                       float *image, float *coefficient, int cols, int rows,
                                       float speckle)
{
    __shared__ float tile[TILE][TILE];
    __shared__ float result[TILE][TILE];
    __shared__ float above[TILE][TILE];
    __shared__ float below[TILE][TILE];
    __shared__ float right[TILE][TILE];
    __shared__ float left[TILE][TILE];

    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int first_col = TILE * blockIdx.x;
    const int first_row = TILE * blockIdx.y;
    const int col = first_col + tx;
    const int row = first_row + ty;
    const int pixel = cols * row + col;

    // The rows and columns just outside the tile; the image's own edge where
    // there is nothing outside.
    above[ty][tx] = image[cols * max(first_row - 1, 0) + col];
    below[ty][tx] = image[cols * min(first_row + TILE, rows - 1) + col];
    left[ty][tx] = image[cols * row + max(first_col - 1, 0)];
    right[ty][tx] = image[cols * row + min(first_col + TILE, cols - 1)];
    tile[ty][tx] = image[pixel];
    __syncthreads();

    const float here = tile[ty][tx];
    const float dn = (ty == 0 ? above[ty][tx] : tile[ty - 1][tx]) - here;
    const float ds = (ty == TILE - 1 ? below[ty][tx] : tile[ty + 1][tx]) - here;
    const float dw = (tx == 0 ? left[ty][tx] : tile[ty][tx - 1]) - here;
    const float de = (tx == TILE - 1 ? right[ty][tx] : tile[ty][tx + 1]) - here;

    const float gradient = (dn * dn + ds * ds + dw * dw + de * de) / (here * here);
    const float laplacian = (dn + ds + dw + de) / here;
    const float variation = (0.5 * gradient) - ((1.0 / 16.0) * (laplacian * laplacian));
    const float scale = 1 + (0.25 * laplacian);
    const float q = variation / (scale * scale);
    const float excess = (q - speckle) / (speckle * (1 + speckle));
    const float c = 1.0 / (1.0 + excess);
    result[ty][tx] = c < 0 ? 0.0f : (c > 1 ? 1.0f : c);
    __syncthreads();

    coefficient[pixel] = result[ty][tx];
    east[pixel] = de;
    west[pixel] = dw;
    south[pixel] = ds;
    north[pixel] = dn;
}

extern "C" __global__ void srad_cuda_2(float *east, float *west, float *north, float *south,
                                       float *image, float *coefficient, int cols, int rows,
                                       float lambda, float speckle)
{
    __shared__ float below[TILE][TILE];
    __shared__ float right[TILE][TILE];
    __shared__ float flow[TILE][TILE];
    __shared__ float result[TILE][TILE];
    __shared__ float tile[TILE][TILE];

    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int first_col = TILE * blockIdx.x;
    const int first_row = TILE * blockIdx.y;
    const int col = first_col + tx;
    const int row = first_row + ty;
    const int pixel = cols * row + col;

    tile[ty][tx] = image[pixel];
    below[ty][tx] = coefficient[cols * min(first_row + TILE, rows - 1) + col];
    right[ty][tx] = coefficient[cols * row + min(first_col + TILE, cols - 1)];
    flow[ty][tx] = coefficient[pixel];
    __syncthreads();

    const float here = flow[ty][tx];
    const float cs = ty == TILE - 1 ? below[ty][tx] : flow[ty + 1][tx];
    const float ce = tx == TILE - 1 ? right[ty][tx] : flow[ty][tx + 1];

    const float divergence =
        here * north[pixel] + cs * south[pixel] + here * west[pixel] + ce * east[pixel];
    result[ty][tx] = tile[ty][tx] + 0.25 * lambda * divergence;
    __syncthreads();

    image[pixel] = result[ty][tx];
}
