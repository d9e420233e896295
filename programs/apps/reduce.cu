// Sum reduction (kernels/reduce) as an ordinary program; see app.h.
#include "../../kernels/reduce/reduce.cu"
#include "app.h"

int main(int argc, char **argv)
{
    App app("reduce", argc, argv);
    const unsigned length = app.scaled(4096u, 16384u), blocks = 32, block = app.scaled(64u, 128u);
    auto input = Generator(app.seed, 0).uniform(length, 0.0f, 1.0f);

    float *values = app.place(input);
    float *parts = app.room<float>(blocks);
    float *whole = app.room<float>(1);
    sumReduce<<<blocks, block>>>(values, parts, int(length));
    CHECK(cudaGetLastError());
    sumReduce<<<1, blocks>>>(parts, whole, int(blocks));
    CHECK(cudaGetLastError());
    app.output("sum", app.read(whole, 1));
    return app.finish();
}
