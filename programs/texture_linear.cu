// Covers: texture objects over linear and pitched memory: element types, reads
// beyond the end give zero, normalised reads of bytes and shorts, filtering of
// pitched memory.
// Output: one line per kind, then "ok".
#include "check.h"

#include <cstring>

template <typename T>
__global__ void fetch(cudaTextureObject_t texture, T *out, int first)
{
    out[threadIdx.x] = tex1Dfetch<T>(texture, first + int(threadIdx.x));
}

__global__ void sample(cudaTextureObject_t texture, float *out, float x, float y)
{
    out[threadIdx.x] = tex2D<float>(texture, x + threadIdx.x, y);
}

template <typename T>
static cudaTextureObject_t linear(T *data, size_t count, cudaTextureReadMode mode)
{
    cudaResourceDesc resource;
    memset(&resource, 0, sizeof resource);
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = data;
    resource.res.linear.desc = cudaCreateChannelDesc<T>();
    resource.res.linear.sizeInBytes = count * sizeof(T);
    cudaTextureDesc description;
    memset(&description, 0, sizeof description);
    description.readMode = mode;
    cudaTextureObject_t texture = 0;
    CHECK(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
    return texture;
}

// Puts `values` on the device and reads them back through a texture.
template <typename T, typename R>
static void through(const T *values, int count, cudaTextureReadMode mode, R *got, int first, int reads)
{
    T *data;
    R *out;
    CHECK(cudaMalloc(&data, count * sizeof(T)));
    CHECK(cudaMalloc(&out, reads * sizeof(R)));
    CHECK(cudaMemcpy(data, values, count * sizeof(T), cudaMemcpyHostToDevice));
    cudaTextureObject_t texture = linear(data, count, mode);
    fetch<R><<<1, reads>>>(texture, out, first);
    CHECK_LAUNCH();
    CHECK(cudaMemcpy(got, out, reads * sizeof(R), cudaMemcpyDeviceToHost));
    CHECK(cudaDestroyTextureObject(texture));
    CHECK(cudaFree(data));
    CHECK(cudaFree(out));
}

int main()
{
    float floats[64], f[32];
    for (int i = 0; i < 64; i++) {
        floats[i] = 1.0f / (i + 1);
    }
    through(floats, 64, cudaReadModeElementType, f, 16, 32);
    for (int i = 0; i < 32; i++) {
        REQUIRE(f[i] == floats[i + 16]);
    }
    printf("float %g\n", f[0]);
    through(floats, 64, cudaReadModeElementType, f, 62, 4);
    REQUIRE(f[0] == floats[62] && f[1] == floats[63] && f[2] == 0 && f[3] == 0);
    printf("beyond the end %g\n", f[3]);

    short2 pairs[3] = {{-1, 2}, {30000, -30000}, {7, 8}}, p[3];
    through(pairs, 3, cudaReadModeElementType, p, 0, 3);
    REQUIRE(p[0].x == -1 && p[0].y == 2 && p[1].x == 30000 && p[1].y == -30000 && p[2].y == 8);
    printf("short2 %d %d\n", p[1].x, p[1].y);

    unsigned char bytes[4] = {0, 255, 51, 128};
    through(bytes, 4, cudaReadModeNormalizedFloat, f, 0, 4);
    REQUIRE(f[0] == 0 && f[1] == 1 && f[2] > 0.1999f && f[2] < 0.2001f);
    printf("bytes as fractions %g %g %g\n", f[0], f[1], f[2]);

    short shorts[4] = {32767, -32768, 0, -32767};
    through(shorts, 4, cudaReadModeNormalizedFloat, f, 0, 4);
    REQUIRE(f[0] == 1 && f[1] == -1 && f[2] == 0 && f[3] == -1);
    printf("shorts as fractions %g %g %g\n", f[0], f[1], f[2]);

    uint4 wide[2] = {{1, 2, 3, 0xffffffffu}, {5, 6, 7, 8}}, w[2];
    through(wide, 2, cudaReadModeElementType, w, 0, 2);
    REQUIRE(w[0].w == 0xffffffffu && w[1].z == 7);
    printf("uint4 %u %u\n", w[0].w, w[1].z);

    // Two dimensions over pitched memory, filtered.
    const int W = 20, H = 5;
    float picture[H][W], *pitched;
    for (int y = 0; y < H; y++) {
        for (int x = 0; x < W; x++) {
            picture[y][x] = 100 * y + x;
        }
    }
    size_t pitch;
    CHECK(cudaMallocPitch(&pitched, &pitch, sizeof picture[0], H));
    CHECK(cudaMemcpy2D(pitched, pitch, picture, sizeof picture[0], sizeof picture[0], H, cudaMemcpyHostToDevice));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypePitch2D;
    resource.res.pitch2D.devPtr = pitched;
    resource.res.pitch2D.desc = cudaCreateChannelDesc<float>();
    resource.res.pitch2D.width = W;
    resource.res.pitch2D.height = H;
    resource.res.pitch2D.pitchInBytes = pitch;
    cudaTextureDesc description = {};
    description.addressMode[0] = cudaAddressModeClamp;
    description.addressMode[1] = cudaAddressModeClamp;
    description.filterMode = cudaFilterModeLinear;
    description.readMode = cudaReadModeElementType;
    cudaTextureObject_t texture;
    CHECK(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
    float *out;
    CHECK(cudaMalloc(&out, sizeof f));
    sample<<<1, 8>>>(texture, out, 2.0f, 3.0f);
    CHECK_LAUNCH();
    CHECK(cudaMemcpy(f, out, 8 * sizeof(float), cudaMemcpyDeviceToHost));
    REQUIRE(f[0] == 251.5f && f[7] == 258.5f);
    printf("pitched, linear %g %g\n", f[0], f[7]);

    // The texture reads what is in memory when the kernel runs.
    CHECK(cudaMemset2D(pitched, pitch, 0, sizeof picture[0], H));
    sample<<<1, 8>>>(texture, out, 2.0f, 3.0f);
    CHECK_LAUNCH();
    CHECK(cudaMemcpy(f, out, 8 * sizeof(float), cudaMemcpyDeviceToHost));
    REQUIRE(f[0] == 0 && f[7] == 0);
    printf("after a memset %g\n", f[0]);
    CHECK(cudaDestroyTextureObject(texture));
    CHECK(cudaFree(pitched));
    CHECK(cudaFree(out));
    printf("ok\n");
    return 0;
}
