// Pathfinder: cheapest way through a grid of weights, row by row; a step goes
// straight on or one column aside. A block advances several rows over a strip
// with a halo, whose trustworthy part shrinks by one column a side per row.

#define STRIP 256

extern "C" __global__ void dynproc_kernel(int steps, int *wall, int *src, int *dst, int cols,
                                          int rows, int first_row, int border)
{
    __shared__ int best[STRIP];
    __shared__ int next[STRIP];

    const int tx = threadIdx.x;
    const int left = (STRIP - 2 * border) * blockIdx.x - border;
    const int col = left + tx;
    const bool on_grid = col >= 0 && col < cols;

    // Columns of the strip that exist; at the wall's edge a column is its own
    // neighbour.
    const int first = max(0, -left);
    const int last = min(STRIP - 1, cols - 1 - left);
    const int west = max(tx - 1, first);
    const int east = min(tx + 1, last);

    if (on_grid) {
        best[tx] = src[col];
    }
    __syncthreads();

    bool fresh = false;
    for (int done = 0; done < steps; done++) {
        fresh = on_grid && tx >= done + 1 && tx <= STRIP - 2 - done;
        if (fresh) {
            const int cheapest = min(best[tx], min(best[west], best[east]));
            next[tx] = cheapest + wall[cols * (first_row + done) + col];
        }
        __syncthreads();
        if (done == steps - 1) {
            break;
        }
        if (fresh) {
            best[tx] = next[tx];
        }
        __syncthreads();
    }

    if (fresh) {
        dst[col] = next[tx];
    }
}
