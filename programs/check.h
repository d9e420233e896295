// What the programs share: checks that name the line that failed. A failed
// check prints to stderr and ends the program with status 1.
#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

inline void check_call(cudaError_t got, cudaError_t wanted, const char *call, const char *file, int line)
{
    if (got != wanted) {
        fprintf(stderr, "%s:%d: %s gives %s, not %s\n", file, line, call, cudaGetErrorName(got),
                cudaGetErrorName(wanted));
        exit(1);
    }
}

inline void check_that(bool holds, const char *what, const char *file, int line)
{
    if (!holds) {
        fprintf(stderr, "%s:%d: not so: %s\n", file, line, what);
        exit(1);
    }
}

// The call succeeds.
#define CHECK(call) check_call((call), cudaSuccess, #call, __FILE__, __LINE__)
// The call gives this error.
#define CHECK_ERROR(call, wanted) check_call((call), (wanted), #call, __FILE__, __LINE__)
// The condition holds.
#define REQUIRE(condition) check_that((condition), #condition, __FILE__, __LINE__)
// The last launch started and ended well.
#define CHECK_LAUNCH()                \
    do {                              \
        CHECK(cudaGetLastError());    \
        CHECK(cudaDeviceSynchronize()); \
    } while (0)
