// Hotspot (kernels/hs) as an ordinary program; see app.h.
#include "../../kernels/hs/hs.cu"
#include "app.h"

#include <algorithm>
#include <utility>

// Lumped thermal constants of one cell (HotSpot, Huang et al., IEEE TVLSI 14,
// 2006), as in crates/apps/src/reference/heat.rs.
struct HeatModel {
    float capacity, resistance_x, resistance_y, resistance_z, step;

    explicit HeatModel(unsigned cells)
    {
        const double chip_side = 0.016, thickness = 0.0005, conductivity = 100.0;
        double side = chip_side / double(cells);
        double sideways = side / (2.0 * conductivity * thickness * side);
        double heat = 0.5 * 1.75e6 * thickness;
        capacity = float(heat * side * side);
        resistance_x = float(sideways);
        resistance_y = float(sideways);
        resistance_z = float(thickness / (conductivity * side * side));
        step = float(0.001 * heat / 3.0e6);
    }
};

int main(int argc, char **argv)
{
    App app("hs", argc, argv);
    const unsigned size = app.scaled(32u, 256u), iterations = app.scaled(3u, 2u), pyramid = 2;
    const size_t cells = size_t(size) * size;
    auto temperature = Generator(app.seed, 0).uniform(cells, 323.0f, 343.0f);
    auto dissipated = Generator(app.seed, 1).uniform(cells, 0.0f, 0.01f);
    const HeatModel model(size);

    float *power = app.place(dissipated);
    float *from = app.place(temperature);
    float *to = app.room<float>(cells);
    const unsigned blocks = div_ceil(size, TILE - 2 * pyramid);
    for (unsigned done = 0; done < iterations;) {
        unsigned steps = std::min(pyramid, iterations - done);
        calculate_temp<<<dim3(blocks, blocks), dim3(TILE, TILE)>>>(
            int(steps), power, from, to, int(size), int(size), int(pyramid), int(pyramid), model.capacity,
            model.resistance_x, model.resistance_y, model.resistance_z, model.step);
        CHECK(cudaGetLastError());
        std::swap(from, to);
        done += steps;
    }
    app.output("temperature", app.read(from, cells));
    return app.finish();
}
