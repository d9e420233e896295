// Gaussian elimination (kernels/ge) as an ordinary program; see app.h.
#include "../../kernels/ge/ge.cu"
#include "app.h"

int main(int argc, char **argv)
{
    App app("ge", argc, argv);
    const unsigned size = app.scaled(20u, 80u), line_block = 512, square_block = 4;
    // A dominant diagonal needs no pivoting.
    auto matrix = Generator(app.seed, 0).uniform(size_t(size) * size, 0.5f, 1.5f);
    for (size_t i = 0; i < matrix.size(); i += size + 1) {
        matrix[i] += 2.0f * float(size);
    }
    auto right = Generator(app.seed, 1).uniform(size, 0.5f, 1.5f);

    float *multipliers_at = app.zeros<float>(matrix.size());
    float *matrix_at = app.place(matrix);
    float *right_at = app.place(right);
    // The published program launches one block more than division asks for.
    const unsigned line = size / line_block + 1, side = div_ceil(size, square_block);
    for (unsigned column = 0; column < size - 1; column++) {
        Fan1<<<line, line_block>>>(multipliers_at, matrix_at, int(size), int(column));
        CHECK(cudaGetLastError());
        Fan2<<<dim3(side, side), dim3(square_block, square_block)>>>(multipliers_at, matrix_at, right_at, int(size),
                                                                     int(size - column), int(column));
        CHECK(cudaGetLastError());
    }
    auto multipliers = app.read(multipliers_at, matrix.size());
    matrix = app.read(matrix_at, matrix.size());
    right = app.read(right_at, right.size());

    // Solve the triangular system that is left.
    std::vector<float> solution = right;
    for (unsigned row = size; row-- > 0;) {
        float rest = solution[row];
        for (unsigned col = row + 1; col < size; col++) {
            rest -= matrix[row * size + col] * solution[col];
        }
        solution[row] = rest / matrix[row * size + row];
    }
    app.output("multipliers", multipliers);
    app.output("matrix", matrix);
    app.output("right_side", right);
    app.output("solution", solution);
    return app.finish();
}
