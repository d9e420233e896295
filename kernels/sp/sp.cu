// Scalar products of many pairs of vectors. A block takes every gridDim.x-th
// pair: each of 1024 accumulators sums its share of the products, then the
// accumulators are folded in half until one is left.

#define ACCUMULATORS 1024

extern "C" __global__ void scalarProdGPU(float *products, float *left, float *right, int pairs,
                                         int length)
{
    __shared__ float partial[ACCUMULATORS];

    for (int pair = blockIdx.x; pair < pairs; pair += gridDim.x) {
        const int first = pair * length;

        for (int slot = threadIdx.x; slot < ACCUMULATORS; slot += blockDim.x) {
            float sum = 0.0f;
            for (int i = slot; i < length; i += ACCUMULATORS) {
                sum += left[first + i] * right[first + i];
            }
            partial[slot] = sum;
        }

        for (int half = ACCUMULATORS / 2; half > 0; half /= 2) {
            __syncthreads();
            for (int slot = threadIdx.x; slot < half; slot += blockDim.x) {
                partial[slot] += partial[slot + half];
            }
        }

        // Slot 0 belongs to thread 0 in every phase, so it may read its own
        // last write and start the next pair without another barrier.
        if (threadIdx.x == 0) {
            products[pair] = partial[0];
        }
    }
}
