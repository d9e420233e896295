// Fast Fourier transform (kernels/fft) as an ordinary program; see app.h.
#include "../../kernels/fft/fft.cu"
#include "app.h"

int main(int argc, char **argv)
{
    App app("fft", argc, argv);
    const unsigned signals = app.scaled(2u, 16u), points = 64;
    // Real and imaginary parts by turns.
    auto input = Generator(app.seed, 0).uniform(size_t(2) * signals * points, -1.0f, 1.0f);

    float *from = app.place(input);
    float *to = app.room<float>(input.size());
    int levels = 0;
    while ((1u << levels) < points) {
        levels++;
    }
    fft<<<signals, points>>>(reinterpret_cast<float2 *>(from), reinterpret_cast<float2 *>(to), levels);
    CHECK(cudaGetLastError());
    app.output("spectra", app.read(to, input.size()));
    return app.finish();
}
