// Covers: __device__ variables: initial values, arrays, pointers to other
// variables, cudaMemcpyToSymbol/FromSymbol, cudaGetSymbolAddress, memset of a
// variable, values that stay from launch to launch, __restrict__ and __ldg.
// Output: one line per step, then "ok".
#include "check.h"

__device__ int counter = 5;
__device__ int history[8];
__device__ int *pointer = &history[3];
__device__ const float fixed[3] = {1.0f, 2.0f, 4.0f};
__device__ volatile int flag;
__device__ unsigned char letters[] = "upset";
__device__ double matrix[2][3] = {{1, 2, 3}, {4, 5, 6}};

__global__ void step()
{
    if (threadIdx.x == 0) {
        history[counter % 8] = counter;
        counter++;
        flag = 1;
    }
}

__global__ void through_pointer(int value)
{
    *pointer = value;
}

__global__ void sums(const float *__restrict__ more, float *out)
{
    out[0] = fixed[0] + fixed[1] + fixed[2] + __ldg(more);
    double sum = 0;
    for (int r = 0; r < 2; r++) {
        for (int c = 0; c < 3; c++) {
            sum += matrix[r][c];
        }
    }
    out[1] = float(sum);
    int text = 0;
    for (int i = 0; letters[i]; i++) {
        text += letters[i];
    }
    out[2] = text;
}

int main()
{
    int value;
    CHECK(cudaMemcpyFromSymbol(&value, counter, sizeof value));
    REQUIRE(value == 5);
    printf("counter starts at %d\n", value);

    for (int i = 0; i < 4; i++) {
        step<<<1, 32>>>();
    }
    CHECK_LAUNCH();
    int seen[8];
    CHECK(cudaMemcpyFromSymbol(seen, history, sizeof seen));
    REQUIRE(seen[5] == 5 && seen[6] == 6 && seen[7] == 7 && seen[0] == 8 && seen[1] == 0);
    CHECK(cudaMemcpyFromSymbol(&value, counter, sizeof value));
    printf("counter after four launches %d\n", value);
    REQUIRE(value == 9);

    through_pointer<<<1, 1>>>(77);
    CHECK_LAUNCH();
    CHECK(cudaMemcpyFromSymbol(&value, history, sizeof value, 3 * sizeof(int)));
    REQUIRE(value == 77);
    printf("through a pointer %d\n", value);

    // Let the device's pointer point at ordinary memory.
    int *buffer;
    CHECK(cudaMalloc(&buffer, sizeof(int)));
    CHECK(cudaMemcpyToSymbol(pointer, &buffer, sizeof buffer));
    through_pointer<<<1, 1>>>(88);
    CHECK_LAUNCH();
    CHECK(cudaMemcpy(&value, buffer, sizeof value, cudaMemcpyDeviceToHost));
    REQUIRE(value == 88);
    printf("pointer moved %d\n", value);

    int *where;
    CHECK(cudaGetSymbolAddress((void **)&where, history));
    CHECK(cudaMemset(where, 0xff, sizeof seen));
    CHECK(cudaMemcpyFromSymbol(seen, history, sizeof seen));
    REQUIRE(seen[0] == -1 && seen[7] == -1);
    printf("memset %d\n", seen[4]);

    float *out, got[3], more = 100;
    CHECK(cudaMalloc(&out, sizeof got));
    float *more_at;
    CHECK(cudaMalloc(&more_at, sizeof more));
    CHECK(cudaMemcpy(more_at, &more, sizeof more, cudaMemcpyHostToDevice));
    sums<<<1, 1>>>(more_at, out);
    CHECK_LAUNCH();
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    REQUIRE(got[0] == 107 && got[1] == 21 && got[2] == 'u' + 'p' + 's' + 'e' + 't');
    printf("sums %g %g %g\n", got[0], got[1], got[2]);
    printf("ok\n");
    return 0;
}
