// Covers: an ordinary C++ file that calls the runtime and, through functions
// in a .cu file, kernels; a second .cu file with a kernel of the same name.
// Output: two results, then "ok".
#include "../check.h"
#include "work.h"

#include <numeric>
#include <vector>

int main()
{
    std::vector<int> numbers(200);
    std::iota(numbers.begin(), numbers.end(), 1);
    int *on_device = nullptr;
    CHECK(cudaMalloc((void **)&on_device, numbers.size() * sizeof(int)));
    CHECK(cudaMemcpy(on_device, numbers.data(), numbers.size() * sizeof(int), cudaMemcpyHostToDevice));

    square(on_device, int(numbers.size()));
    CHECK(cudaMemcpy(numbers.data(), on_device, numbers.size() * sizeof(int), cudaMemcpyDeviceToHost));
    REQUIRE(numbers[199] == 40000);
    printf("squared %d\n", numbers[199]);

    // The runtime needs no <<<>>> to launch; a .cpp file may name the kernel.
    int count = int(numbers.size());
    void *args[] = {&on_device, &count};
    CHECK(cudaLaunchKernel(negate_kernel(), dim3(2), dim3(128), args, 0, nullptr));
    CHECK(cudaMemcpy(numbers.data(), on_device, numbers.size() * sizeof(int), cudaMemcpyDeviceToHost));
    for (int i = 0; i < count; i++) {
        REQUIRE(numbers[i] == -(i + 1) * (i + 1));
    }
    printf("negated %d\n", numbers[199]);
    CHECK(cudaFree(on_device));
    printf("ok\n");
    return 0;
}
