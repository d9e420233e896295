// Covers: cudaMalloc3D, cudaMemset3D, cudaMemcpy3D with positions and extents
// in both directions and on the device, make_cudaPitchedPtr and friends,
// cudaMemcpy3DAsync.
// Output: one line per step, then "ok".
#include "check.h"

#include <vector>

const int W = 10, H = 6, D = 4;

__global__ void add_place(cudaPitchedPtr volume)
{
    int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
    char *slice = static_cast<char *>(volume.ptr) + z * volume.pitch * H;
    int *row = reinterpret_cast<int *>(slice + y * volume.pitch);
    row[x] += (z * H + y) * W + x;
}

int main()
{
    cudaExtent extent = make_cudaExtent(W * sizeof(int), H, D);
    cudaPitchedPtr volume;
    CHECK(cudaMalloc3D(&volume, extent));
    REQUIRE(volume.pitch >= W * sizeof(int) && volume.xsize == W * sizeof(int) && volume.ysize == H);
    CHECK(cudaMemset3D(volume, 1, extent));
    add_place<<<1, dim3(W, H, D)>>>(volume);
    CHECK_LAUNCH();

    std::vector<int> host(W * H * D);
    cudaMemcpy3DParms out = {};
    out.srcPtr = volume;
    out.dstPtr = make_cudaPitchedPtr(host.data(), W * sizeof(int), W, H);
    out.extent = extent;
    out.kind = cudaMemcpyDeviceToHost;
    CHECK(cudaMemcpy3D(&out));
    for (int i = 0; i < W * H * D; i++) {
        REQUIRE(host[i] == 0x01010101 + i);
    }
    printf("whole volume %#x\n", host[W * H * D - 1]);

    // A box of 3 x 2 x 2 from the host into the middle of the volume.
    int box[2][2][3];
    for (int i = 0; i < 12; i++) {
        (&box[0][0][0])[i] = -1 - i;
    }
    cudaMemcpy3DParms in = {};
    in.srcPtr = make_cudaPitchedPtr(box, 3 * sizeof(int), 3, 2);
    in.dstPtr = volume;
    in.dstPos = make_cudaPos(5 * sizeof(int), 3, 1);
    in.extent = make_cudaExtent(3 * sizeof(int), 2, 2);
    in.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&in));

    // And to another place of a second volume, from which all comes back.
    cudaPitchedPtr second;
    CHECK(cudaMalloc3D(&second, extent));
    CHECK(cudaMemset3D(second, 0, extent));
    cudaMemcpy3DParms across = {};
    across.srcPtr = volume;
    across.srcPos = make_cudaPos(5 * sizeof(int), 3, 1);
    across.dstPtr = second;
    across.dstPos = make_cudaPos(0, 1, 2);
    across.extent = make_cudaExtent(4 * sizeof(int), 2, 2);
    across.kind = cudaMemcpyDeviceToDevice;
    CHECK(cudaMemcpy3DAsync(&across, 0));
    out.srcPtr = second;
    CHECK(cudaMemcpy3D(&out));
    for (int z = 0; z < D; z++) {
        for (int y = 0; y < H; y++) {
            for (int x = 0; x < W; x++) {
                int got = host[(z * H + y) * W + x];
                bool inside = x < 4 && (y == 1 || y == 2) && (z == 2 || z == 3);
                int wanted = 0;
                if (inside && x < 3) {
                    wanted = box[z - 2][y - 1][x];
                } else if (inside) {
                    wanted = 0x01010101 + ((z - 1) * H + y + 2) * W + 8;
                }
                REQUIRE(got == wanted);
            }
        }
    }
    printf("box %d %d\n", host[(2 * H + 1) * W], host[(3 * H + 2) * W + 2]);

    // A part set: 2 x 1 x 4 ints.
    CHECK(cudaMemset3D(second, 0xff, make_cudaExtent(2 * sizeof(int), 1, D)));
    CHECK(cudaMemcpy3D(&out));
    REQUIRE(host[0] == -1 && host[1] == -1 && host[2] == 0 && host[W] == 0 && host[3 * H * W + 1] == -1);
    printf("part set %d\n", host[1]);
    CHECK(cudaFree(volume.ptr));
    CHECK(cudaFree(second.ptr));
    printf("ok\n");
    return 0;
}
