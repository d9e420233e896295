// Convolution of an image with a small mask, one pixel per work-item (AMD APP
// SDK, SimpleConvolution).

// Beyond the edges the image is 0. Results are cut to whole numbers.
__kernel void simpleConvolution(__global uint *output,
                                __global const uint *input,
                                __global const float *mask,
                                const uint width,
                                const uint height,
                                const uint maskWidth,
                                const uint maskHeight)
{
    const uint pixel = get_global_id(0);
    const int x = pixel % width;
    const int y = pixel / width;
    const int left = x - (int)(maskWidth / 2);
    const int top = y - (int)(maskHeight / 2);

    float sum = 0.0f;
    for (int j = 0; j < (int)maskHeight; j++) {
        for (int i = 0; i < (int)maskWidth; i++) {
            const int column = left + i;
            const int row = top + j;
            if (column >= 0 && column < (int)width && row >= 0 && row < (int)height) {
                sum += (float)input[row * width + column] * mask[j * maskWidth + i];
            }
        }
    }
    output[pixel] = (uint)sum;
}
