// Fills of one, two and four bytes, in rows and in streams, and copies of rectangles.
#include "driver.h"

struct copy_2d {
    size_t from_x, from_y;
    int from_type;
    const void *from_host;
    CUdeviceptr from_device;
    CUarray from_array;
    size_t from_pitch, to_x, to_y;
    int to_type;
    void *to_host;
    CUdeviceptr to_device;
    CUarray to_array;
    size_t to_pitch, width, height;
};
CUresult cuMemAllocPitch_v2(CUdeviceptr *at, size_t *pitch, size_t width, size_t rows, unsigned element);
CUresult cuMemsetD8_v2(CUdeviceptr to, unsigned char value, size_t n);
CUresult cuMemsetD16_v2(CUdeviceptr to, unsigned short value, size_t n);
CUresult cuMemsetD2D8_v2(CUdeviceptr to, size_t pitch, unsigned char value, size_t width, size_t rows);
CUresult cuMemsetD2D32_v2(CUdeviceptr to, size_t pitch, unsigned value, size_t width, size_t rows);
CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, size_t n, CUstream stream);
CUresult cuMemcpy2D_v2(const struct copy_2d *copy);

int main(void)
{
    begin();
    unsigned char out[8][8], small[3][4];
    size_t pitch;
    CUdeviceptr at, line = allocate(64);
    CHECK_ERROR(cuMemAlloc_v2(&at, 0), INVALID_VALUE);
    CHECK(cuMemAllocPitch_v2(&at, &pitch, 8, 8, 4));
    REQUIRE(pitch >= 8 && pitch % 4 == 0);
    CHECK(cuMemsetD2D8_v2(at, pitch, 0x11, 8, 8));
    CHECK(cuMemsetD2D32_v2(at + pitch, pitch, 0x04030201, 1, 2));
    struct copy_2d down = {.from_type = 2, .from_device = at, .from_pitch = pitch, .to_type = 1,
                           .to_host = out, .to_pitch = 8, .width = 8, .height = 8};
    CHECK(cuMemcpy2D_v2(&down));
    for (int i = 0; i < 12; i++)
        small[i / 4][i % 4] = 0xa0 + i;
    struct copy_2d up = {.from_type = 1, .from_host = small, .from_pitch = 4, .to_x = 2, .to_y = 4,
                         .to_type = 2, .to_device = at, .to_pitch = pitch, .width = 4, .height = 3};
    CHECK(cuMemcpy2D_v2(&up));
    CHECK(cuMemcpy2D_v2(&down));
    for (int y = 0; y < 8; y++, puts(""))
        for (int x = 0; x < 8; x++)
            printf("%02x ", out[y][x]);
    CHECK(cuMemsetD32_v2(line, 0xdeadbeef, 16));
    CHECK(cuMemsetD16_v2(line + 4, 0x1234, 3));
    CHECK(cuMemsetD8_v2(line + 11, 0xff, 2));
    CHECK_ERROR(cuMemsetD32_v2(line + 2, 0, 1), INVALID_VALUE);
    CUstream stream;
    CHECK(cuStreamCreate(&stream, 1));
    CHECK(cuMemsetD32Async(line + 16, 7, 1, stream));
    CHECK(cuStreamSynchronize(stream));
    CHECK(cuMemcpyDtoH_v2(out, line, 24));
    for (int i = 0; i < 24; i++)
        printf("%02x ", out[0][i]);
    puts("");
    CHECK(cuStreamDestroy_v2(stream));
    CHECK(cuMemFree_v2(at));
    CHECK_ERROR(cuMemFree_v2(at), INVALID_VALUE);
}
