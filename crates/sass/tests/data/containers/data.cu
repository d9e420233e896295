// Variables: zeroed, initialised, with addresses inside, constant; static and dynamic shared memory.
__device__ int zeroed[16];
__device__ int initialised[4] = {1, 2, 3, 4};
__device__ int *pointer_to_global = &initialised[2];
__device__ double wide = 2.5;
__constant__ float coefficients[8] = {1.f, 2.f, 3.f};
__constant__ int *constant_pointer = &zeroed[3];
__device__ const char *text = "hello";
extern "C" __global__ void use_data(int *out, float *f) {
    __shared__ int tile[33];
    __shared__ double other[5];
    int t = threadIdx.x;
    tile[t] = zeroed[t & 15] + initialised[t & 3];
    other[t % 5] = wide;
    __syncthreads();
    out[t] = tile[32 - t] + *pointer_to_global + *constant_pointer + text[t % 5];
    f[t] = coefficients[t & 7] + (float)other[(t + 1) % 5];
    zeroed[t & 15] = t;
}
extern __shared__ int dynamic[];
extern "C" __global__ __launch_bounds__(128, 4) void use_dynamic(int *out) {
    dynamic[threadIdx.x] = out[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = dynamic[blockDim.x - 1 - threadIdx.x];
}
