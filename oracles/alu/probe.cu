// The frame around one instruction under test. Each thread loads 32 bytes of
// operands, runs a run of filler instructions, and stores 16 bytes. The host
// overwrites the fillers with the words under test before loading.
extern "C" __global__ void probe(const uint4 *in, uint4 *out)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    uint4 a = in[2 * i], b = in[2 * i + 1], d = make_uint4(0, 0, 0, 0);
#pragma unroll
    for (int k = 0; k < 6; k++)
        asm volatile("lop3.b32 %0, %0, %4, %8, 0x1b;\n\tlop3.b32 %1, %1, %5, %9, 0x1b;\n\t"
                     "lop3.b32 %2, %2, %6, %10, 0x1b;\n\tlop3.b32 %3, %3, %7, %11, 0x1b;"
                     : "+r"(d.x), "+r"(d.y), "+r"(d.z), "+r"(d.w)
                     : "r"(a.x), "r"(a.y), "r"(a.z), "r"(a.w), "r"(b.x), "r"(b.y), "r"(b.z), "r"(b.w));
    out[i] = d;
}

__device__ unsigned long long mix(unsigned long long z)
{
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}

// Order-independent digest of each run of 4096 outputs.
extern "C" __global__ void digest(const uint4 *out, unsigned long long *sums)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    uint4 v = out[i];
    unsigned long long h = mix(i + 0x9e3779b97f4a7c15ull);
    h = mix(h ^ ((unsigned long long)v.y << 32 | v.x));
    h = mix(h ^ ((unsigned long long)v.w << 32 | v.z));
    for (int d = 16; d; d /= 2) h += __shfl_down_sync(~0u, h, d);
    if ((threadIdx.x & 31) == 0) atomicAdd(&sums[i / 4096], h);
}
