// Speckle reducing anisotropic diffusion, first version: one thread per pixel
// of a column-major image, neighbours found through index arrays, and the
// image's statistics reduced on the device.

#define THREADS 512

extern "C" __global__ void extract(long pixels, float *image)
{
    const long pixel = blockIdx.x * THREADS + threadIdx.x;
    if (pixel < pixels) {
        image[pixel] = exp(image[pixel] / 255);
    }
}

extern "C" __global__ void prepare(long pixels, float *image, float *sums, float *squares)
{
    const long pixel = blockIdx.x * THREADS + threadIdx.x;
    if (pixel < pixels) {
        const float value = image[pixel];
        sums[pixel] = value;
        squares[pixel] = value * value;
    }
}

// One level of the reduction: `count` values, `stride` apart, become one value
// per block, left where the block's first value was.
extern "C" __global__ void reduce(long pixels, int count, int stride, float *sums, float *squares)
{
    __shared__ float sum[THREADS];
    __shared__ float square[THREADS];

    const int lane = threadIdx.x;
    const int item = blockIdx.x * THREADS + lane;
    const long place = (long)item * stride;
    const bool given = item < count && place < pixels;
    sum[lane] = given ? sums[place] : 0.0f;
    square[lane] = given ? squares[place] : 0.0f;
    __syncthreads();

    // After each round the last thread of every span holds the span's sum.
    for (int span = 2; span <= THREADS; span *= 2) {
        if ((lane + 1) % span == 0) {
            sum[lane] += sum[lane - span / 2];
            square[lane] += square[lane - span / 2];
        }
        __syncthreads();
    }

    if (lane == THREADS - 1) {
        const long home = (long)blockIdx.x * THREADS * stride;
        sums[home] = sum[lane];
        squares[home] = square[lane];
    }
}

// Directional derivatives and the diffusion coefficient of every pixel.
extern "C" __global__ void srad(float lambda, int rows, int cols, long pixels, int *north_of,
                                int *south_of, int *east_of, int *west_of, float *north,
                                float *south, float *west, float *east, float speckle,
                                float *coefficient, float *image)
{
    const int pixel = blockIdx.x * THREADS + threadIdx.x;
    if (pixel < pixels) {
        const int row = pixel % rows;
        const int col = pixel / rows;

        const float here = image[pixel];
        const float dn = image[north_of[row] + rows * col] - here;
        const float ds = image[south_of[row] + rows * col] - here;
        const float dw = image[row + rows * west_of[col]] - here;
        const float de = image[row + rows * east_of[col]] - here;

        const float gradient = (dn * dn + ds * ds + dw * dw + de * de) / (here * here);
        const float laplacian = (dn + ds + dw + de) / here;
        const float variation = (0.5 * gradient) - ((1.0 / 16.0) * (laplacian * laplacian));
        const float scale = 1 + (0.25 * laplacian);
        const float q = variation / (scale * scale);
        const float excess = (q - speckle) / (speckle * (1 + speckle));
        float c = 1.0 / (1.0 + excess);
        if (c < 0) {
            c = 0;
        } else if (c > 1) {
            c = 1;
        }

        north[pixel] = dn;
        south[pixel] = ds;
        west[pixel] = dw;
        east[pixel] = de;
        coefficient[pixel] = c;
    }
}

// The diffusion step: each pixel moves by the divergence of the flow.
extern "C" __global__ void srad2(float lambda, int rows, int cols, long pixels, int *north_of,
                                 int *south_of, int *east_of, int *west_of, float *north,
                                 float *south, float *west, float *east, float *coefficient,
                                 float *image)
{
    const int pixel = blockIdx.x * THREADS + threadIdx.x;
    if (pixel < pixels) {
        const int row = pixel % rows;
        const int col = pixel / rows;

        const float cn = coefficient[pixel];
        const float cs = coefficient[south_of[row] + rows * col];
        const float cw = coefficient[pixel];
        const float ce = coefficient[row + rows * east_of[col]];

        const float divergence =
            cn * north[pixel] + cs * south[pixel] + cw * west[pixel] + ce * east[pixel];
        image[pixel] = image[pixel] + 0.25 * lambda * divergence;
    }
}

extern "C" __global__ void compress(long pixels, float *image)
{
    const long pixel = blockIdx.x * THREADS + threadIdx.x;
    if (pixel < pixels) {
        image[pixel] = log(image[pixel]) * 255;
    }
}
