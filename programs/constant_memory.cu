// Covers: __constant__ variables: initial values, cudaMemcpyToSymbol and
// cudaMemcpyFromSymbol with offsets, from device memory and asynchronously,
// cudaGetSymbolAddress and cudaGetSymbolSize, a constant structure, constants
// read with an index that differs between threads.
// Output: one line per step, then "ok".
#include "check.h"

struct Settings {
    int count;
    float factor;
    unsigned char flags[3];
};

__constant__ int table[256];
__constant__ float weights[4] = {0.5f, 1.5f, 2.5f, 3.5f};
__constant__ Settings settings = {10, 0.25f, {1, 2, 3}};
namespace deep {
__constant__ double ratio = 1.25;
}

__global__ void read_table(int *out)
{
    // Neighbours read different words.
    out[threadIdx.x] = table[(threadIdx.x * 7) % 256];
}

__global__ void read_rest(float *out)
{
    out[0] = weights[0] + weights[1] + weights[2] + weights[3];
    out[1] = settings.count * settings.factor;
    out[2] = settings.flags[0] + settings.flags[1] + settings.flags[2];
    out[3] = float(deep::ratio);
}

int main()
{
    float *reals, r[4];
    CHECK(cudaMalloc(&reals, sizeof r));
    read_rest<<<1, 1>>>(reals);
    CHECK_LAUNCH();
    CHECK(cudaMemcpy(r, reals, sizeof r, cudaMemcpyDeviceToHost));
    REQUIRE(r[0] == 8 && r[1] == 2.5f && r[2] == 6 && r[3] == 1.25f);
    printf("initial %g %g %g %g\n", r[0], r[1], r[2], r[3]);

    int values[256], got[256], *out;
    for (int i = 0; i < 256; i++) {
        values[i] = 1000 - i;
    }
    CHECK(cudaMalloc(&out, sizeof got));
    CHECK(cudaMemcpyToSymbol(table, values, sizeof values));
    read_table<<<1, 256>>>(out);
    CHECK_LAUNCH();
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 256; i++) {
        REQUIRE(got[i] == values[i * 7 % 256]);
    }
    printf("table %d %d\n", got[0], got[255]);

    // A part in the middle, then a part back.
    int part[3] = {-1, -2, -3}, back[5];
    CHECK(cudaMemcpyToSymbol(table, part, sizeof part, 100 * sizeof(int)));
    CHECK(cudaMemcpyFromSymbol(back, table, sizeof back, 99 * sizeof(int)));
    REQUIRE(back[0] == 901 && back[1] == -1 && back[3] == -3 && back[4] == 897);
    printf("part %d %d %d %d %d\n", back[0], back[1], back[2], back[3], back[4]);

    float more[2] = {10, 20};
    CHECK(cudaMemcpyToSymbolAsync(weights, more, sizeof more, 2 * sizeof(float), cudaMemcpyHostToDevice, 0));
    Settings other = {3, 2.0f, {7, 8, 9}};
    CHECK(cudaMemcpyToSymbol(settings, &other, sizeof other));
    // From device memory.
    double ratio = 7.5, *on_device;
    CHECK(cudaMalloc(&on_device, sizeof ratio));
    CHECK(cudaMemcpy(on_device, &ratio, sizeof ratio, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpyToSymbol(deep::ratio, on_device, sizeof ratio, 0, cudaMemcpyDeviceToDevice));
    read_rest<<<1, 1>>>(reals);
    CHECK_LAUNCH();
    CHECK(cudaMemcpy(r, reals, sizeof r, cudaMemcpyDeviceToHost));
    REQUIRE(r[0] == 32 && r[1] == 6 && r[2] == 24 && r[3] == 7.5f);
    printf("changed %g %g %g %g\n", r[0], r[1], r[2], r[3]);

    size_t size;
    CHECK(cudaGetSymbolSize(&size, table));
    REQUIRE(size == sizeof values);
    CHECK(cudaGetSymbolSize(&size, settings));
    REQUIRE(size == sizeof(Settings));
    printf("size %zu\n", size);

    // A constant's address can be used like any device pointer.
    void *address;
    CHECK(cudaGetSymbolAddress(&address, table));
    REQUIRE(address != nullptr);
    CHECK(cudaMemcpy(got, address, sizeof got, cudaMemcpyDeviceToHost));
    REQUIRE(got[101] == -2 && got[0] == 1000);
    got[5] = 42;
    CHECK(cudaMemcpy(address, got, sizeof got, cudaMemcpyHostToDevice));
    read_table<<<1, 256>>>(out);
    CHECK_LAUNCH();
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    // 7 * 147 = 5 (mod 256)
    REQUIRE(got[147] == 42);
    printf("through its address %d\n", got[147]);

    CHECK_ERROR(cudaMemcpyToSymbol(table, values, sizeof values, 4), cudaErrorInvalidValue);
    CHECK(cudaFree(out));
    CHECK(cudaFree(reals));
    CHECK(cudaFree(on_device));
    printf("ok\n");
    return 0;
}
