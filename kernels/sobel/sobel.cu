// Strength of the edges in an image of bytes: Sobel's two gradients, the sum of
// their sizes, at most 255. The outermost pixels have no neighbours all around
// and are left as they are.

extern "C" __global__ void sobel(const unsigned char *image, unsigned char *edges, int width,
                                 int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1) {
        return;
    }
    const unsigned char *above = image + (y - 1) * width + x;
    const unsigned char *level = above + width;
    const unsigned char *below = level + width;

    const int across = (above[1] + 2 * level[1] + below[1]) - (above[-1] + 2 * level[-1] + below[-1]);
    const int down = (below[-1] + 2 * below[0] + below[1]) - (above[-1] + 2 * above[0] + above[1]);
    edges[y * width + x] = min(abs(across) + abs(down), 255);
}
