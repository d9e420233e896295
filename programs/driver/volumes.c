// CUDA arrays of two and three dimensions, and copies of boxes.
#include "driver.h"

struct array_3d {
    size_t width, height, depth;
    int format;
    unsigned channels, flags;
};
struct side {
    size_t x, y, z, level;
    int type;
    void *host;
    CUdeviceptr device;
    CUarray array;
    void *reserved;
    size_t pitch, height;
};
struct copy_3d {
    struct side from, to;
    size_t width, height, depth;
};
CUresult cuArray3DCreate_v2(CUarray *array, const struct array_3d *shape);
CUresult cuArray3DGetDescriptor_v2(struct array_3d *shape, CUarray array);
CUresult cuArrayDestroy(CUarray array);
CUresult cuMemcpy3D_v2(const struct copy_3d *copy);

int main(void)
{
    begin();
    int in[3][4][5], out[3][4][5], part[2][2][2];
    for (int i = 0; i < 60; i++)
        (&in[0][0][0])[i] = i;
    struct array_3d shape = {5, 4, 3, 0x0a, 1, 0}, is;
    CUarray array;
    CHECK(cuArray3DCreate_v2(&array, &shape));
    CHECK(cuArray3DGetDescriptor_v2(&is, array));
    printf("%zu x %zu x %zu, format %d, channels %u\n", is.width, is.height, is.depth, is.format, is.channels);
    struct copy_3d up = {.from = {.type = 1, .host = in, .pitch = 20, .height = 4},
                         .to = {.type = 3, .array = array}, .width = 20, .height = 4, .depth = 3};
    CHECK(cuMemcpy3D_v2(&up));
    struct copy_3d down = {.from = up.to, .to = {.type = 1, .host = out, .pitch = 20, .height = 4},
                           .width = 20, .height = 4, .depth = 3};
    CHECK(cuMemcpy3D_v2(&down));
    REQUIRE(memcmp(in, out, sizeof in) == 0);
    CUdeviceptr linear = allocate(sizeof part);
    struct copy_3d some = {.from = {.x = 8, .y = 1, .z = 1, .type = 3, .array = array},
                           .to = {.type = 2, .device = linear, .pitch = 8, .height = 2},
                           .width = 8, .height = 2, .depth = 2};
    CHECK(cuMemcpy3D_v2(&some));
    CHECK(cuMemcpyDtoH_v2(part, linear, sizeof part));
    for (int i = 0; i < 8; i++)
        printf("%d ", (&part[0][0][0])[i]);
    puts("");
    some.from.x = 16;
    CHECK_ERROR(cuMemcpy3D_v2(&some), INVALID_VALUE);
    CHECK(cuArrayDestroy(array));
}
