// Covers: cudaMallocHost, cudaHostAlloc (mapped, portable, write-combined),
// cudaHostGetDevicePointer and cudaHostGetFlags, cudaHostRegister of ordinary
// memory, kernels that read and write host memory directly.
// Output: one line per kind, then "ok".
#include "check.h"

#include <cstdlib>
#include <vector>

__global__ void add_one(int *data, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        data[i] += 1;
    }
}

int main()
{
    const int n = 256;
    const size_t bytes = n * sizeof(int);

    // Pinned memory as a source and target of copies.
    int *pinned, *on_device;
    CHECK(cudaMallocHost(&pinned, bytes));
    CHECK(cudaMalloc(&on_device, bytes));
    for (int i = 0; i < n; i++) {
        pinned[i] = i;
    }
    CHECK(cudaMemcpyAsync(on_device, pinned, bytes, cudaMemcpyHostToDevice, 0));
    add_one<<<2, 128>>>(on_device, n);
    CHECK(cudaMemcpyAsync(pinned, on_device, bytes, cudaMemcpyDeviceToHost, 0));
    CHECK(cudaStreamSynchronize(0));
    REQUIRE(pinned[0] == 1 && pinned[n - 1] == n);
    printf("copied %d\n", pinned[n - 1]);

    // With unified addressing a kernel takes the pinned pointer as it is.
    add_one<<<2, 128>>>(pinned, n);
    CHECK_LAUNCH();
    REQUIRE(pinned[0] == 2 && pinned[n - 1] == n + 1);
    printf("used in place %d\n", pinned[n - 1]);
    CHECK(cudaFreeHost(pinned));

    int *mapped, *alias;
    CHECK(cudaHostAlloc(&mapped, bytes, cudaHostAllocMapped | cudaHostAllocPortable));
    for (int i = 0; i < n; i++) {
        mapped[i] = 10 * i;
    }
    CHECK(cudaHostGetDevicePointer(&alias, mapped, 0));
    add_one<<<2, 128>>>(alias, n);
    CHECK_LAUNCH();
    // The host sees the kernel's stores, and the kernel the host's next ones.
    REQUIRE(mapped[5] == 51);
    mapped[5] = 1000;
    add_one<<<2, 128>>>(alias, n);
    CHECK_LAUNCH();
    REQUIRE(mapped[5] == 1001 && mapped[6] == 62);
    unsigned flags;
    CHECK(cudaHostGetFlags(&flags, mapped));
    REQUIRE(flags & cudaHostAllocMapped);
    printf("mapped %d\n", mapped[5]);
    CHECK(cudaFreeHost(mapped));

    int *combined;
    CHECK(cudaHostAlloc(&combined, bytes, cudaHostAllocWriteCombined));
    for (int i = 0; i < n; i++) {
        combined[i] = -i;
    }
    CHECK(cudaMemcpy(on_device, combined, bytes, cudaMemcpyHostToDevice));
    std::vector<int> got(n);
    CHECK(cudaMemcpy(got.data(), on_device, bytes, cudaMemcpyDeviceToHost));
    REQUIRE(got[n - 1] == 1 - n);
    printf("write-combined %d\n", got[n - 1]);
    CHECK(cudaFreeHost(combined));

    // Memory that the program got elsewhere.
    int *ordinary = static_cast<int *>(aligned_alloc(4096, 4096));
    for (int i = 0; i < n; i++) {
        ordinary[i] = 7;
    }
    CHECK(cudaHostRegister(ordinary, 4096, cudaHostRegisterMapped));
    CHECK(cudaHostGetDevicePointer(&alias, ordinary, 0));
    add_one<<<2, 128>>>(alias, n);
    CHECK_LAUNCH();
    REQUIRE(ordinary[0] == 8 && ordinary[n - 1] == 8);
    CHECK(cudaHostUnregister(ordinary));
    ordinary[0] = 9;
    printf("registered %d\n", ordinary[n - 1]);
    free(ordinary);

    CHECK(cudaFree(on_device));
    printf("ok\n");
    return 0;
}
