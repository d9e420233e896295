// Matrix multiplication in tiles (kernels/mmul) as an ordinary program; see app.h.
#include "../../kernels/mmul/mmul.cu"
#include "app.h"

int main(int argc, char **argv)
{
    App app("mmul", argc, argv);
    const unsigned size = app.scaled(32u, 64u);
    auto first = Generator(app.seed, 0).uniform(size_t(size) * size, 0.0f, 1.0f);
    auto second = Generator(app.seed, 1).uniform(size_t(size) * size, 0.0f, 1.0f);

    float *left = app.place(first);
    float *right = app.place(second);
    float *product = app.room<float>(first.size());
    const unsigned tiles = size / TILE;
    matrixMul<<<dim3(tiles, tiles), dim3(TILE, TILE)>>>(product, left, right, int(size));
    CHECK(cudaGetLastError());
    app.output("product", app.read(product, first.size()));
    return app.finish();
}
