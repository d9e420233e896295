// Matrix transpose in tiles (kernels/tran) as an ordinary program; see app.h.
#include "../../kernels/tran/tran.cu"
#include "app.h"

int main(int argc, char **argv)
{
    App app("tran", argc, argv);
    const unsigned width = app.scaled(64u, 128u), height = app.scaled(32u, 128u), rows = 8;
    auto input = Generator(app.seed, 0).uniform(size_t(width) * height, 0.0f, 1.0f);

    float *from = app.place(input);
    float *to = app.room<float>(input.size());
    transpose<<<dim3(width / TILE, height / TILE), dim3(TILE, rows)>>>(from, to, int(width), int(height));
    CHECK(cudaGetLastError());
    app.output("transpose", app.read(to, input.size()));
    return app.finish();
}
