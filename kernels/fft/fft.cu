// Fourier transforms of short signals, one per block: radix 2, decimation in
// time, in shared memory. A thread has a point; at each level the one with the
// lower point of a pair computes both, and the other waits.

#define MOST 256

extern "C" __global__ void fft(const float2 *signals, float2 *spectra, int levels)
{
    __shared__ float real[MOST], imaginary[MOST];

    const int point = threadIdx.x;
    const int own = blockIdx.x * blockDim.x + point;
    const int place = __brev(point) >> (32 - levels);
    real[place] = signals[own].x;
    imaginary[place] = signals[own].y;
    __syncthreads();

    float step = -1.0f;
    for (int half = 1; half < blockDim.x; half *= 2, step *= 0.5f) {
        if ((point & half) == 0) {
            // e^(-i pi k / half), k being the place in the half.
            float sine, cosine;
            sincospif(step * (point & (half - 1)), &sine, &cosine);

            const int other = point + half;
            const float a = real[point], b = imaginary[point];
            const float c = real[other] * cosine - imaginary[other] * sine;
            const float d = real[other] * sine + imaginary[other] * cosine;
            real[point] = a + c;
            imaginary[point] = b + d;
            real[other] = a - c;
            imaginary[other] = b - d;
        }
        __syncthreads();
    }
    spectra[own] = make_float2(real[point], imaginary[point]);
}
