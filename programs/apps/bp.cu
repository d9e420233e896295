// Back-propagation (kernels/bp) as an ordinary program; see app.h.
#include "../../kernels/bp/bp.cu"
#include "app.h"

const float TARGET = 0.1f;

static double sigmoid(double x)
{
    return 1.0 / (1.0 + exponential(-x));
}

struct Network {
    std::vector<float> units, weights, output_weights;
};

// The error each hidden unit is blamed for, from its sums per block of inputs.
static std::vector<float> hidden_errors(const Network &network, const std::vector<float> &partial)
{
    std::vector<float> units(1, 1.0f);
    for (int unit = 0; unit < SIDE; unit++) {
        double from_inputs = 0;
        for (size_t block = 0; block < partial.size() / SIDE; block++) {
            from_inputs += double(partial[block * SIDE + unit]);
        }
        units.push_back(float(sigmoid(from_inputs + double(network.weights[unit + 1]))));
    }
    double weighted = 0;
    for (int unit = 0; unit <= SIDE; unit++) {
        float product = units[unit] * network.output_weights[unit];
        weighted += double(product);
    }
    float answer = float(sigmoid(weighted));
    float answer_error = answer * (1.0f - answer) * (TARGET - answer);
    std::vector<float> errors(1, 0.0f);
    for (int unit = 1; unit <= SIDE; unit++) {
        float blame = answer_error * network.output_weights[unit];
        errors.push_back(units[unit] * (1.0f - units[unit]) * blame);
    }
    return errors;
}

int main(int argc, char **argv)
{
    App app("bp", argc, argv);
    const unsigned inputs = app.scaled(256u, 8192u);
    Network network;
    network.units = Generator(app.seed, 0).uniform(inputs + 1, 0.0f, 1.0f);
    network.units[0] = 1.0f;
    const size_t weight_count = size_t(inputs + 1) * (SIDE + 1);
    network.weights = Generator(app.seed, 1).uniform(weight_count, 0.0f, app.scaled(0.015625f, 1.0f));
    network.output_weights = Generator(app.seed, 2).uniform(SIDE + 1, 0.0f, 1.0f);
    const dim3 grid(1, inputs / SIDE), block(SIDE, SIDE);
    const size_t partial_count = inputs / SIDE * SIDE;

    // Buffers and copies in the published order.
    float *units = app.room<float>(network.units.size());
    float *hidden_units = app.room<float>(SIDE + 1);
    float *weights = app.room<float>(weight_count);
    float *partial_at = app.room<float>(partial_count);
    app.write(units, network.units);
    app.write(weights, network.weights);
    bpnn_layerforward_CUDA<<<grid, block>>>(units, hidden_units, weights, partial_at, int(inputs), SIDE);
    CHECK(cudaGetLastError());
    auto partial = app.read(partial_at, partial_count);

    std::vector<float> error_values = hidden_errors(network, partial);
    float *errors = app.room<float>(error_values.size());
    float *previous = app.room<float>(weight_count);
    app.write(errors, error_values);
    app.write(previous, std::vector<float>(weight_count, 0.0f));
    // The forward pass used the weights' buffer for its products.
    app.write(weights, network.weights);
    bpnn_adjust_weights_cuda<<<grid, block>>>(errors, SIDE, units, int(inputs), weights, previous);
    CHECK(cudaGetLastError());
    auto units_after = app.read(units, network.units.size());
    auto adjusted = app.read(weights, weight_count);
    app.output("input_units", units_after);
    app.output("weights", adjusted);
    return app.finish();
}
