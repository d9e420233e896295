// A texture over an array, read with linear filtering and clamped coordinates.
#include "driver.h"

struct shape {
    size_t width, height;
    int format;
    unsigned channels;
};
struct resource {
    int type;
    union {
        CUarray array;
        int room[32];
    } of;
    unsigned flags;
};
struct texture {
    int address[3], filter;
    unsigned flags, anisotropy;
    int mipmap_filter;
    float bias, least, most, border[4];
    int room[12];
};
CUresult cuArrayCreate_v2(CUarray *array, const struct shape *shape);
CUresult cuMemcpyHtoA_v2(CUarray to, size_t offset, const void *from, size_t bytes);
CUresult cuTexObjectCreate(CUhandle *texture, const struct resource *r, const struct texture *t, const void *view);
CUresult cuTexObjectDestroy(CUhandle texture);

int main(int argc, char **argv)
{
    begin();
    CUfunction fetch = find(load(argv), "fetch");
    float in[8] = {0, 1, 2, 3, 4, 5, 6, 7}, out[3][5];
    struct shape shape = {8, 1, 0x20, 1};
    struct resource resource = {0};
    struct texture how = {.address = {1, 1, 1}, .filter = 1};
    CHECK(cuArrayCreate_v2(&resource.of.array, &shape));
    CHECK(cuMemcpyHtoA_v2(resource.of.array, 0, in, sizeof in));
    CUhandle texture;
    CHECK(cuTexObjectCreate(&texture, &resource, &how, NULL));
    CUdeviceptr at = allocate(sizeof out);
    int width = 5;
    void *arguments[] = {&texture, &at, &width};
    CHECK(cuLaunchKernel(fetch, 1, 1, 1, 5, 3, 1, 0, NULL, arguments, NULL));
    CHECK(cuMemcpyDtoH_v2(out, at, sizeof out));
    for (int y = 0; y < 3; y++, puts(""))
        for (int x = 0; x < 5; x++)
            printf("%.2f ", out[y][x]);
    CHECK(cuTexObjectDestroy(texture));
}
