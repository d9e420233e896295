// A frame for instruction words of our own. Each thread loads 32 words, passes
// over the slot `passes` times, all warps starting together, and stores the 32
// words. The fillers below keep the words in 32 known registers; the host
// overwrites them with the words under test before it loads the code.
typedef unsigned u32;

extern "C" __global__ void __launch_bounds__(1024) frame(uint4 *out, const uint4 *in, u32 passes)
{
    extern __shared__ u32 space[];
    uint4 v[8];
#pragma unroll
    for (int i = 0; i < 8; i++) v[i] = in[8 * threadIdx.x + i];
    space[threadIdx.x] = v[0].x;
#pragma unroll 1
    for (u32 pass = 0; pass < passes; pass++) {
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 128; i++) {
            uint4 &a = v[i % 8], &b = v[(i + 1) % 8], &c = v[(i + 3) % 8];
            asm volatile("lop3.b32 %0, %0, %4, %8, 0x1b;\n\tlop3.b32 %1, %1, %5, %9, 0x1b;\n\t"
                         "lop3.b32 %2, %2, %6, %10, 0x1b;\n\tlop3.b32 %3, %3, %7, %11, 0x1b;"
                         : "+r"(a.x), "+r"(a.y), "+r"(a.z), "+r"(a.w)
                         : "r"(b.x), "r"(b.y), "r"(b.z), "r"(b.w), "r"(c.x), "r"(c.y), "r"(c.z), "r"(c.w));
        }
    }
#pragma unroll
    for (int i = 0; i < 8; i++) out[8 * threadIdx.x + i] = v[i];
    if (out == 0) space[0] = 1;
}
