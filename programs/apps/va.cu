// Vector addition (kernels/va) as an ordinary program; see app.h.
#include "../../kernels/va/va.cu"
#include "app.h"

int main(int argc, char **argv)
{
    App app("va", argc, argv);
    const unsigned length = app.scaled(1000u, 50000u), block = 256;
    auto left = Generator(app.seed, 0).uniform(length, 0.0f, 1.0f);
    auto right = Generator(app.seed, 1).uniform(length, 0.0f, 1.0f);

    float *a = app.place(left);
    float *b = app.place(right);
    float *c = app.room<float>(length);
    vectorAdd<<<div_ceil(length, block), block>>>(a, b, c, int(length));
    CHECK(cudaGetLastError());
    app.output("c", app.read(c, length));
    return app.finish();
}
