// Luma of an image's pixels, which are three bytes each: the weights of ITU-R
// BT.601 in 256ths, rounded.

extern "C" __global__ void rgbToGray(const unsigned char *colours, unsigned char *luma, int width,
                                     int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) {
        return;
    }
    const int pixel = y * width + x;
    const int red = colours[3 * pixel];
    const int green = colours[3 * pixel + 1];
    const int blue = colours[3 * pixel + 2];
    luma[pixel] = (77 * red + 150 * green + 29 * blue + 128) >> 8;
}
