// Scalar products (kernels/sp) as an ordinary program; see app.h.
#include "../../kernels/sp/sp.cu"
#include "app.h"

int main(int argc, char **argv)
{
    App app("sp", argc, argv);
    const unsigned pairs = app.scaled(8u, 256u), length = app.scaled(2048u, 4096u);
    const unsigned grid = app.scaled(4u, 128u), block = 256;
    auto first = Generator(app.seed, 0).uniform(size_t(pairs) * length, 0.0f, 1.0f);
    auto second = Generator(app.seed, 1).uniform(size_t(pairs) * length, 0.0f, 1.0f);

    float *left = app.place(first);
    float *right = app.place(second);
    float *products = app.room<float>(pairs);
    scalarProdGPU<<<grid, block>>>(products, left, right, int(pairs), int(length));
    CHECK(cudaGetLastError());
    app.output("products", app.read(products, pairs));
    return app.finish();
}
