// Sums of an array, one per block: each thread sums its share, then the shares
// are folded in half until one is left.

#define MOST 256

extern "C" __global__ void sumReduce(const float *values, float *sums, int count)
{
    __shared__ float partial[MOST];

    const int thread = threadIdx.x;
    float sum = 0.0f;
    for (int i = blockIdx.x * blockDim.x + thread; i < count; i += gridDim.x * blockDim.x) {
        sum += values[i];
    }
    partial[thread] = sum;

    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();
        if (thread < half) {
            partial[thread] += partial[thread + half];
        }
    }

    // Slot 0 is thread 0's own.
    if (thread == 0) {
        sums[blockIdx.x] = partial[0];
    }
}
