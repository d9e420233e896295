// Back-propagation (kernels/bp) as an ordinary program; see app.h.
#include "../../kernels/bp/bp.cu"
#include "app.h"

const float TARGET = 0.9f;

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
    // Small positive weights keep the hidden units off saturation.
    float most = 4.0f / float(inputs);
    network.weights = Generator(app.seed, 1).uniform(size_t(inputs + 1) * (SIDE + 1), 0.0f, most);
    network.output_weights = Generator(app.seed, 2).uniform(SIDE + 1, 0.0f, 0.125f);
    const dim3 grid(1, inputs / SIDE), block(SIDE, SIDE);
    const size_t partial_count = inputs / SIDE * SIDE;

    float *units = app.place(network.units);
    float *hidden_units = app.zeros<float>(SIDE + 1);
    float *weights = app.place(network.weights);
    float *partial_at = app.room<float>(partial_count);
    bpnn_layerforward_CUDA<<<grid, block>>>(units, hidden_units, weights, partial_at, int(inputs), SIDE);
    CHECK(cudaGetLastError());
    auto partial = app.read(partial_at, partial_count);

    float *errors = app.place(hidden_errors(network, partial));
    // The forward pass used the weights' buffer for its products.
    app.write(weights, network.weights);
    float *previous = app.zeros<float>(network.weights.size());
    bpnn_adjust_weights_cuda<<<grid, block>>>(errors, SIDE, units, int(inputs), weights, previous);
    CHECK(cudaGetLastError());
    auto adjusted = app.read(weights, network.weights.size());
    auto changes = app.read(previous, network.weights.size());
    app.output("partial_sums", partial);
    app.output("weights", adjusted);
    app.output("changes", changes);
    return app.finish();
}
