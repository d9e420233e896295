// Covers: a program with kernels of its own that loads a shared library with
// more kernels, constants and variables while it runs, uses it, unloads it and
// loads it again (its variables start afresh); same kernel names in both.
// Output: one line per step, then "ok".
// Build: libloaded.so beside it, with -shared; links with -ldl.
#include "../check.h"

#include <dlfcn.h>

#include <climits>
#include <string>
#include <unistd.h>

__device__ int calls = 1000;

__global__ void work(int *data)
{
    data[threadIdx.x] += 1;
    if (threadIdx.x == 0) {
        calls++;
    }
}

typedef int (*Run)(int *, int);
typedef int (*Calls)();

// Beside the program itself, wherever that is.
static std::string library()
{
    char path[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path);
    REQUIRE(length > 0);
    std::string name(path, length);
    return name.substr(0, name.rfind('/') + 1) + "libloaded.so";
}

static void *open_library(Run &run, Calls &count)
{
    void *handle = dlopen(library().c_str(), RTLD_NOW);
    if (!handle) {
        fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
    run = reinterpret_cast<Run>(dlsym(handle, "loaded_run"));
    count = reinterpret_cast<Calls>(dlsym(handle, "loaded_calls"));
    REQUIRE(run && count);
    return handle;
}

int main()
{
    int *data, got[32];
    CHECK(cudaMalloc(&data, sizeof got));
    CHECK(cudaMemset(data, 0, sizeof got));
    work<<<1, 32>>>(data);
    CHECK_LAUNCH();

    Run run;
    Calls count;
    void *handle = open_library(run, count);
    REQUIRE(run(data, 32) == 0 && run(data, 32) == 0);
    CHECK(cudaMemcpy(got, data, sizeof got, cudaMemcpyDeviceToHost));
    REQUIRE(got[0] == 1 + 2 * 50 && count() == 2);
    printf("library: %d, calls %d\n", got[0], count());
    REQUIRE(dlclose(handle) == 0);

    work<<<1, 32>>>(data);
    CHECK_LAUNCH();
    handle = open_library(run, count);
    REQUIRE(run(data, 32) == 0);
    CHECK(cudaMemcpy(got, data, sizeof got, cudaMemcpyDeviceToHost));
    REQUIRE(got[31] == 2 + 3 * 50 && count() == 1);
    printf("loaded again: %d, calls %d\n", got[31], count());

    int own;
    CHECK(cudaMemcpyFromSymbol(&own, calls, sizeof own));
    REQUIRE(own == 1002);
    printf("own calls %d\n", own);
    REQUIRE(dlclose(handle) == 0);
    CHECK(cudaFree(data));
    printf("ok\n");
    return 0;
}
