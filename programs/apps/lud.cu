// LU decomposition (kernels/lud) as an ordinary program; see app.h.
#include "../../kernels/lud/lud.cu"
#include "app.h"

int main(int argc, char **argv)
{
    App app("lud", argc, argv);
    const unsigned size = app.scaled(48u, 128u);
    // A matrix with a dominant diagonal, which needs no pivoting.
    auto matrix = Generator(app.seed, 0).uniform(size_t(size) * size, 0.5f, 1.5f);
    for (size_t i = 0; i < matrix.size(); i += size + 1) {
        matrix[i] += 2.0f * float(size);
    }

    float *at = app.place(matrix);
    for (unsigned offset = 0; offset < size; offset += BLOCK) {
        lud_diagonal<<<1, BLOCK>>>(at, int(size), int(offset));
        CHECK(cudaGetLastError());
        unsigned rest = (size - offset) / BLOCK - 1;
        if (rest > 0) {
            lud_perimeter<<<rest, 2 * BLOCK>>>(at, int(size), int(offset));
            CHECK(cudaGetLastError());
            lud_internal<<<dim3(rest, rest), dim3(BLOCK, BLOCK)>>>(at, int(size), int(offset));
            CHECK(cudaGetLastError());
        }
    }
    app.output("matrix", app.read(at, matrix.size()));
    return app.finish();
}
