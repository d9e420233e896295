// What a driver maps around a program's allocations.
//
//   probe ALLOCATIONS INDEX read|write OFFSET...
//
// ALLOCATIONS is a list of sizes in bytes, made in this order, e.g. 1024,3145728;
// `-N` in it frees allocation N again, e.g. 1024,67108864,-1,1024. INDEX names the
// allocation (freed or not) that the OFFSETs, in bytes and possibly negative, count
// from; `=ADDRESS` is an address instead. One thread reads or writes a word there
// with a global access.
//
// Prints a line per offset, tab-separated: the offset, the start of the
// allocation, the address, what happened (cudaSuccess or the error's name) and, of
// a read, the word. An illegal access ends a context: the offsets after it are
// tried by another process, with allocations of its own. Writes get a process
// each, so that one that breaks something breaks nothing else. Exit code 0,
// unless the arguments are wrong or the GPU cannot be used (2).
#include <cuda_runtime.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

// What a read found: a variable, since an allocation of any kind could be the
// first one, or move others.
__device__ unsigned word;

__global__ void look(unsigned long long at)
{
    unsigned value;
    asm volatile("ld.global.u32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
    word = value;
}

__global__ void put(unsigned long long at, unsigned value)
{
    asm volatile("st.global.u32 [%0], %1;" : : "l"(at), "r"(value) : "memory");
}

static int fail(const char *what)
{
    fprintf(stderr, "probe: %s\nusage: probe ALLOCATIONS INDEX read|write OFFSET...\n", what);
    return 2;
}

// Tries offsets until one fails; how many were tried goes to `tried`.
static int visit(char *allocations, size_t index, bool writes, int count, char **offsets, int tried)
{
    std::vector<char *> made;
    for (char *item = strtok(allocations, ","); item; item = strtok(nullptr, ",")) {
        if (*item == '-') {
            const size_t freed = strtoull(item + 1, nullptr, 0);
            if (freed >= made.size() || cudaFree(made[freed]) != cudaSuccess) {
                return fail("an allocation could not be freed");
            }
            continue;
        }
        char *start = nullptr;
        if (cudaMalloc(&start, strtoull(item, nullptr, 0)) != cudaSuccess) {
            return fail("an allocation failed, or there is no GPU");
        }
        made.push_back(start);
    }
    if (index >= made.size()) {
        return fail("there is no such allocation");
    }
    const unsigned long long start = (unsigned long long)made[index];
    for (int i = 0; i < count; i++) {
        const unsigned long long at = *offsets[i] == '='
            ? strtoull(offsets[i] + 1, nullptr, 0)
            : start + (unsigned long long)strtoll(offsets[i], nullptr, 0);
        if (writes) {
            put<<<1, 1>>>(at, 0x5eed);
        } else {
            look<<<1, 1>>>(at);
        }
        unsigned found = 0;
        cudaError_t error = cudaDeviceSynchronize();
        if (error == cudaSuccess && !writes) {
            error = cudaMemcpyFromSymbol(&found, word, sizeof found);
        }
        printf("%s\t0x%llx\t0x%llx\t%s", offsets[i], start, at, cudaGetErrorName(error));
        if (error == cudaSuccess && !writes) {
            printf("\t0x%08x", found);
        }
        printf("\n");
        if (error != cudaSuccess || writes) {
            count = i + 1;
        }
    }
    fflush(stdout);
    const bool told = write(tried, &count, sizeof count) == sizeof count;
    _exit(told ? 0 : 2);
}

int main(int argc, char **argv)
{
    if (argc < 5) {
        return fail("four arguments are needed");
    }
    const bool writes = strcmp(argv[3], "write") == 0;
    if (!writes && strcmp(argv[3], "read") != 0) {
        return fail("say read or write");
    }
    const size_t index = strtoull(argv[2], nullptr, 0);
    // This process never touches the GPU: a child of its own does.
    for (int next = 4; next < argc;) {
        int tried[2], count = 0;
        if (pipe(tried) != 0) {
            return fail("no pipe");
        }
        const pid_t child = fork();
        if (child == 0) {
            _exit(visit(argv[1], index, writes, argc - next, argv + next, tried[1]));
        }
        close(tried[1]);
        const bool told = read(tried[0], &count, sizeof count) == sizeof count;
        close(tried[0]);
        waitpid(child, nullptr, 0);
        if (!told || count <= 0) {
            return fail("a process ended early");
        }
        next += count;
    }
    return 0;
}
