// Covers: a process that forks while it uses CUDA; the child does not touch
// CUDA (it may not) and ends by itself, once by _exit and once by running
// another program; the parent goes on as if nothing had happened.
// Output: lines of both, then "ok".
#include "check.h"

#include <sys/wait.h>
#include <unistd.h>

__global__ void add(int *data, int value)
{
    data[threadIdx.x] += value;
}

static int ended(pid_t child)
{
    int status;
    REQUIRE(waitpid(child, &status, 0) == child);
    REQUIRE(WIFEXITED(status));
    return WEXITSTATUS(status);
}

int main()
{
    int *data, got[32];
    CHECK(cudaMalloc(&data, sizeof got));
    CHECK(cudaMemset(data, 0, sizeof got));
    add<<<1, 32>>>(data, 1);
    CHECK_LAUNCH();
    fflush(stdout);

    pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        const char line[] = "first child\n";
        _exit(write(STDOUT_FILENO, line, sizeof line - 1) > 0 ? 11 : 1);
    }
    REQUIRE(ended(child) == 11);
    add<<<1, 32>>>(data, 10);
    CHECK_LAUNCH();

    child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        execl("/bin/sh", "sh", "-c", "echo second child; exit 12", (char *)nullptr);
        _exit(1);
    }
    REQUIRE(ended(child) == 12);
    add<<<1, 32>>>(data, 100);
    CHECK_LAUNCH();
    CHECK(cudaMemcpy(got, data, sizeof got, cudaMemcpyDeviceToHost));
    REQUIRE(got[0] == 111 && got[31] == 111);
    CHECK(cudaFree(data));
    printf("parent: %d\n", got[31]);
    printf("ok\n");
    return 0;
}
