// Hotspot: temperature of a chip from the power its cells dissipate, an
// explicit time stepping of the heat equation on a grid. A block owns a tile
// with a halo as wide as the number of steps it takes before it must see its
// neighbours' results (a "pyramid": each step the trustworthy part of the tile
// shrinks by one cell on every side).

#define TILE 16
#define AMBIENT 80.0f

extern "C" __global__ void calculate_temp(int steps, float *power, float *temp_src, float *temp_dst,
                                          int cols, int rows, int border_cols, int border_rows,
                                          float cap, float rx, float ry, float rz, float step)
{
    __shared__ float now[TILE][TILE];
    __shared__ float heat[TILE][TILE];
    __shared__ float next[TILE][TILE];

    const int tx = threadIdx.x;
    const int ty = threadIdx.y;

    const float gain = step / cap;
    const float conduct_x = 1 / rx;
    const float conduct_y = 1 / ry;
    const float conduct_z = 1 / rz;

    // Grid position of this thread's cell; the tiles' inner parts are adjacent.
    const int left = (TILE - 2 * border_cols) * blockIdx.x - border_cols;
    const int top = (TILE - 2 * border_rows) * blockIdx.y - border_rows;
    const int col = left + tx;
    const int row = top + ty;
    const int cell = cols * row + col;
    const bool on_grid = col >= 0 && col < cols && row >= 0 && row < rows;

    if (on_grid) {
        now[ty][tx] = temp_src[cell];
        heat[ty][tx] = power[cell];
    }
    __syncthreads();

    // The part of the tile that lies on the grid. At the grid's edge a cell
    // is its own neighbour, so no heat flows out sideways.
    const int first_col = max(0, -left);
    const int last_col = min(TILE - 1, cols - 1 - left);
    const int first_row = max(0, -top);
    const int last_row = min(TILE - 1, rows - 1 - top);
    const int north = max(ty - 1, first_row);
    const int south = min(ty + 1, last_row);
    const int west = max(tx - 1, first_col);
    const int east = min(tx + 1, last_col);

    bool fresh = false;
    for (int done = 0; done < steps; done++) {
        const int margin = done + 1;
        fresh = on_grid && tx >= margin && tx < TILE - margin && ty >= margin && ty < TILE - margin;
        if (fresh) {
            const float here = now[ty][tx];
            next[ty][tx] =
                here + gain * (heat[ty][tx] +
                               (now[south][tx] + now[north][tx] - 2.0 * here) * conduct_y +
                               (now[ty][east] + now[ty][west] - 2.0 * here) * conduct_x +
                               (AMBIENT - here) * conduct_z);
        }
        __syncthreads();
        if (done == steps - 1) {
            break;
        }
        if (fresh) {
            now[ty][tx] = next[ty][tx];
        }
        __syncthreads();
    }

    if (fresh) {
        temp_dst[cell] = next[ty][tx];
    }
}
