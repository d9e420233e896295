// Sobel filter (kernels/sobel) as an ordinary program; see app.h.
#include "../../kernels/sobel/sobel.cu"
#include "app.h"

int main(int argc, char **argv)
{
    App app("sobel", argc, argv);
    const unsigned width = app.scaled(32u, 64u), height = width, across = 32, down = 8;
    Generator generator(app.seed, 0);
    std::vector<unsigned char> input(size_t(width) * height);
    for (unsigned char &pixel : input) {
        pixel = (unsigned char)generator.below(32);
    }

    unsigned char *image = app.place(input);
    unsigned char *edges = app.zeros<unsigned char>(input.size());
    dim3 grid(div_ceil(width, across), div_ceil(height, down));
    sobel<<<grid, dim3(across, down)>>>(image, edges, int(width), int(height));
    CHECK(cudaGetLastError());
    app.output("edges", app.read(edges, input.size()));
    return app.finish();
}
