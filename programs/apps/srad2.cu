// SRAD, second version (kernels/srad2) as an ordinary program; see app.h.
#include "../../kernels/srad2/srad2.cu"
#include "app.h"

// The square of the coefficient of variation in the speckle region.
static float variation(const std::vector<float> &image, unsigned size, unsigned side)
{
    double sum = 0, squares = 0, count = double(side) * side;
    for (unsigned row = 0; row < side; row++) {
        for (unsigned col = 0; col < side; col++) {
            double value = image[row * size + col];
            sum += value;
            squares += value * value;
        }
    }
    double mean = sum / count;
    return float((squares / count - mean * mean) / (mean * mean));
}

int main(int argc, char **argv)
{
    App app("srad2", argc, argv);
    const unsigned size = app.scaled(48u, 256u), iterations = 2, speckle_end = app.scaled(31u, 127u);
    const float lambda = 0.5f;
    const size_t pixels = size_t(size) * size;
    std::vector<float> image(pixels);
    Generator generator(app.seed, 0);
    for (float &value : image) {
        value = float(exponential(double(generator.unit())));
    }

    // The kernels load from a row before and after the image and, of the
    // coefficients, after the last row, before they take the edge instead.
    const size_t margin = div_ceil(size, 64) * 64;
    float *image_at = app.room<float>(margin + pixels + margin) + margin;
    float *coefficient = app.room<float>(pixels + margin);
    float *east = app.room<float>(pixels);
    float *west = app.room<float>(pixels);
    float *south = app.room<float>(pixels);
    float *north = app.room<float>(pixels);
    const dim3 grid(size / TILE, size / TILE), block(TILE, TILE);
    for (unsigned i = 0; i < iterations; i++) {
        float speckle = variation(image, size, speckle_end + 1);
        app.write(image_at, image);
        srad_cuda_1<<<grid, block>>>(east, west, north, south, image_at, coefficient, int(size), int(size), speckle);
        CHECK(cudaGetLastError());
        srad_cuda_2<<<grid, block>>>(east, west, north, south, image_at, coefficient, int(size), int(size), lambda,
                                     speckle);
        CHECK(cudaGetLastError());
        image = app.read(image_at, pixels);
    }
    app.output("image", image);
    return app.finish();
}
