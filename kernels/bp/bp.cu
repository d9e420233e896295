// One training step of a network with one hidden layer of 16 units: the input
// layer forward (weighted sums per block of 16 inputs) and the adjustment of
// the weights between input and hidden layer. Weights are rows of hidden + 1,
// row 0 and column 0 belong to the bias units.

#define SIDE 16
// Without a suffix, as published: the adjustment is double precision.
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

    // The spans are powers in floating point, as published: their remainders
    // are compiled into divisions, not into masks.
    for (int round = 1; round <= __log2f(SIDE); round++) {
        const int span = __powf(2, round);
        if (ty % span == 0) {
            weight[ty][tx] = weight[ty][tx] + weight[ty + span / 2][tx];
        }
        __syncthreads();
    }

    weights[index] = weight[ty][tx];
    __syncthreads();
    if (tx == 0) {
        partial_sums[by * hidden + ty] = weight[tx][ty];
    }
}

// Each sum is written out twice, as published: the store to the weights may
// have changed any of the operands, so they are loaded and computed again.
extern "C" __global__ void bpnn_adjust_weights_cuda(float *delta, int hidden, float *layer,
                                                    int inputs, float *weights, float *previous)
{
    const int by = blockIdx.y;
    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int unit = tx + 1;
    const int row = SIDE * by + ty + 1;
    const int index = (hidden + 1) * row + unit;

    weights[index] += RATE * delta[unit] * layer[row] + MOMENTUM * previous[index];
    previous[index] = RATE * delta[unit] * layer[row] + MOMENTUM * previous[index];
    __syncthreads();

    if (ty == 0 && by == 0) {
        weights[unit] += RATE * delta[unit] + MOMENTUM * previous[unit];
        previous[unit] = RATE * delta[unit] + MOMENTUM * previous[unit];
    }
}
