// Covers: input that the host makes from a seed of the kind that differs from
// run to run: clocks, the system's random bytes, the process's number.
// Arguments: where the seed comes from; none without one.
// Output: "ok".
#include "../check.h"

#include <cstdint>
#include <vector>

__host__ __device__ uint32_t mixed(uint32_t x)
{
    for (int round = 0; round < 4; round++) {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
        x += 0x9e3779b9u;
    }
    return x;
}

__global__ void mix(const uint32_t *in, uint32_t *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = mixed(in[i]);
    }
}

uint64_t seed_from(const char *source);

int main(int argc, char **argv)
{
    const int n = 256;
    const size_t bytes = n * sizeof(uint32_t);
    uint64_t state = seed_from(argc > 1 ? argv[1] : "none");
    std::vector<uint32_t> in(n), out(n);
    for (auto &value : in) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        value = state >> 32;
    }
    uint32_t *din, *dout;
    CHECK(cudaMalloc(&din, bytes));
    CHECK(cudaMalloc(&dout, bytes));
    CHECK(cudaMemcpy(din, in.data(), bytes, cudaMemcpyHostToDevice));
    mix<<<2, 128>>>(din, dout, n);
    CHECK_LAUNCH();
    CHECK(cudaMemcpy(out.data(), dout, bytes, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++) {
        REQUIRE(out[i] == mixed(in[i]));
    }
    CHECK(cudaFree(din));
    CHECK(cudaFree(dout));
    printf("ok\n");
    return 0;
}
