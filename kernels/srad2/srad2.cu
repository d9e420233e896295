// Speckle reducing anisotropic diffusion, second version: 16 x 16 tiles of a
// row-major image in shared memory, statistics of the speckle region from the
// host. Rows and columns are multiples of the tile.
//
// As published, every array of a tile is loaded in a step of its own with a
// barrier after it, and the neighbours of a tile at the image's edge are first
// loaded from where there is no pixel and then replaced by the edge itself.
// The host leaves a row of room before and after the arrays for that.

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

    const int bx = blockIdx.x;
    const int by = blockIdx.y;
    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    // The tile's first pixel, this thread's, and those just outside the tile.
    const int corner = cols * TILE * by + TILE * bx;
    const int pixel = corner + cols * ty + tx;
    const int pixel_above = corner + tx - cols;
    const int pixel_below = corner + cols * TILE + tx;
    const int pixel_left = corner + cols * ty - 1;
    const int pixel_right = corner + cols * ty + TILE;

    above[ty][tx] = image[pixel_above];
    below[ty][tx] = image[pixel_below];
    if (by == 0) {
        above[ty][tx] = image[TILE * bx + tx];
        below[ty][tx] = image[pixel_below];
    } else if (by == gridDim.y - 1) {
        above[ty][tx] = image[pixel_above];
        below[ty][tx] =
            image[cols * TILE * (gridDim.y - 1) + TILE * bx + cols * (TILE - 1) + tx];
    }
    __syncthreads();

    left[ty][tx] = image[pixel_left];
    right[ty][tx] = image[pixel_right];
    if (bx == 0) {
        left[ty][tx] = image[cols * TILE * by + cols * ty];
        right[ty][tx] = image[pixel_right];
    } else if (bx == gridDim.x - 1) {
        left[ty][tx] = image[pixel_left];
        right[ty][tx] = image[cols * TILE * by + TILE * (gridDim.x - 1) + cols * ty + TILE - 1];
    }
    __syncthreads();

    tile[ty][tx] = image[pixel];
    __syncthreads();

    const float here = tile[ty][tx];
    float dn, ds, dw, de;
    if (ty == 0 && tx == 0) {
        dn = above[ty][tx] - here;
        ds = tile[ty + 1][tx] - here;
        dw = left[ty][tx] - here;
        de = tile[ty][tx + 1] - here;
    } else if (ty == 0 && tx == TILE - 1) {
        dn = above[ty][tx] - here;
        ds = tile[ty + 1][tx] - here;
        dw = tile[ty][tx - 1] - here;
        de = right[ty][tx] - here;
    } else if (ty == TILE - 1 && tx == TILE - 1) {
        dn = tile[ty - 1][tx] - here;
        ds = below[ty][tx] - here;
        dw = tile[ty][tx - 1] - here;
        de = right[ty][tx] - here;
    } else if (ty == TILE - 1 && tx == 0) {
        dn = tile[ty - 1][tx] - here;
        ds = below[ty][tx] - here;
        dw = left[ty][tx] - here;
        de = tile[ty][tx + 1] - here;
    } else if (ty == 0) {
        dn = above[ty][tx] - here;
        ds = tile[ty + 1][tx] - here;
        dw = tile[ty][tx - 1] - here;
        de = tile[ty][tx + 1] - here;
    } else if (tx == TILE - 1) {
        dn = tile[ty - 1][tx] - here;
        ds = tile[ty + 1][tx] - here;
        dw = tile[ty][tx - 1] - here;
        de = right[ty][tx] - here;
    } else if (ty == TILE - 1) {
        dn = tile[ty - 1][tx] - here;
        ds = below[ty][tx] - here;
        dw = tile[ty][tx - 1] - here;
        de = tile[ty][tx + 1] - here;
    } else if (tx == 0) {
        dn = tile[ty - 1][tx] - here;
        ds = tile[ty + 1][tx] - here;
        dw = left[ty][tx] - here;
        de = tile[ty][tx + 1] - here;
    } else {
        dn = tile[ty - 1][tx] - here;
        ds = tile[ty + 1][tx] - here;
        dw = tile[ty][tx - 1] - here;
        de = tile[ty][tx + 1] - here;
    }

    const float gradient = (dn * dn + ds * ds + dw * dw + de * de) / (here * here);
    const float laplacian = (dn + ds + dw + de) / here;
    const float variation = (0.5 * gradient) - ((1.0 / 16.0) * (laplacian * laplacian));
    const float scale = 1 + (0.25 * laplacian);
    const float q = variation / (scale * scale);
    const float excess = (q - speckle) / (speckle * (1 + speckle));
    const float c = 1.0 / (1.0 + excess);
    if (c < 0) {
        result[ty][tx] = 0;
    } else if (c > 1) {
        result[ty][tx] = 1;
    } else {
        result[ty][tx] = c;
    }
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

    const int bx = blockIdx.x;
    const int by = blockIdx.y;
    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int corner = cols * TILE * by + TILE * bx;
    const int pixel = corner + cols * ty + tx;
    const int pixel_below = corner + cols * TILE + tx;
    const int pixel_right = corner + cols * ty + TILE;

    tile[ty][tx] = image[pixel];
    __syncthreads();

    below[ty][tx] = coefficient[pixel_below];
    if (by == gridDim.y - 1) {
        below[ty][tx] =
            coefficient[cols * TILE * (gridDim.y - 1) + TILE * bx + cols * (TILE - 1) + tx];
    }
    __syncthreads();

    right[ty][tx] = coefficient[pixel_right];
    if (bx == gridDim.x - 1) {
        right[ty][tx] =
            coefficient[cols * TILE * by + TILE * (gridDim.x - 1) + cols * ty + TILE - 1];
    }
    __syncthreads();

    flow[ty][tx] = coefficient[pixel];
    __syncthreads();

    const float here = flow[ty][tx];
    float cn, cs, cw, ce;
    if (ty == TILE - 1 && tx == TILE - 1) {
        cn = here;
        cs = below[ty][tx];
        cw = here;
        ce = right[ty][tx];
    } else if (tx == TILE - 1) {
        cn = here;
        cs = flow[ty + 1][tx];
        cw = here;
        ce = right[ty][tx];
    } else if (ty == TILE - 1) {
        cn = here;
        cs = below[ty][tx];
        cw = here;
        ce = flow[ty][tx + 1];
    } else {
        cn = here;
        cs = flow[ty + 1][tx];
        cw = here;
        ce = flow[ty][tx + 1];
    }

    const float divergence =
        cn * north[pixel] + cs * south[pixel] + cw * west[pixel] + ce * east[pixel];
    result[ty][tx] = tile[ty][tx] + 0.25 * lambda * divergence;
    __syncthreads();

    image[pixel] = result[ty][tx];
}
