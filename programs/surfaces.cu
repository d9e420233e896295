// Surfaces: objects over arrays of one, two and three dimensions and of layers,
// what happens outside (zero, clamp), and a surface reference read back as a texture.
#include <vector>
#include "check.h"

surface<void, 2> reference;

__global__ void brighten(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) {
        uchar4 texel = surf2Dread<uchar4>(from, x * sizeof(uchar4), y);
        texel.x += 1;
        texel.w = x;
        surf2Dwrite(texel, to, x * sizeof(uchar4), y);
    }
}

__global__ void line(cudaSurfaceObject_t s)
{
    surf1Dwrite((unsigned char)(100 + threadIdx.x), s, threadIdx.x);
}

__global__ void outside(cudaSurfaceObject_t s, float *zero, float *clamped)
{
    int x = (int)threadIdx.x - 2;
    zero[threadIdx.x] = surf2Dread<float>(s, x * 4, 1, cudaBoundaryModeZero);
    clamped[threadIdx.x] = surf2Dread<float>(s, x * 4, 9, cudaBoundaryModeClamp);
}

__global__ void swap_parts(cudaSurfaceObject_t s)
{
    int x = threadIdx.x * sizeof(float2);
    float2 v = surf3Dread<float2>(s, x, threadIdx.y, threadIdx.z);
    surf3Dwrite(make_float2(v.y, v.x), s, x, threadIdx.y, threadIdx.z);
}

__global__ void number_layers(cudaSurfaceObject_t s)
{
    float value = 100 * threadIdx.z + 10 * threadIdx.y + threadIdx.x;
    surf2DLayeredwrite(value, s, threadIdx.x * 4, threadIdx.y, threadIdx.z);
}

__global__ void twice()
{
    float v = surf2Dread<float>(reference, threadIdx.x * 4, 0);
    surf2Dwrite(2 * v, reference, threadIdx.x * 4, 1);
}

__global__ void fetch_row(cudaTextureObject_t t, float *out)
{
    out[threadIdx.x] = tex2D<float>(t, threadIdx.x + 0.5f, 1.5f);
}

static cudaSurfaceObject_t surface_of(cudaArray_t array)
{
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaSurfaceObject_t object;
    CHECK(cudaCreateSurfaceObject(&object, &resource));
    return object;
}

template <typename T>
static cudaArray_t array_of(cudaExtent extent, unsigned flags)
{
    cudaChannelFormatDesc channel = cudaCreateChannelDesc<T>();
    cudaArray_t array;
    CHECK(cudaMalloc3DArray(&array, &channel, extent, flags | cudaArraySurfaceLoadStore));
    return array;
}

static void image()
{
    const int width = 37, height = 9;
    cudaArray_t from = array_of<uchar4>(make_cudaExtent(width, height, 0), 0);
    cudaArray_t to = array_of<uchar4>(make_cudaExtent(width, height, 0), 0);
    std::vector<uchar4> texels(width * height);
    for (int i = 0; i < width * height; i++) {
        texels[i] = make_uchar4(i, i + 1, i + 2, 0);
    }
    size_t row = width * sizeof(uchar4);
    CHECK(cudaMemcpy2DToArray(from, 0, 0, texels.data(), row, row, height, cudaMemcpyHostToDevice));
    brighten<<<dim3(3, 2), dim3(16, 8)>>>(surface_of(from), surface_of(to), width, height);
    CHECK_LAUNCH();
    CHECK(cudaMemcpy2DFromArray(texels.data(), row, to, 0, 0, row, height, cudaMemcpyDeviceToHost));
    for (int i = 0; i < width * height; i++) {
        unsigned char bright = i + 1;
        REQUIRE(texels[i].x == bright && texels[i].y == bright && texels[i].w == i % width);
    }
    printf("image %d %d\n", texels[40].x, texels[40].w);
}

static void one_line()
{
    cudaArray_t array = array_of<unsigned char>(make_cudaExtent(32, 0, 0), 0);
    line<<<1, 32>>>(surface_of(array));
    CHECK_LAUNCH();
    unsigned char got[32];
    CHECK(cudaMemcpy2DFromArray(got, 32, array, 0, 0, 32, 1, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 32; i++) {
        REQUIRE(got[i] == 100 + i);
    }
    printf("line %d\n", got[31]);
}

static void modes_and_reference()
{
    float *out;
    CHECK(cudaMallocManaged(&out, 16 * sizeof(float)));
    cudaArray_t array = array_of<float>(make_cudaExtent(4, 3, 0), 0);
    float values[12];
    for (int i = 0; i < 12; i++) {
        values[i] = i + 1;
    }
    CHECK(cudaMemcpy2DToArray(array, 0, 0, values, 16, 16, 3, cudaMemcpyHostToDevice));
    outside<<<1, 8>>>(surface_of(array), out, out + 8);
    CHECK_LAUNCH();
    for (int i = 0; i < 16; i++) {
        printf("%g%c", out[i], i % 8 == 7 ? '\n' : ' ');
    }

    CHECK(cudaBindSurfaceToArray(reference, array));
    twice<<<1, 4>>>();
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc plain = {};
    cudaTextureObject_t texture;
    CHECK(cudaCreateTextureObject(&texture, &resource, &plain, nullptr));
    fetch_row<<<1, 4>>>(texture, out);
    CHECK_LAUNCH();
    printf("reference %g %g %g %g\n", out[0], out[1], out[2], out[3]);
}

static void volume_and_layers()
{
    cudaArray_t volume = array_of<float2>(make_cudaExtent(4, 3, 2), 0);
    float2 pairs[24];
    for (int i = 0; i < 24; i++) {
        pairs[i] = make_float2(i, -i);
    }
    cudaMemcpy3DParms in = {}, out = {};
    in.srcPtr = out.dstPtr = make_cudaPitchedPtr(pairs, 4 * sizeof(float2), 4, 3);
    in.dstArray = out.srcArray = volume;
    in.extent = out.extent = make_cudaExtent(4, 3, 2);
    in.kind = cudaMemcpyHostToDevice;
    out.kind = cudaMemcpyDeviceToHost;
    CHECK(cudaMemcpy3D(&in));
    swap_parts<<<1, dim3(4, 3, 2)>>>(surface_of(volume));
    CHECK_LAUNCH();
    CHECK(cudaMemcpy3D(&out));
    for (int i = 0; i < 24; i++) {
        REQUIRE(pairs[i].x == -i && pairs[i].y == i);
    }
    printf("volume %g %g\n", pairs[23].x, pairs[23].y);

    cudaArray_t layers = array_of<float>(make_cudaExtent(4, 3, 2), cudaArrayLayered);
    number_layers<<<1, dim3(4, 3, 2)>>>(surface_of(layers));
    CHECK_LAUNCH();
    float numbers[24];
    out.dstPtr = make_cudaPitchedPtr(numbers, 4 * sizeof(float), 4, 3);
    out.srcArray = layers;
    CHECK(cudaMemcpy3D(&out));
    for (int i = 0; i < 24; i++) {
        REQUIRE(numbers[i] == 100 * (i / 12) + 10 * (i / 4 % 3) + i % 4);
    }
    printf("layers %g\n", numbers[23]);
}

int main()
{
    image();
    one_line();
    modes_and_reference();
    volume_and_layers();
    printf("ok\n");
    return 0;
}
