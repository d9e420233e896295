// SRAD, first version (kernels/srad1) as an ordinary program; see app.h.
#include "../../kernels/srad1/srad1.cu"
#include "app.h"

#include <algorithm>

// Index of the neighbour `step` further on for each of `length` places; the
// edge's own where there is none.
static std::vector<int> neighbours(int length, int step)
{
    std::vector<int> places(length);
    for (int i = 0; i < length; i++) {
        places[i] = std::min(std::max(i + step, 0), length - 1);
    }
    return places;
}

int main(int argc, char **argv)
{
    App app("srad1", argc, argv);
    const int rows = app.scaled(40, 128), cols = app.scaled(30, 128), iterations = 2;
    const float lambda = 0.5f;
    const unsigned pixels = unsigned(rows * cols), blocks = div_ceil(pixels, THREADS);
    std::vector<float> grey(pixels);
    Generator generator(app.seed, 0);
    for (float &level : grey) {
        level = float(generator.below(256));
    }

    float *image = app.place(grey);
    int *north_of = app.place(neighbours(rows, -1));
    int *south_of = app.place(neighbours(rows, 1));
    int *west_of = app.place(neighbours(cols, -1));
    int *east_of = app.place(neighbours(cols, 1));
    float *north = app.room<float>(pixels);
    float *south = app.room<float>(pixels);
    float *west = app.room<float>(pixels);
    float *east = app.room<float>(pixels);
    float *coefficient = app.room<float>(pixels);
    float *sums = app.room<float>(pixels);
    float *squares = app.room<float>(pixels);

    extract<<<blocks, THREADS>>>(pixels, image);
    CHECK(cudaGetLastError());
    for (int i = 0; i < iterations; i++) {
        prepare<<<blocks, THREADS>>>(pixels, image, sums, squares);
        CHECK(cudaGetLastError());
        // Each launch leaves one sum per block; until one is left.
        unsigned items = pixels, stride = 1;
        for (;;) {
            unsigned groups = div_ceil(items, THREADS);
            reduce<<<groups, THREADS>>>(pixels, int(items), int(stride), sums, squares);
            CHECK(cudaGetLastError());
            if (groups == 1) {
                break;
            }
            items = groups;
            stride *= THREADS;
        }
        double total = app.read(sums, 1)[0];
        double total_squares = app.read(squares, 1)[0];
        double mean = total / double(pixels);
        double variance = total_squares / double(pixels) - mean * mean;
        float speckle = float(variance / (mean * mean));

        srad<<<blocks, THREADS>>>(lambda, rows, cols, pixels, north_of, south_of, east_of, west_of, north, south, west,
                                  east, speckle, coefficient, image);
        CHECK(cudaGetLastError());
        srad2<<<blocks, THREADS>>>(lambda, rows, cols, pixels, north_of, south_of, east_of, west_of, north, south, west,
                                   east, coefficient, image);
        CHECK(cudaGetLastError());
    }
    compress<<<blocks, THREADS>>>(pixels, image);
    CHECK(cudaGetLastError());
    app.output("image", app.read(image, pixels));
    return app.finish();
}
