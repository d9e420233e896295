// What a driver maps around a program's allocations: one access per process.
//
//   probe ALLOCATIONS INDEX OFFSET read|write [VALUE]
//
// ALLOCATIONS is a list of sizes in bytes, made in this order, e.g. 1024,3145728;
// `-N` in it frees allocation N again, e.g. 1024,67108864,-1,1024. INDEX names the
// allocation (freed or not) that OFFSET, in bytes and possibly negative, counts
// from. One thread reads or writes a word there with a global access.
//
// Prints one line: the start of the allocation, the address, what happened
// (cudaSuccess or the error's name) and, of a read, the word. Exit code 0, unless
// the arguments are wrong or the GPU cannot be used (2).
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

__global__ void look(unsigned long long at, unsigned *word)
{
    unsigned value;
    asm volatile("ld.global.u32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
    *word = value;
}

__global__ void put(unsigned long long at, unsigned value)
{
    asm volatile("st.global.u32 [%0], %1;" : : "l"(at), "r"(value) : "memory");
}

static int fail(const char *what)
{
    fprintf(stderr, "probe: %s\nusage: probe ALLOCATIONS INDEX OFFSET read|write [VALUE]\n", what);
    return 2;
}

int main(int argc, char **argv)
{
    if (argc < 5) {
        return fail("four arguments are needed");
    }
    // Where a read leaves its word: not a cudaMalloc, which would be the first.
    unsigned *word = nullptr;
    if (cudaHostAlloc(&word, sizeof *word, cudaHostAllocMapped) != cudaSuccess) {
        return fail("no GPU, or no pinned memory");
    }
    std::vector<char *> made;
    for (char *item = strtok(argv[1], ","); item; item = strtok(nullptr, ",")) {
        if (*item == '-') {
            const size_t index = strtoull(item + 1, nullptr, 0);
            if (index >= made.size() || cudaFree(made[index]) != cudaSuccess) {
                return fail("an allocation could not be freed");
            }
            continue;
        }
        char *start = nullptr;
        if (cudaMalloc(&start, strtoull(item, nullptr, 0)) != cudaSuccess) {
            return fail("an allocation failed");
        }
        made.push_back(start);
    }
    const size_t index = strtoull(argv[2], nullptr, 0);
    if (index >= made.size()) {
        return fail("there is no such allocation");
    }
    const unsigned long long start = (unsigned long long)made[index];
    const unsigned long long at = start + (unsigned long long)strtoll(argv[3], nullptr, 0);
    const bool writes = strcmp(argv[4], "write") == 0;
    if (!writes && strcmp(argv[4], "read") != 0) {
        return fail("say read or write");
    }
    if (writes) {
        put<<<1, 1>>>(at, argc > 5 ? (unsigned)strtoul(argv[5], nullptr, 0) : 0x5eed);
    } else {
        look<<<1, 1>>>(at, word);
    }
    const cudaError_t error = cudaDeviceSynchronize();
    printf("0x%llx\t0x%llx\t%s", start, at, cudaGetErrorName(error));
    if (error == cudaSuccess && !writes) {
        printf("\t0x%08x", *word);
    }
    printf("\n");
    return 0;
}
