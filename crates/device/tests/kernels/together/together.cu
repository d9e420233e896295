// Blocks that wait for each other: grid.sync() of cooperative launches.

// The headers' own traits, so that no other library is needed.
#define __ibmxl__
#include <cooperative_groups.h>
#undef __ibmxl__

namespace cg = cooperative_groups;

extern "C" __global__ void rotate(unsigned *data, unsigned *facts, int rounds) {
    cg::grid_group grid = cg::this_grid();
    unsigned n = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int r = 0; r < rounds; r++) {
        unsigned v = ((volatile unsigned *)data)[(i + 1) % n];
        grid.sync();
        data[i] = v + 1;
        grid.sync();
    }
    if (i == 0) {
        facts[0] = grid.size();
        facts[1] = grid.is_valid();
    }
}
