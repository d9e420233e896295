// Covers: cudaMallocPitch, cudaMemcpy2D in all directions, cudaMemset2D, their
// asynchronous forms, rows that are no multiple of the pitch.
// Output: one line per step, then "ok". The pitch itself is the device's matter.
#include "check.h"

#include <vector>

__global__ void transpose_sum(const char *from, size_t pitch, int width, int height, int *out)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) {
        const int *row = reinterpret_cast<const int *>(from + y * pitch);
        out[x * height + y] = row[x];
    }
}

int main()
{
    const int width = 37, height = 21;
    const size_t row = width * sizeof(int);
    char *picture;
    size_t pitch;
    CHECK(cudaMallocPitch(&picture, &pitch, row, height));
    REQUIRE(pitch >= row && pitch % 32 == 0);

    std::vector<int> source(width * height), got(width * height);
    for (int i = 0; i < width * height; i++) {
        source[i] = 3 * i;
    }
    CHECK(cudaMemset(picture, 0xee, pitch * height));
    CHECK(cudaMemcpy2D(picture, pitch, source.data(), row, row, height, cudaMemcpyHostToDevice));

    int *out;
    CHECK(cudaMalloc(&out, width * height * sizeof(int)));
    transpose_sum<<<dim3(3, 2), dim3(16, 16)>>>(picture, pitch, width, height, out);
    CHECK_LAUNCH();
    CHECK(cudaMemcpy(got.data(), out, width * height * sizeof(int), cudaMemcpyDeviceToHost));
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            REQUIRE(got[x * height + y] == source[y * width + x]);
        }
    }
    printf("transposed %d\n", got[width * height - 1]);

    // The bytes between the rows are nobody's business.
    unsigned char gap[4];
    if (pitch >= row + sizeof gap) {
        CHECK(cudaMemcpy(gap, picture + row, sizeof gap, cudaMemcpyDeviceToHost));
        REQUIRE(gap[0] == 0xee && gap[3] == 0xee);
    }

    // A window of 5 columns and 4 rows, at column 10 and row 6.
    int window[4][5];
    CHECK(cudaMemcpy2D(window, sizeof window[0], picture + 6 * pitch + 10 * sizeof(int), pitch, sizeof window[0], 4,
                       cudaMemcpyDeviceToHost));
    for (int y = 0; y < 4; y++) {
        for (int x = 0; x < 5; x++) {
            REQUIRE(window[y][x] == source[(y + 6) * width + x + 10]);
        }
    }
    printf("window %d\n", window[3][4]);

    // Device to device, into another pitch, then a rectangle set to bytes.
    char *copy;
    size_t other;
    CHECK(cudaMallocPitch(&copy, &other, 2 * row, height));
    CHECK(cudaMemset2D(copy, other, 0, 2 * row, height));
    CHECK(cudaMemcpy2D(copy + row, other, picture, pitch, row, height, cudaMemcpyDeviceToDevice));
    CHECK(cudaMemset2D(copy + 3 * other, other, 0x11, 8, 2));
    std::vector<int> wide(2 * width * height);
    CHECK(cudaMemcpy2D(wide.data(), 2 * row, copy, other, 2 * row, height, cudaMemcpyDeviceToHost));
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            bool set = (y == 3 || y == 4) && x < 2;
            REQUIRE(wide[y * 2 * width + x] == (set ? 0x11111111 : 0));
            REQUIRE(wide[y * 2 * width + width + x] == source[y * width + x]);
        }
    }
    printf("beside %d, set %#x\n", wide[2 * width - 1], wide[3 * 2 * width]);

    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaMemset2DAsync(picture, pitch, 0x22, row, 1, stream));
    CHECK(cudaMemcpy2DAsync(got.data(), row, picture, pitch, row, height, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    REQUIRE(got[0] == 0x22222222 && got[width - 1] == 0x22222222 && got[width] == source[width]);
    printf("asynchronous %#x %d\n", got[0], got[width]);
    CHECK(cudaStreamDestroy(stream));

    // A width beyond the pitch is refused.
    CHECK_ERROR(cudaMemcpy2D(got.data(), row, picture, 16, row, height, cudaMemcpyDeviceToHost),
                cudaErrorInvalidPitchValue);
    CHECK(cudaFree(picture));
    CHECK(cudaFree(copy));
    CHECK(cudaFree(out));
    printf("ok\n");
    return 0;
}
