// A program for the study on an H200 (burn-h200.sh): fills the GPU for some
// hundredths of a second, and prints a checksum of what every thread computed.
//
//   program [FILE]    also writes the results
//   program where     prints the SMs that blocks came to instead

#include <cstdio>
#include <cstring>
#include <set>
#include <vector>

__global__ void work(unsigned *out, unsigned *at, unsigned turns)
{
    unsigned thread = blockIdx.x * blockDim.x + threadIdx.x, n = thread;
    float x = 1.0f + (thread % 97) / 89.0f, y = 0.5f;
    for (unsigned i = 0; i < turns; i++) {
        x = x * 0.75f + y;
        y = y * -0.5f + 1.25f;
        n = n * 1664525u + 1013904223u;
        n ^= __float_as_uint(x) >> 3;
    }
    out[thread] = n ^ __float_as_uint(y);
    if (threadIdx.x == 0) asm volatile("mov.u32 %0, %%smid;" : "=r"(at[blockIdx.x]));
}

static void must(cudaError_t error, const char *what)
{
    if (error == cudaSuccess) return;
    fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
    exit(5);
}

int main(int count, char **words)
{
    const unsigned blocks = 132 * 64, threads = 256;
    std::vector<unsigned> results(blocks * threads), places(blocks);
    unsigned *out, *at;
    must(cudaMalloc(&out, results.size() * 4), "cudaMalloc");
    must(cudaMalloc(&at, places.size() * 4), "cudaMalloc");
    work<<<blocks, threads>>>(out, at, 4000);
    must(cudaGetLastError(), "launch");
    must(cudaMemcpy(results.data(), out, results.size() * 4, cudaMemcpyDeviceToHost), "copy");
    must(cudaMemcpy(places.data(), at, places.size() * 4, cudaMemcpyDeviceToHost), "copy");
    if (count > 1 && strcmp(words[1], "where") == 0) {
        std::set<unsigned> sms(places.begin(), places.end());
        printf("%zu SMs:", sms.size());
        for (unsigned sm : sms) printf(" %u", sm);
        printf("\n");
        return 0;
    }
    unsigned sum = 0;
    for (unsigned word : results) sum = sum * 31 + word;
    printf("%08x\n", sum);
    if (count > 1) {
        FILE *file = fopen(words[1], "wb");
        if (!file || fwrite(results.data(), 4, results.size(), file) != results.size()) return 6;
        fclose(file);
    }
    return 0;
}
