// Covers: separate compilation (-rdc=true) of two files that the device linker
// joins: device functions, __device__ and __constant__ variables and a function
// pointer defined in the other file, a kernel launched from another file.
// Output: one line per step, then "ok".
// Build: needs -rdc=true.
#include "../check.h"
#include "shared.h"

__global__ void use(int *out, float *reals)
{
    int i = threadIdx.x;
    out[i] = gcd(360, i + 1);
    reals[i] = scaled(float(i));
}

int main()
{
    int *out, got[32], count;
    float *reals, seen[32];
    CHECK(cudaMalloc(&out, sizeof got));
    CHECK(cudaMalloc(&reals, sizeof seen));
    use<<<1, 32>>>(out, reals);
    CHECK_LAUNCH();
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(seen, reals, sizeof seen, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 32; i++) {
        REQUIRE(360 % got[i] == 0 && (i + 1) % got[i] == 0);
        REQUIRE(seen[i] == 1.5f * i);
    }
    REQUIRE(got[23] == 24 && got[6] == 1 && got[29] == 30);
    printf("gcd(360, 24) = %d\n", got[23]);

    CHECK(cudaMemcpyFromSymbol(&count, call_count, sizeof count));
    REQUIRE(count == 132);
    printf("calls counted in the other file: %d\n", count);

    float factor = 4.0f;
    CHECK(cudaMemcpyToSymbol(scale_factor, &factor, sizeof factor));
    use<<<1, 32>>>(out, reals);
    CHECK_LAUNCH();
    CHECK(cudaMemcpy(seen, reals, sizeof seen, cudaMemcpyDeviceToHost));
    REQUIRE(seen[31] == 124.0f);
    printf("scaled by the new factor: %g\n", seen[31]);

    from_the_other_file<<<1, 32>>>(out);
    CHECK_LAUNCH();
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    REQUIRE(got[0] == 1000 && got[31] == 969);
    printf("through a pointer: %d\n", got[31]);
    printf("ok\n");
    return 0;
}
