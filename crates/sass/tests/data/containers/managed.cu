// Memory that host and device share, and several named barriers.
__managed__ int visible = 5;
__managed__ int other[4];
extern "C" __global__ void __launch_bounds__(64) share(int *out) {
    __shared__ int tile[7];
    out[0] = visible + other[threadIdx.x];
    asm volatile("bar.sync 5;");
    tile[threadIdx.x] = out[3];
    __syncthreads();
    out[1] = tile[2];
}
