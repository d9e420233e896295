// Covers: __shfl_sync, _up, _down, _xor with all widths and types (int, float,
// double, 64-bit, half), partial masks, warp reductions and scans,
// __syncwarp.
// Output: one line per group, then "ok".
#include "check.h"

#include <cuda_fp16.h>

const unsigned ALL = 0xffffffffu;

__global__ void kinds(int *out)
{
    int lane = threadIdx.x, n = 0;
    out[32 * n++ + lane] = __shfl_sync(ALL, lane * 10, 5);
    out[32 * n++ + lane] = __shfl_sync(ALL, lane * 10, (lane + 1) % 32);
    out[32 * n++ + lane] = __shfl_up_sync(ALL, lane, 3);
    out[32 * n++ + lane] = __shfl_down_sync(ALL, lane, 3);
    out[32 * n++ + lane] = __shfl_xor_sync(ALL, lane, 7);
    out[32 * n++ + lane] = __shfl_sync(ALL, lane, 2, 8);
    out[32 * n++ + lane] = __shfl_up_sync(ALL, lane, 1, 8);
    out[32 * n++ + lane] = __shfl_down_sync(ALL, lane, 2, 4);
    out[32 * n++ + lane] = __shfl_xor_sync(ALL, lane, 16, 16);
}

__global__ void types(float *f, double *d, long long *l, __half *h)
{
    int lane = threadIdx.x;
    f[lane] = __shfl_xor_sync(ALL, lane + 0.5f, 1);
    d[lane] = __shfl_down_sync(ALL, lane * 1e100, 1);
    l[lane] = __shfl_up_sync(ALL, (1LL << 40) + lane, 1);
    h[lane] = __shfl_sync(ALL, __float2half(lane * 0.25f), 31);
}

__global__ void sums(int *out)
{
    int lane = threadIdx.x % 32;
    int value = threadIdx.x + 1;
    int sum = value;
    for (int step = 16; step > 0; step /= 2) {
        sum += __shfl_down_sync(ALL, sum, step);
    }
    int scan = value;
    for (int step = 1; step < 32; step *= 2) {
        int below = __shfl_up_sync(ALL, scan, step);
        if (lane >= step) {
            scan += below;
        }
    }
    __shared__ int per_warp[4];
    if (lane == 0) {
        per_warp[threadIdx.x / 32] = sum;
    }
    __syncthreads();
    out[threadIdx.x] = scan;
    if (threadIdx.x == 0) {
        out[128] = per_warp[0] + per_warp[1] + per_warp[2] + per_warp[3];
    }
}

// Halves of a warp that go different ways still exchange within themselves.
__global__ void divided(int *out)
{
    int lane = threadIdx.x;
    int value;
    if (lane < 16) {
        value = __shfl_xor_sync(0x0000ffffu, lane * 2, 1);
    } else {
        value = __shfl_xor_sync(0xffff0000u, lane * 3, 2);
    }
    __syncwarp();
    out[lane] = value;
}

// Threads of a warp hand values over through shared memory.
__global__ void handed_over(int *out)
{
    __shared__ int cell[32];
    cell[threadIdx.x] = threadIdx.x * threadIdx.x;
    __syncwarp();
    int got = cell[31 - threadIdx.x];
    __syncwarp();
    cell[threadIdx.x] = got + 1;
    __syncwarp();
    out[threadIdx.x] = cell[(threadIdx.x + 1) % 32];
}

int main()
{
    int *out, got[9][32];
    CHECK(cudaMalloc(&out, sizeof got));
    kinds<<<1, 32>>>(out);
    CHECK_LAUNCH();
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int lane = 0; lane < 32; lane++) {
        REQUIRE(got[0][lane] == 50);
        REQUIRE(got[1][lane] == (lane + 1) % 32 * 10);
        REQUIRE(got[2][lane] == (lane < 3 ? lane : lane - 3));
        REQUIRE(got[3][lane] == (lane > 28 ? lane : lane + 3));
        REQUIRE(got[4][lane] == (lane ^ 7));
        REQUIRE(got[5][lane] == lane / 8 * 8 + 2);
        REQUIRE(got[6][lane] == (lane % 8 == 0 ? lane : lane - 1));
        REQUIRE(got[7][lane] == (lane % 4 > 1 ? lane : lane + 2));
        // A partner beyond the segment is not reached.
        REQUIRE(got[8][lane] == (lane < 16 ? lane : lane ^ 16));
    }
    printf("shuffles %d %d %d\n", got[1][31], got[4][0], got[8][20]);

    float *f, floats[32];
    double *d, doubles[32];
    long long *l, longs[32];
    __half *h, halves[32];
    CHECK(cudaMalloc(&f, sizeof floats));
    CHECK(cudaMalloc(&d, sizeof doubles));
    CHECK(cudaMalloc(&l, sizeof longs));
    CHECK(cudaMalloc(&h, sizeof halves));
    types<<<1, 32>>>(f, d, l, h);
    CHECK_LAUNCH();
    CHECK(cudaMemcpy(floats, f, sizeof floats, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(doubles, d, sizeof doubles, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(longs, l, sizeof longs, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(halves, h, sizeof halves, cudaMemcpyDeviceToHost));
    REQUIRE(floats[0] == 1.5f && floats[31] == 30.5f && doubles[3] == 4e100 && doubles[31] == 31e100);
    REQUIRE(longs[5] == (1LL << 40) + 4 && longs[0] == 1LL << 40 && __half2float(halves[9]) == 7.75f);
    printf("types %g %g %lld %g\n", floats[0], doubles[3], longs[5], __half2float(halves[9]));

    int scan[129], *scans;
    CHECK(cudaMalloc(&scans, sizeof scan));
    sums<<<1, 128>>>(scans);
    CHECK_LAUNCH();
    CHECK(cudaMemcpy(scan, scans, sizeof scan, cudaMemcpyDeviceToHost));
    REQUIRE(scan[128] == 8256 && scan[31] == 528 && scan[127] == 8256 - 96 * 97 / 2);
    printf("sums %d %d\n", scan[128], scan[127]);

    int row[32];
    divided<<<1, 32>>>(out);
    CHECK_LAUNCH();
    CHECK(cudaMemcpy(row, out, sizeof row, cudaMemcpyDeviceToHost));
    for (int lane = 0; lane < 32; lane++) {
        REQUIRE(row[lane] == (lane < 16 ? (lane ^ 1) * 2 : (lane ^ 2) * 3));
    }
    printf("divided %d %d\n", row[0], row[31]);

    handed_over<<<1, 32>>>(out);
    CHECK_LAUNCH();
    CHECK(cudaMemcpy(row, out, sizeof row, cudaMemcpyDeviceToHost));
    REQUIRE(row[0] == 901 && row[31] == 962);
    printf("handed over %d %d\n", row[0], row[31]);
    printf("ok\n");
    return 0;
}
