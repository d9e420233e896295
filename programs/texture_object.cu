// Covers: cudaMallocArray, cudaMemcpy2DToArray, texture objects over arrays:
// point and linear filtering, normalised coordinates, all address modes,
// element types (float, float4, unsigned char read as normalised float, int),
// cudaGetTextureObjectResourceDesc, cudaArrayGetInfo.
// Output: one line per kind of read, then "ok".
#include "check.h"

#include <cmath>
#include <vector>

const int W = 8, H = 4;

template <typename T>
__global__ void sample(cudaTextureObject_t texture, const float2 *at, T *out)
{
    float2 p = at[threadIdx.x];
    out[threadIdx.x] = tex2D<T>(texture, p.x, p.y);
}

static cudaTextureObject_t make(cudaArray_t array, cudaTextureAddressMode mode, cudaTextureFilterMode filter,
                                cudaTextureReadMode read, bool normalised)
{
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc description = {};
    description.addressMode[0] = mode;
    description.addressMode[1] = mode;
    description.filterMode = filter;
    description.readMode = read;
    description.normalizedCoords = normalised;
    description.borderColor[0] = 99;
    cudaTextureObject_t texture = 0;
    CHECK(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
    return texture;
}

// Reads `texture` at some places.
template <typename T>
static std::vector<T> read(cudaTextureObject_t texture, const std::vector<float2> &places)
{
    float2 *at;
    T *out;
    std::vector<T> got(places.size());
    CHECK(cudaMalloc(&at, places.size() * sizeof(float2)));
    CHECK(cudaMalloc(&out, places.size() * sizeof(T)));
    CHECK(cudaMemcpy(at, places.data(), places.size() * sizeof(float2), cudaMemcpyHostToDevice));
    sample<T><<<1, int(places.size())>>>(texture, at, out);
    CHECK_LAUNCH();
    CHECK(cudaMemcpy(got.data(), out, places.size() * sizeof(T), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(at));
    CHECK(cudaFree(out));
    CHECK(cudaDestroyTextureObject(texture));
    return got;
}

static bool near(float a, float b)
{
    // Filter weights have eight fractional bits.
    return std::fabs(a - b) <= 1.0f / 64;
}

int main()
{
    float texels[H][W];
    for (int y = 0; y < H; y++) {
        for (int x = 0; x < W; x++) {
            texels[y][x] = 10 * y + x;
        }
    }
    cudaChannelFormatDesc floats = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    CHECK(cudaMallocArray(&array, &floats, W, H));
    CHECK(cudaMemcpy2DToArray(array, 0, 0, texels, sizeof texels[0], sizeof texels[0], H, cudaMemcpyHostToDevice));
    cudaChannelFormatDesc seen;
    cudaExtent extent;
    unsigned flags;
    CHECK(cudaArrayGetInfo(&seen, &extent, &flags, array));
    REQUIRE(seen.x == 32 && seen.y == 0 && seen.f == cudaChannelFormatKindFloat);
    REQUIRE(extent.width == W && extent.height == H);

    // Point sampling, texel centres at halves.
    std::vector<float2> all;
    for (int y = 0; y < H; y++) {
        for (int x = 0; x < W; x++) {
            all.push_back(make_float2(x + 0.5f, y + 0.5f));
        }
    }
    auto got = read<float>(make(array, cudaAddressModeClamp, cudaFilterModePoint, cudaReadModeElementType, false), all);
    for (int i = 0; i < W * H; i++) {
        REQUIRE(got[i] == texels[i / W][i % W]);
    }
    printf("point %g\n", got[W * H - 1]);

    // Outside: clamped, and the border's colour.
    std::vector<float2> outside = {make_float2(-3, 1.5f), make_float2(20, 1.5f), make_float2(2.5f, -1),
                                   make_float2(2.5f, 9), make_float2(2.5f, 2.5f)};
    got = read<float>(make(array, cudaAddressModeClamp, cudaFilterModePoint, cudaReadModeElementType, false), outside);
    REQUIRE(got[0] == 10 && got[1] == 17 && got[2] == 2 && got[3] == 32 && got[4] == 22);
    printf("clamp %g %g %g %g %g\n", got[0], got[1], got[2], got[3], got[4]);
    got = read<float>(make(array, cudaAddressModeBorder, cudaFilterModePoint, cudaReadModeElementType, false), outside);
    REQUIRE(got[0] == 99 && got[1] == 99 && got[2] == 99 && got[3] == 99 && got[4] == 22);
    printf("border %g %g\n", got[0], got[4]);

    // Linear filtering: between centres the plane 10 y + x, up to the edge.
    std::vector<float2> between = {make_float2(1.0f, 0.5f), make_float2(2.75f, 1.5f), make_float2(3.5f, 2.0f),
                                   make_float2(4.25f, 1.25f), make_float2(0.0f, 0.0f), make_float2(8.0f, 4.0f)};
    got = read<float>(make(array, cudaAddressModeClamp, cudaFilterModeLinear, cudaReadModeElementType, false), between);
    const float wanted[] = {0.5f, 12.25f, 18, 11.25f, 0, 37};
    for (size_t i = 0; i < between.size(); i++) {
        REQUIRE(near(got[i], wanted[i]));
    }
    printf("linear %g %g %g %g %g %g\n", got[0], got[1], got[2], got[3], got[4], got[5]);

    // Normalised coordinates, where the picture repeats or is mirrored.
    std::vector<float2> unit = {make_float2(0.5f / W, 0.5f / H), make_float2(7.5f / W, 3.5f / H),
                                make_float2(9.5f / W, 0.5f / H), make_float2(-0.5f / W, 0.5f / H),
                                make_float2(0.5f / W, 5.5f / H)};
    got = read<float>(make(array, cudaAddressModeWrap, cudaFilterModePoint, cudaReadModeElementType, true), unit);
    REQUIRE(got[0] == 0 && got[1] == 37 && got[2] == 1 && got[3] == 7 && got[4] == 10);
    printf("wrap %g %g %g %g %g\n", got[0], got[1], got[2], got[3], got[4]);
    got = read<float>(make(array, cudaAddressModeMirror, cudaFilterModePoint, cudaReadModeElementType, true), unit);
    REQUIRE(got[0] == 0 && got[1] == 37 && got[2] == 6 && got[3] == 0 && got[4] == 20);
    printf("mirror %g %g %g %g %g\n", got[0], got[1], got[2], got[3], got[4]);
    // Between the last texel of a row and the first of its repetition.
    std::vector<float2> seam = {make_float2(1.0f, 0.5f / H), make_float2(0.0f, 1.0f / H)};
    got = read<float>(make(array, cudaAddressModeWrap, cudaFilterModeLinear, cudaReadModeElementType, true), seam);
    REQUIRE(near(got[0], 3.5f) && near(got[1], 8.5f));
    printf("seam %g %g\n", got[0], got[1]);
    CHECK(cudaFreeArray(array));

    // Bytes that arrive as numbers from 0 to 1.
    unsigned char bytes[2][4] = {{0, 51, 102, 255}, {255, 0, 153, 204}};
    cudaChannelFormatDesc byte = cudaCreateChannelDesc<unsigned char>();
    CHECK(cudaMallocArray(&array, &byte, 4, 2));
    CHECK(cudaMemcpy2DToArray(array, 0, 0, bytes, 4, 4, 2, cudaMemcpyHostToDevice));
    std::vector<float2> four = {make_float2(0.5f, 0.5f), make_float2(1.5f, 0.5f), make_float2(3.5f, 0.5f),
                                make_float2(2.5f, 1.5f)};
    got = read<float>(make(array, cudaAddressModeClamp, cudaFilterModePoint, cudaReadModeNormalizedFloat, false), four);
    REQUIRE(got[0] == 0 && std::fabs(got[1] - 0.2f) < 1e-6f && got[2] == 1 && std::fabs(got[3] - 0.6f) < 1e-6f);
    printf("normalised bytes %g %g %g %g\n", got[0], got[1], got[2], got[3]);
    auto raw = read<unsigned char>(
        make(array, cudaAddressModeClamp, cudaFilterModePoint, cudaReadModeElementType, false), four);
    REQUIRE(raw[0] == 0 && raw[1] == 51 && raw[2] == 255 && raw[3] == 153);
    printf("raw bytes %d %d %d %d\n", raw[0], raw[1], raw[2], raw[3]);
    CHECK(cudaFreeArray(array));

    // Four components.
    float4 colours[2][2] = {{make_float4(1, 2, 3, 4), make_float4(5, 6, 7, 8)},
                            {make_float4(-1, -2, -3, -4), make_float4(0, 0, 0, 10)}};
    cudaChannelFormatDesc quad = cudaCreateChannelDesc<float4>();
    CHECK(cudaMallocArray(&array, &quad, 2, 2));
    CHECK(cudaMemcpy2DToArray(array, 0, 0, colours, sizeof colours[0], sizeof colours[0], 2, cudaMemcpyHostToDevice));
    std::vector<float2> two = {make_float2(1.5f, 0.5f), make_float2(1.0f, 0.5f)};
    auto quads = read<float4>(
        make(array, cudaAddressModeClamp, cudaFilterModeLinear, cudaReadModeElementType, false), two);
    REQUIRE(quads[0].x == 5 && quads[0].w == 8 && near(quads[1].y, 4) && near(quads[1].z, 5));
    printf("float4 %g %g %g %g\n", quads[0].x, quads[0].w, quads[1].y, quads[1].z);
    CHECK(cudaFreeArray(array));

    // Signed integers, and what the object says of itself.
    int signs[1][3] = {{-5, 1 << 30, 7}};
    cudaChannelFormatDesc ints = cudaCreateChannelDesc<int>();
    CHECK(cudaMallocArray(&array, &ints, 3, 1));
    CHECK(cudaMemcpy2DToArray(array, 0, 0, signs, sizeof signs, sizeof signs, 1, cudaMemcpyHostToDevice));
    cudaTextureObject_t texture =
        make(array, cudaAddressModeClamp, cudaFilterModePoint, cudaReadModeElementType, false);
    cudaResourceDesc resource;
    CHECK(cudaGetTextureObjectResourceDesc(&resource, texture));
    REQUIRE(resource.resType == cudaResourceTypeArray && resource.res.array.array == array);
    std::vector<float2> row = {make_float2(0.5f, 0.5f), make_float2(1.5f, 0.5f), make_float2(2.5f, 0.5f)};
    auto numbers = read<int>(texture, row);
    REQUIRE(numbers[0] == -5 && numbers[1] == 1 << 30 && numbers[2] == 7);
    printf("int %d %d %d\n", numbers[0], numbers[1], numbers[2]);
    int back[3];
    CHECK(cudaMemcpy2DFromArray(back, sizeof back, array, 0, 0, sizeof back, 1, cudaMemcpyDeviceToHost));
    REQUIRE(back[0] == -5 && back[2] == 7);
    CHECK(cudaFreeArray(array));
    printf("ok\n");
    return 0;
}
