// Vector addition: c[i] = a[i] + b[i], one thread per element.

extern "C" __global__ void vectorAdd(const float *a, const float *b, float *c, int length)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < length) {
        c[i] = a[i] + b[i];
    }
}
