// Surfaces of many shapes: rows of many bytes, layers of one and two dimensions, volumes,
// elements of one to sixteen bytes, and the same bytes through copies and textures.
#include <vector>
#include "check.h"

template <typename T>
__device__ T element(int x, int y, int z);

template <>
__device__ unsigned char element(int x, int y, int z)
{
    return 31 * x + 7 * y + z;
}

template <>
__device__ unsigned short element(int x, int y, int z)
{
    return 311 * x + 17 * y + 5 * z;
}

template <>
__device__ uint2 element(int x, int y, int z)
{
    return make_uint2(1000 * z + x, 77 * y);
}

template <>
__device__ uint4 element(int x, int y, int z)
{
    return make_uint4(x, y, z, x ^ y << 8 ^ z << 16);
}

template <typename T>
__global__ void line(cudaSurfaceObject_t s, int width)
{
    for (int x = threadIdx.x; x < width; x += blockDim.x) {
        surf1Dwrite(element<T>(x, 0, 0), s, x * sizeof(T));
    }
}

template <typename T>
__global__ void lines(cudaSurfaceObject_t s, int width)
{
    for (int x = threadIdx.x; x < width; x += blockDim.x) {
        surf1DLayeredwrite(element<T>(x, 0, blockIdx.x), s, x * sizeof(T), blockIdx.x);
    }
}

template <typename T>
__global__ void layers(cudaSurfaceObject_t s, int width, int height)
{
    for (int i = threadIdx.x; i < width * height; i += blockDim.x) {
        int x = i % width, y = i / width;
        surf2DLayeredwrite(element<T>(x, y, blockIdx.x), s, x * sizeof(T), y, blockIdx.x);
    }
}

template <typename T>
__global__ void volume(cudaSurfaceObject_t s, int width, int height)
{
    for (int i = threadIdx.x; i < width * height; i += blockDim.x) {
        int x = i % width, y = i / width;
        surf3Dwrite(element<T>(x, y, blockIdx.x), s, x * sizeof(T), y, blockIdx.x);
    }
}

// Every element moves to the mirrored place, by loads and stores of the surface.
template <typename T>
__global__ void mirror(cudaSurfaceObject_t s, int width, int height, int depth)
{
    int count = width * height * depth;
    for (int i = threadIdx.x; i < count / 2; i += blockDim.x) {
        int j = count - 1 - i;
        T a = surf3Dread<T>(s, i % width * sizeof(T), i / width % height, i / width / height);
        T b = surf3Dread<T>(s, j % width * sizeof(T), j / width % height, j / width / height);
        surf3Dwrite(b, s, i % width * sizeof(T), i / width % height, i / width / height);
        surf3Dwrite(a, s, j % width * sizeof(T), j / width % height, j / width / height);
    }
}

__global__ void sum_of_texels(cudaTextureObject_t t, int width, int height, int depth, unsigned *out)
{
    unsigned sum = 0;
    for (int z = 0; z < depth; z++) {
        for (int y = 0; y < height; y++) {
            for (int x = threadIdx.x; x < width; x += blockDim.x) {
                uint2 v = tex3D<uint2>(t, x + 0.5f, y + 0.5f, z + 0.5f);
                sum += (v.x ^ v.y) * (x + 1) * (y + 2) * (z + 3);
            }
        }
    }
    atomicAdd(out, sum);
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
static cudaArray_t array_of(size_t width, size_t height, size_t depth, unsigned flags)
{
    cudaChannelFormatDesc channel = cudaCreateChannelDesc<T>();
    cudaArray_t array;
    CHECK(cudaMalloc3DArray(&array, &channel, make_cudaExtent(width, height, depth),
                            flags | cudaArraySurfaceLoadStore));
    return array;
}

// A checksum of a box of an array, copied to the host.
template <typename T>
static unsigned sum(cudaArray_t array, cudaPos from, cudaExtent extent)
{
    size_t height = extent.height ? extent.height : 1, depth = extent.depth ? extent.depth : 1;
    std::vector<unsigned char> bytes(extent.width * height * depth * sizeof(T));
    cudaMemcpy3DParms copy = {};
    copy.srcArray = array;
    copy.srcPos = from;
    copy.dstPtr = make_cudaPitchedPtr(bytes.data(), extent.width * sizeof(T), extent.width, height);
    copy.extent = make_cudaExtent(extent.width, height, depth);
    copy.kind = cudaMemcpyDeviceToHost;
    CHECK(cudaMemcpy3D(&copy));
    unsigned sum = 0;
    for (size_t i = 0; i < bytes.size(); i++) {
        sum = sum * 31 + bytes[i];
    }
    return sum;
}

template <typename T>
static void shapes(const char *name)
{
    cudaArray_t one = array_of<T>(203, 0, 0, 0);
    line<T><<<1, 64>>>(surface_of(one), 203);
    cudaArray_t some = array_of<T>(45, 0, 3, cudaArrayLayered);
    lines<T><<<3, 32>>>(surface_of(some), 45);
    cudaArray_t planes = array_of<T>(37, 19, 4, cudaArrayLayered);
    layers<T><<<4, 96>>>(surface_of(planes), 37, 19);
    cudaArray_t box = array_of<T>(37, 19, 5, 0);
    volume<T><<<5, 96>>>(surface_of(box), 37, 19);
    CHECK_LAUNCH();
    printf("%s %u", name, sum<T>(one, make_cudaPos(0, 0, 0), make_cudaExtent(203, 0, 0)));
    printf(" %u", sum<T>(some, make_cudaPos(0, 0, 0), make_cudaExtent(45, 0, 3)));
    printf(" %u", sum<T>(planes, make_cudaPos(5, 3, 1), make_cudaExtent(30, 16, 3)));
    printf(" %u", sum<T>(box, make_cudaPos(0, 0, 0), make_cudaExtent(37, 19, 5)));
    mirror<T><<<1, 128>>>(surface_of(box), 37, 19, 5);
    CHECK_LAUNCH();
    printf(" %u\n", sum<T>(box, make_cudaPos(3, 7, 2), make_cudaExtent(21, 9, 2)));
}

static void through_a_texture()
{
    cudaArray_t box = array_of<uint2>(33, 18, 4, 0);
    volume<uint2><<<4, 64>>>(surface_of(box), 33, 18);
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = box;
    cudaTextureDesc plain = {};
    cudaTextureObject_t texture;
    CHECK(cudaCreateTextureObject(&texture, &resource, &plain, nullptr));
    unsigned *out, total;
    CHECK(cudaMalloc(&out, 4));
    CHECK(cudaMemset(out, 0, 4));
    sum_of_texels<<<1, 64>>>(texture, 33, 18, 4, out);
    CHECK_LAUNCH();
    CHECK(cudaMemcpy(&total, out, 4, cudaMemcpyDeviceToHost));
    unsigned expected = 0;
    for (int z = 0; z < 4; z++) {
        for (int y = 0; y < 18; y++) {
            for (int x = 0; x < 33; x++) {
                unsigned a = 1000 * z + x, b = 77 * y;
                expected += (a ^ b) * (x + 1) * (y + 2) * (z + 3);
            }
        }
    }
    REQUIRE(total == expected);
    printf("texels %u\n", total);
}

int main()
{
    shapes<unsigned char>("bytes");
    shapes<unsigned short>("shorts");
    shapes<uint2>("pairs");
    shapes<uint4>("fours");
    through_a_texture();
    printf("ok\n");
    return 0;
}
