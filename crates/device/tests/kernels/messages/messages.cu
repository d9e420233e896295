// printf and assert as compiled code calls them.

#include <cassert>
#include <cstdio>

extern "C" {

// Every kind of argument, at once.
__global__ void everything(int i, long long l, double d, const char *text) {
    printf("%d|%5d|%-5d|%05d|%+d|%x|%#X|%o|%c|%s|%10s|%.3s|%lld|%zu|%p|%%\n", i, i, i, i, i, i, i, i,
           'A' + i, text, text, text, l, (size_t)l, (void *)l);
    printf("%f %.2f %e %g %a %*d %.*f\n", d, d, d, d, d, 6, i, 3, d);
    printf("%hhd %hd %ld\n", i, i, (long)l);
    printf("no arguments\n");
}

// Strings that no host can read: local and shared memory, constant memory.
__constant__ char in_constant[] = "constant";

__global__ void strings(int i) {
    __shared__ char in_shared[8];
    char local[8];
    for (int k = 0; k < 7; k++) local[k] = (char)('a' + (k + i) % 26);
    local[7] = 0;
    for (int k = 0; k < 8; k++) in_shared[k] = local[k];
    in_shared[0] = '%';
    in_shared[1] = 'd';
    printf("[%s] [%s]\n", local, (const char *)0);
    printf(in_shared, i);
    printf("\n");
}

__global__ void constant_text(int i) { printf("[%s] %d\n", in_constant, i); }

// One line per thread, from many warps; the results of the calls.
__global__ void many(int *results) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    results[i] = printf("thread %d of block %d\n", (int)threadIdx.x, (int)blockIdx.x);
}

// Divergent calls: two sites, half of a warp each, then all again.
__global__ void divergent() {
    if (threadIdx.x & 1)
        printf("odd %d\n", threadIdx.x);
    else
        printf("even %u %s\n", threadIdx.x, threadIdx.x < 8 ? "low" : "high number");
    printf("all %d\n", threadIdx.x);
}

// What a caller keeps across a call must survive it.
__global__ void keeps(float *values, int n) {
    float a[12];
#pragma unroll
    for (int k = 0; k < 12; k++) a[k] = values[threadIdx.x * 12 + k];
    for (int k = 0; k < n; k++) {
        printf("%d\n", k);
#pragma unroll
        for (int j = 0; j < 12; j++) a[j] = a[j] * 2 + j;
    }
#pragma unroll
    for (int k = 0; k < 12; k++) values[threadIdx.x * 12 + k] = a[k];
}

__global__ void asserts(int limit, int *after) {
    printf("before %d\n", threadIdx.x);
    assert((int)threadIdx.x < limit && "too many");
    after[threadIdx.x] = 1;
}

__global__ void traps() {
    if (threadIdx.x == 3) __trap();
}
}
