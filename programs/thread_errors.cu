// Covers: the last error belongs to the host thread whose call failed.
// Output: what each thread sees, then "ok".
// Build: needs -Xcompiler -pthread.
#include "check.h"

#include <thread>

__global__ void nothing() {}

int main()
{
    // An error of the main thread...
    REQUIRE(cudaSetDevice(12345) == cudaErrorInvalidDevice);
    std::thread other([] {
        // ... is none of another's.
        printf("other thread starts with %s\n", cudaGetErrorName(cudaPeekAtLastError()));
        nothing<<<1, 5000>>>();
        printf("other thread then has %s\n", cudaGetErrorName(cudaPeekAtLastError()));
    });
    other.join();
    printf("main thread has %s\n", cudaGetErrorName(cudaGetLastError()));
    printf("main thread then has %s\n", cudaGetErrorName(cudaGetLastError()));
    nothing<<<1, 1>>>();
    CHECK_LAUNCH();
    std::thread third([] { printf("third thread starts with %s\n", cudaGetErrorName(cudaGetLastError())); });
    third.join();
    printf("ok\n");
    return 0;
}
