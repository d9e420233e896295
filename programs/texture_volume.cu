// Covers: cudaMalloc3DArray, cudaMemcpy3D into arrays, three-dimensional
// textures with point and linear filtering, layered textures (1D and 2D).
// Output: one line per kind, then "ok".
#include "check.h"

const int W = 6, H = 5, D = 4;

__global__ void sample(cudaTextureObject_t texture, const float3 *at, float *out)
{
    float3 p = at[threadIdx.x];
    out[threadIdx.x] = tex3D<float>(texture, p.x, p.y, p.z);
}

__global__ void layers_2d(cudaTextureObject_t texture, float x, float y, float *out)
{
    out[threadIdx.x] = tex2DLayered<float>(texture, x, y, threadIdx.x);
}

__global__ void layers_1d(cudaTextureObject_t texture, float x, int *out)
{
    out[threadIdx.x] = tex1DLayered<int>(texture, x, threadIdx.x);
}

static cudaTextureObject_t make(cudaArray_t array, cudaTextureFilterMode filter, bool normalised)
{
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc description = {};
    for (auto &mode : description.addressMode) {
        mode = cudaAddressModeClamp;
    }
    description.filterMode = filter;
    description.readMode = cudaReadModeElementType;
    description.normalizedCoords = normalised;
    cudaTextureObject_t texture;
    CHECK(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
    return texture;
}

static void fill(cudaArray_t array, const void *from, size_t element, cudaExtent extent)
{
    cudaMemcpy3DParms copy = {};
    size_t height = extent.height ? extent.height : 1;
    copy.srcPtr = make_cudaPitchedPtr(const_cast<void *>(from), extent.width * element, extent.width, height);
    copy.dstArray = array;
    copy.extent = make_cudaExtent(extent.width, height, extent.depth);
    copy.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&copy));
}

int main()
{
    float voxels[D][H][W];
    for (int z = 0; z < D; z++) {
        for (int y = 0; y < H; y++) {
            for (int x = 0; x < W; x++) {
                voxels[z][y][x] = x + 10 * y + 100 * z;
            }
        }
    }
    cudaChannelFormatDesc floats = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    CHECK(cudaMalloc3DArray(&array, &floats, make_cudaExtent(W, H, D)));
    fill(array, voxels, sizeof(float), make_cudaExtent(W, H, D));

    float3 places[6] = {{0.5f, 0.5f, 0.5f}, {5.5f, 4.5f, 3.5f}, {1.5f, 2.5f, 2.5f},
                        {-4, 2.5f, 9},      {2.0f, 2.0f, 2.0f}, {3.25f, 1.5f, 1.75f}};
    float3 *at;
    float *out, got[6];
    CHECK(cudaMalloc(&at, sizeof places));
    CHECK(cudaMalloc(&out, sizeof got));
    CHECK(cudaMemcpy(at, places, sizeof places, cudaMemcpyHostToDevice));
    cudaTextureObject_t texture = make(array, cudaFilterModePoint, false);
    sample<<<1, 4>>>(texture, at, out);
    CHECK_LAUNCH();
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    REQUIRE(got[0] == 0 && got[1] == 345 && got[2] == 221 && got[3] == 320);
    printf("3D point %g %g %g %g\n", got[0], got[1], got[2], got[3]);
    CHECK(cudaDestroyTextureObject(texture));

    texture = make(array, cudaFilterModeLinear, false);
    sample<<<1, 6>>>(texture, at, out);
    CHECK_LAUNCH();
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    REQUIRE(got[0] == 0 && got[4] == 166.5f && got[5] == 137.75f);
    printf("3D linear %g %g\n", got[4], got[5]);
    CHECK(cudaDestroyTextureObject(texture));

    // A box back from the array.
    float box[2][2][2];
    cudaMemcpy3DParms back = {};
    back.srcArray = array;
    back.srcPos = make_cudaPos(3, 1, 2);
    back.dstPtr = make_cudaPitchedPtr(box, 2 * sizeof(float), 2, 2);
    back.extent = make_cudaExtent(2, 2, 2);
    back.kind = cudaMemcpyDeviceToHost;
    CHECK(cudaMemcpy3D(&back));
    REQUIRE(box[0][0][0] == 213 && box[1][1][1] == 324);
    printf("box %g %g\n", box[0][0][0], box[1][1][1]);
    CHECK(cudaFreeArray(array));

    // Layers: no filtering from one to the next, and their index is clamped.
    CHECK(cudaMalloc3DArray(&array, &floats, make_cudaExtent(W, H, D), cudaArrayLayered));
    fill(array, voxels, sizeof(float), make_cudaExtent(W, H, D));
    texture = make(array, cudaFilterModeLinear, true);
    layers_2d<<<1, 5>>>(texture, 2.0f / W, 3.0f / H, out);
    CHECK_LAUNCH();
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int layer = 0; layer < 5; layer++) {
        float wanted = 26.5f + 100 * (layer < D ? layer : D - 1);
        REQUIRE(got[layer] > wanted - 0.1f && got[layer] < wanted + 0.1f);
    }
    printf("2D layers %.1f %.1f %.1f\n", got[0], got[3], got[4]);
    CHECK(cudaDestroyTextureObject(texture));
    CHECK(cudaFreeArray(array));

    int lines[3][4] = {{1, 2, 3, 4}, {10, 20, 30, 40}, {-1, -2, -3, -4}}, *ints, seen[3];
    cudaChannelFormatDesc whole = cudaCreateChannelDesc<int>();
    CHECK(cudaMalloc3DArray(&array, &whole, make_cudaExtent(4, 0, 3), cudaArrayLayered));
    fill(array, lines, sizeof(int), make_cudaExtent(4, 0, 3));
    CHECK(cudaMalloc(&ints, sizeof seen));
    texture = make(array, cudaFilterModePoint, false);
    layers_1d<<<1, 3>>>(texture, 2.5f, ints);
    CHECK_LAUNCH();
    CHECK(cudaMemcpy(seen, ints, sizeof seen, cudaMemcpyDeviceToHost));
    REQUIRE(seen[0] == 3 && seen[1] == 30 && seen[2] == -3);
    printf("1D layers %d %d %d\n", seen[0], seen[1], seen[2]);
    CHECK(cudaDestroyTextureObject(texture));
    CHECK(cudaFreeArray(array));
    CHECK(cudaFree(at));
    CHECK(cudaFree(out));
    CHECK(cudaFree(ints));
    printf("ok\n");
    return 0;
}
