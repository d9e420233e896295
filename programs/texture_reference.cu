// Covers: texture references (in CUDA until 11): one-dimensional over linear
// memory with an offset, two-dimensional over an array and over pitched memory,
// modes changed by the host between launches, unbinding.
// Output: one line per kind, then "ok".
// Build: -diag-suppress 1215 (they are deprecated).
#include "check.h"

texture<float, cudaTextureType1D, cudaReadModeElementType> line;
texture<int4, cudaTextureType1D, cudaReadModeElementType> quads;
texture<float, cudaTextureType2D, cudaReadModeElementType> picture;
texture<unsigned char, cudaTextureType2D, cudaReadModeNormalizedFloat> bytes;

__global__ void read_line(float *out, int offset)
{
    out[threadIdx.x] = tex1Dfetch(line, threadIdx.x + offset);
}

__global__ void read_quads(int *out)
{
    int4 q = tex1Dfetch(quads, threadIdx.x);
    out[threadIdx.x] = q.x + 10 * q.y + 100 * q.z + 1000 * q.w;
}

__global__ void read_picture(float *out, float x, float y)
{
    out[threadIdx.x] = tex2D(picture, x + threadIdx.x, y);
}

__global__ void read_bytes(float *out)
{
    out[threadIdx.x] = tex2D(bytes, threadIdx.x + 0.5f, 1.5f);
}

int main()
{
    float *out, got[32];
    CHECK(cudaMalloc(&out, sizeof got));

    float values[256], *linear;
    for (int i = 0; i < 256; i++) {
        values[i] = i * 0.5f;
    }
    CHECK(cudaMalloc(&linear, sizeof values));
    CHECK(cudaMemcpy(linear, values, sizeof values, cudaMemcpyHostToDevice));
    size_t offset;
    CHECK(cudaBindTexture(&offset, line, linear, sizeof values));
    REQUIRE(offset == 0);
    read_line<<<1, 32>>>(out, 10);
    CHECK_LAUNCH();
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    REQUIRE(got[0] == 5 && got[31] == 20.5f);
    printf("line %g %g\n", got[0], got[31]);
    // Bound again, at a place as aligned as textures must be; kernels follow.
    CHECK(cudaBindTexture(nullptr, line, linear + 128, 32 * sizeof(float)));
    read_line<<<1, 32>>>(out, 0);
    CHECK_LAUNCH();
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    REQUIRE(got[0] == 64 && got[31] == 79.5f);
    printf("bound again %g %g\n", got[0], got[31]);
    CHECK(cudaUnbindTexture(line));

    int4 fours[4] = {{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 9, 9, 9}, {-1, 0, 0, 1}}, *fours_at;
    int *ints, sums[4];
    CHECK(cudaMalloc(&fours_at, sizeof fours));
    CHECK(cudaMalloc(&ints, sizeof sums));
    CHECK(cudaMemcpy(fours_at, fours, sizeof fours, cudaMemcpyHostToDevice));
    CHECK(cudaBindTexture(nullptr, quads, fours_at, sizeof fours));
    read_quads<<<1, 4>>>(ints);
    CHECK_LAUNCH();
    CHECK(cudaMemcpy(sums, ints, sizeof sums, cudaMemcpyDeviceToHost));
    REQUIRE(sums[0] == 4321 && sums[1] == 8765 && sums[2] == 9999 && sums[3] == 999);
    printf("quads %d %d %d %d\n", sums[0], sums[1], sums[2], sums[3]);

    // An array, filtered.
    const int W = 8, H = 4;
    float texels[H][W];
    for (int y = 0; y < H; y++) {
        for (int x = 0; x < W; x++) {
            texels[y][x] = x + 10 * y;
        }
    }
    cudaArray_t array;
    cudaChannelFormatDesc floats = cudaCreateChannelDesc<float>();
    CHECK(cudaMallocArray(&array, &floats, W, H));
    CHECK(cudaMemcpy2DToArray(array, 0, 0, texels, sizeof texels[0], sizeof texels[0], H, cudaMemcpyHostToDevice));
    picture.filterMode = cudaFilterModeLinear;
    picture.addressMode[0] = cudaAddressModeClamp;
    picture.addressMode[1] = cudaAddressModeClamp;
    picture.normalized = false;
    CHECK(cudaBindTextureToArray(picture, array));
    read_picture<<<1, 8>>>(out, 1.0f, 1.0f);
    CHECK_LAUNCH();
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    REQUIRE(got[0] == 5.5f && got[1] == 6.5f && got[7] == 12);
    printf("array, linear %g %g %g\n", got[0], got[1], got[7]);

    // The same reference, now without filtering, over pitched memory.
    float *pitched;
    size_t pitch;
    CHECK(cudaMallocPitch(&pitched, &pitch, sizeof texels[0], H));
    CHECK(cudaMemcpy2D(pitched, pitch, texels, sizeof texels[0], sizeof texels[0], H, cudaMemcpyHostToDevice));
    picture.filterMode = cudaFilterModePoint;
    CHECK(cudaBindTexture2D(nullptr, picture, pitched, floats, W, H, pitch));
    read_picture<<<1, 8>>>(out, 0.5f, 3.5f);
    CHECK_LAUNCH();
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    REQUIRE(got[0] == 30 && got[7] == 37);
    printf("pitched, point %g %g\n", got[0], got[7]);

    unsigned char grey[2][4] = {{1, 2, 3, 4}, {0, 51, 204, 255}};
    cudaArray_t small;
    cudaChannelFormatDesc byte = cudaCreateChannelDesc<unsigned char>();
    CHECK(cudaMallocArray(&small, &byte, 4, 2));
    CHECK(cudaMemcpy2DToArray(small, 0, 0, grey, 4, 4, 2, cudaMemcpyHostToDevice));
    CHECK(cudaBindTextureToArray(bytes, small, byte));
    read_bytes<<<1, 4>>>(out);
    CHECK_LAUNCH();
    CHECK(cudaMemcpy(got, out, 16, cudaMemcpyDeviceToHost));
    REQUIRE(got[0] == 0 && got[3] == 1 && got[2] > 0.799f && got[2] < 0.801f);
    printf("bytes %g %g %g %g\n", got[0], got[1], got[2], got[3]);

    CHECK(cudaUnbindTexture(picture));
    CHECK(cudaFreeArray(array));
    CHECK(cudaFreeArray(small));
    CHECK(cudaFree(pitched));
    CHECK(cudaFree(linear));
    CHECK(cudaFree(fours_at));
    CHECK(cudaFree(ints));
    CHECK(cudaFree(out));
    printf("ok\n");
    return 0;
}
