// Pathfinder (kernels/pathf) as an ordinary program; see app.h.
#include "../../kernels/pathf/pathf.cu"
#include "app.h"

#include <algorithm>
#include <utility>

int main(int argc, char **argv)
{
    App app("pathf", argc, argv);
    const unsigned cols = app.scaled(500u, 10000u), rows = app.scaled(30u, 100u), pyramid = 20;
    std::vector<int> weights(size_t(rows) * cols);
    Generator generator(app.seed, 0);
    for (int &weight : weights) {
        weight = int(generator.below(10));
    }
    std::vector<int> first(weights.begin(), weights.begin() + cols);
    std::vector<int> rest(weights.begin() + cols, weights.end());

    int *wall = app.place(rest);
    int *from = app.place(first);
    int *to = app.room<int>(cols);
    const unsigned grid = div_ceil(cols, STRIP - 2 * pyramid);
    for (unsigned row = 0; row < rows - 1;) {
        unsigned steps = std::min(pyramid, rows - 1 - row);
        dynproc_kernel<<<grid, STRIP>>>(int(steps), wall, from, to, int(cols), int(rows), int(row), int(pyramid));
        CHECK(cudaGetLastError());
        std::swap(from, to);
        row += steps;
    }
    app.output("costs", app.read(from, cols));
    return app.finish();
}
