// Covers: a process that forks before it touches CUDA; parent and child then
// both use it, each with a context of its own.
// Output: the child's line, then the parent's, then "ok".
#include "check.h"

#include <sys/wait.h>
#include <unistd.h>

__global__ void add(int *data, int value)
{
    data[threadIdx.x] += value;
}

static int work(int value)
{
    int *data, got[32];
    CHECK(cudaMalloc(&data, sizeof got));
    CHECK(cudaMemset(data, 0, sizeof got));
    for (int i = 0; i < 3; i++) {
        add<<<1, 32>>>(data, value);
    }
    CHECK_LAUNCH();
    CHECK(cudaMemcpy(got, data, sizeof got, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(data));
    return got[31];
}

int main()
{
    pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        printf("child: %d\n", work(5));
        return 7;
    }
    int status;
    REQUIRE(waitpid(child, &status, 0) == child);
    REQUIRE(WIFEXITED(status) && WEXITSTATUS(status) == 7);
    printf("parent: %d\n", work(100));
    printf("ok\n");
    return 0;
}
