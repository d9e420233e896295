// Covers: errors that don't break the context: bad launch configurations,
// invalid values, what cudaGetLastError resets and cudaPeekAtLastError does
// not, names and descriptions, errors of asynchronous calls.
// Output: the name of each error, then "ok".
#include "check.h"

__global__ void touch(int *data)
{
    data[threadIdx.x] = 1;
}

static void show(const char *what, cudaError_t error)
{
    printf("%s: %s\n", what, cudaGetErrorName(error));
}

int main()
{
    int *data, host[4];
    CHECK(cudaMalloc(&data, 4096));

    // A launch tells of a bad configuration through the last error.
    touch<<<1, 2048>>>(data);
    REQUIRE(cudaPeekAtLastError() == cudaErrorInvalidConfiguration);
    REQUIRE(cudaPeekAtLastError() == cudaErrorInvalidConfiguration);
    show("block too large", cudaGetLastError());
    REQUIRE(cudaGetLastError() == cudaSuccess && cudaPeekAtLastError() == cudaSuccess);
    touch<<<0, 32>>>(data);
    show("empty grid", cudaGetLastError());
    touch<<<1, 0>>>(data);
    show("empty block", cudaGetLastError());
    touch<<<dim3(1, 70000), 32>>>(data);
    show("grid too tall", cudaGetLastError());
    touch<<<1, dim3(1, 1, 65)>>>(data);
    show("block too deep", cudaGetLastError());
    touch<<<1, 32, 200 << 20>>>(data);
    show("too much shared memory", cudaGetLastError());

    // Calls return their error and keep it too.
    int *huge;
    show("too much memory", cudaMalloc(&huge, size_t(1) << 60));
    show("kept", cudaGetLastError());
    show("null source", cudaMemcpy(data, nullptr, 16, cudaMemcpyHostToDevice));
    show("bad direction", cudaMemcpy(data, host, 16, cudaMemcpyKind(42)));
    show("bad device", cudaSetDevice(1000));
    show("freed twice", (cudaFree(data), cudaFree(data)));
    show("null is free", cudaFree(nullptr));
    show("not pinned", cudaFreeHost(host));
    show("not a kernel", cudaLaunchKernel((const void *)&host, dim3(1), dim3(1), nullptr, 0, 0));
    size_t size;
    show("not a symbol", cudaGetSymbolSize(&size, host));
    show("null event", cudaEventRecord(nullptr));
    // The last of them is what is kept; a success in between changes nothing.
    CHECK(cudaMalloc(&data, 4096));
    show("last of all", cudaPeekAtLastError());
    REQUIRE(cudaGetLastError() != cudaSuccess);

    // Nothing of this hurt the context.
    touch<<<1, 4>>>(data);
    CHECK_LAUNCH();
    CHECK(cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost));
    REQUIRE(host[0] == 1 && host[3] == 1);

    printf("%s: %s\n", cudaGetErrorName(cudaSuccess), cudaGetErrorString(cudaSuccess));
    printf("%s: %s\n", cudaGetErrorName(cudaErrorInvalidValue), cudaGetErrorString(cudaErrorInvalidValue));
    printf("%s: %s\n", cudaGetErrorName(cudaErrorMemoryAllocation), cudaGetErrorString(cudaErrorMemoryAllocation));
    printf("%s: %s\n", cudaGetErrorName(cudaErrorIllegalAddress), cudaGetErrorString(cudaErrorIllegalAddress));
    printf("%s: %s\n", cudaGetErrorName(cudaErrorLaunchFailure), cudaGetErrorString(cudaErrorLaunchFailure));
    printf("%s: %s\n", cudaGetErrorName(cudaErrorNotSupported), cudaGetErrorString(cudaErrorNotSupported));
    printf("%s: %s\n", cudaGetErrorName(cudaErrorInvalidConfiguration),
           cudaGetErrorString(cudaErrorInvalidConfiguration));
    printf("%s: %s\n", cudaGetErrorName(cudaError_t(4321)), cudaGetErrorString(cudaError_t(4321)));
    printf("ok\n");
    return 0;
}
