// RGB to gray (kernels/gray) as an ordinary program; see app.h.
#include "../../kernels/gray/gray.cu"
#include "app.h"

int main(int argc, char **argv)
{
    App app("gray", argc, argv);
    const unsigned width = app.scaled(32u, 64u), height = width, block = 16;
    Generator generator(app.seed, 0);
    std::vector<unsigned char> input(size_t(3) * width * height);
    for (unsigned char &part : input) {
        part = (unsigned char)generator.below(256);
    }

    unsigned char *colours = app.place(input);
    unsigned char *luma = app.room<unsigned char>(size_t(width) * height);
    dim3 grid(div_ceil(width, block), div_ceil(height, block));
    rgbToGray<<<grid, dim3(block, block)>>>(colours, luma, int(width), int(height));
    CHECK(cudaGetLastError());
    app.output("luma", app.read(luma, size_t(width) * height));
    return app.finish();
}
