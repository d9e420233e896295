// Covers: copies from global to shared memory that pass the registers by (cp.async where
// the chip has them, LDGSTS in its code): 4, 8 and 16 bytes, through L1 and past it, fewer
// bytes than are written, none at all, groups of copies waited for one after the other, a
// pipeline of two tiles, lanes that do not take part.
// Output: one line per kernel, then "ok".
#include "check.h"

template <int Bytes>
__device__ void copy(void *to, const void *from, int read)
{
#if __CUDA_ARCH__ >= 800
    unsigned at = __cvta_generic_to_shared(to);
    if (Bytes == 16) {
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(at), "l"(from), "r"(read) : "memory");
    } else {
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(at), "l"(from), "n"(Bytes), "r"(read)
                     : "memory");
    }
#else
    for (int i = 0; i < Bytes; i++) {
        ((char *)to)[i] = i < read ? ((const char *)from)[i] : 0;
    }
#endif
}

__device__ void commit()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

template <int Open>
__device__ void wait()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group %0;" ::"n"(Open) : "memory");
#endif
    __syncthreads();
}

// Every number of bytes from none to all.
template <int Bytes>
__global__ void pieces(const unsigned char *in, unsigned char *out)
{
    __shared__ alignas(16) unsigned char room[128 * Bytes];
    int t = threadIdx.x;
    for (int i = 0; i < Bytes; i++) {
        room[t * Bytes + i] = 0xee;
    }
    __syncthreads();
    copy<Bytes>(&room[t * Bytes], &in[t * Bytes], t % (Bytes + 1));
    commit();
    wait<0>();
    int other = 127 - t;
    for (int i = 0; i < Bytes; i++) {
        out[other * Bytes + i] = room[other * Bytes + i];
    }
}

// All of them, none of them, and only some of the lanes.
__global__ void whole(const int4 *in, int *out)
{
    __shared__ int4 all[64], none[64], some[64];
    int t = threadIdx.x;
    all[t] = none[t] = some[t] = make_int4(-1, -2, -3, -4);
    __syncthreads();
    copy<16>(&all[t], &in[t], 16);
    copy<16>(&none[t], &in[t], 0);
    if (t % 3 == 1) {
        copy<8>(&some[t].z, &in[t].x, 8);
    }
    commit();
    wait<0>();
    int4 a = all[63 - t], b = none[63 - t], c = some[63 - t];
    out[t] = a.x + 3 * a.y + 5 * a.z + 7 * a.w + 11 * (b.x | b.y | b.z | b.w) + 13 * c.x + 17 * c.y + 19 * c.z
             + 23 * c.w;
}

// Three groups, of which each is needed before the next.
__global__ void groups(const float *in, float *out)
{
    __shared__ float part[3][128];
    int t = threadIdx.x;
    for (int g = 0; g < 3; g++) {
        copy<4>(&part[g][t], &in[128 * g + t], 4);
        commit();
    }
    wait<2>();
    float sum = part[0][127 - t];
    wait<1>();
    sum = 2 * sum + part[1][(t + 64) % 128];
    wait<0>();
    out[t] = 2 * sum + part[2][t ^ 1];
}

// One tile is worked on while the next one comes.
__global__ void pipeline(const float4 *in, float *out, int tiles)
{
    __shared__ float4 tile[2][128];
    int t = threadIdx.x;
    const float4 *mine = in + blockIdx.x * 128 * tiles;
    copy<16>(&tile[0][t], &mine[t], 16);
    commit();
    float sum = 0;
    for (int i = 0; i < tiles; i++) {
        if (i + 1 < tiles) {
            copy<16>(&tile[(i + 1) % 2][t], &mine[128 * (i + 1) + t], 16);
        }
        commit();
        wait<1>();
        float4 v = tile[i % 2][127 - t];
        sum = 0.5f * sum + v.x + v.y * v.z - v.w;
        __syncthreads();
    }
    out[blockIdx.x * 128 + t] = sum;
}

unsigned long long checksum(const void *bytes, size_t len)
{
    unsigned long long sum = 14695981039346656037ull;
    for (size_t i = 0; i < len; i++) {
        sum = (sum ^ ((const unsigned char *)bytes)[i]) * 1099511628211ull;
    }
    return sum;
}

template <typename Kernel, typename... More>
void run(const char *name, Kernel kernel, int blocks, int threads, size_t bytes, More... more)
{
    static unsigned char host[1 << 16];
    void *out;
    CHECK(cudaMalloc(&out, bytes));
    CHECK(cudaMemset(out, 0x55, bytes));
    kernel(blocks, threads, out, more...);
    CHECK_LAUNCH();
    CHECK(cudaMemcpy(host, out, bytes, cudaMemcpyDeviceToHost));
    printf("%-10s %016llx\n", name, checksum(host, bytes));
    CHECK(cudaFree(out));
}

int main()
{
    static float numbers[1 << 14];
    for (int i = 0; i < 1 << 14; i++) {
        numbers[i] = (i * 37 % 1009 - 500) / 64.0f;
    }
    void *in;
    CHECK(cudaMalloc(&in, sizeof numbers));
    CHECK(cudaMemcpy(in, numbers, sizeof numbers, cudaMemcpyHostToDevice));
    using Bytes = unsigned char;
    run("pieces 4", [=](int b, int t, void *o) { pieces<4><<<b, t>>>((Bytes *)in, (Bytes *)o); }, 1, 128, 512);
    run("pieces 8", [=](int b, int t, void *o) { pieces<8><<<b, t>>>((Bytes *)in, (Bytes *)o); }, 1, 128, 1024);
    run("pieces 16", [=](int b, int t, void *o) { pieces<16><<<b, t>>>((Bytes *)in, (Bytes *)o); }, 1, 128, 2048);
    run("whole", [=](int b, int t, void *o) { whole<<<b, t>>>((int4 *)in, (int *)o); }, 1, 64, 256);
    run("groups", [=](int b, int t, void *o) { groups<<<b, t>>>((float *)in, (float *)o); }, 1, 128, 512);
    run("pipeline", [=](int b, int t, void *o) { pipeline<<<b, t>>>((float4 *)in, (float *)o, 5); }, 6, 128, 3072);
    CHECK(cudaFree(in));
    printf("ok\n");
}
