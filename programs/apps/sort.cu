// Merge sort (kernels/sort) as an ordinary program; see app.h.
#include "../../kernels/sort/sort.cu"
#include "app.h"

int main(int argc, char **argv)
{
    App app("sort", argc, argv);
    const unsigned arrays = app.scaled(2u, 8u), length = app.scaled(64u, 256u);
    Generator generator(app.seed, 0);
    std::vector<unsigned> input(size_t(arrays) * length);
    for (unsigned &key : input) {
        key = generator.below(1u << 12);
    }

    unsigned *keys = app.place(input);
    unsigned *places = app.room<unsigned>(input.size());
    mergeSort<<<arrays, length>>>(keys, places);
    CHECK(cudaGetLastError());
    app.output("keys", app.read(keys, input.size()));
    app.output("places", app.read(places, input.size()));
    return app.finish();
}
