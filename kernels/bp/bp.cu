// One training step of a network with one hidden layer of 16 units: the input
// layer forward (weighted sums per block of 16 inputs) and the adjustment of
// the weights between input and hidden layer. Weights are rows of hidden + 1,
// row 0 and column 0 belong to the bias units.

#define SIDE 16
#define RATE 0.3
#define MOMENTUM 0.3

extern "C" __global__ void bpnn_layerforward_CUDA(float *input, float *hidden_units, float *weights,
                                                  float *partial_sums, int inputs, int hidden)
{
    __shared__ float node[SIDE];
    __shared__ float weight[SIDE][SIDE];

    const int by = blockIdx.y;
    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int row = SIDE * by + ty + 1;
    const int index = (hidden + 1) * row + tx + 1;

    if (tx == 0) {
        node[ty] = input[row];
    }
    __syncthreads();
    weight[ty][tx] = weights[index];
    __syncthreads();
    weight[ty][tx] = weight[ty][tx] * node[ty];
    __syncthreads();

    for (int span = 2; span <= SIDE; span *= 2) {
        if (ty % span == 0) {
            weight[ty][tx] = weight[ty][tx] + weight[ty + span / 2][tx];
        }
        __syncthreads();
    }

    weights[index] = weight[ty][tx];
    __syncthreads();
    if (tx == 0) {
        partial_sums[by * hidden + ty] = weight[0][ty];
    }
}

extern "C" __global__ void bpnn_adjust_weights_cuda(float *delta, int hidden, float *layer,
                                                    int inputs, float *weights, float *previous)
{
    const int by = blockIdx.y;
    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int unit = tx + 1;
    const int row = SIDE * by + ty + 1;
    const int index = (hidden + 1) * row + unit;

    const float change = RATE * delta[unit] * layer[row] + MOMENTUM * previous[index];
    weights[index] += change;
    previous[index] = change;
    __syncthreads();

    if (ty == 0 && by == 0) {
        const float bias_change = RATE * delta[unit] + MOMENTUM * previous[unit];
        weights[unit] += bias_change;
        previous[unit] = bias_change;
    }
}
