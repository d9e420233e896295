// Kernels of the programs of this folder; kernels.fatbin is what nvcc 11.8 made of it
// (make.sh).
extern "C" {

__device__ int counter = 5;
__constant__ int factors[4] = {1, 2, 3, 4};

__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}

__global__ void scale(int *p, int n, int k)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i] *= k;
}

// Arguments of many sizes, with gaps between them.
__global__ void mixed(char a, double b, short c, double *out, int d)
{
    out[threadIdx.x] = a + b + c + d + threadIdx.x;
}

__global__ void count(int n)
{
    if (threadIdx.x < n)
        atomicAdd(&counter, factors[threadIdx.x % 4]);
}

// The sum of the block's numbers, in dynamic shared memory.
__global__ void sum(const int *in, int *out)
{
    extern __shared__ int numbers[];
    numbers[threadIdx.x] = in[blockIdx.x * blockDim.x + threadIdx.x];
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            numbers[threadIdx.x] += numbers[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = numbers[0];
}

__global__ void fetch(cudaTextureObject_t texture, float *out, int width)
{
    int x = threadIdx.x, y = threadIdx.y;
    out[y * width + x] = tex2D<float>(texture, x + 0.5f, y + 0.5f);
}

// Every block waits for all others.
__global__ void together(int *arrived, int *out)
{
    if (threadIdx.x == 0) {
        atomicAdd(arrived, 1);
        while (atomicAdd(arrived, 0) < gridDim.x) {
        }
        out[blockIdx.x] = *(volatile int *)arrived;
    }
}

__global__ void astray(int *p)
{
    *p = 1;
}
}
