// Integers: 64-bit arithmetic, division, bit tricks, byte operations, SIMD in a word.
typedef unsigned long long u64;
typedef long long s64;

extern "C" __global__ void wide(s64 *o, const s64 *a, int n, s64 k) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    s64 x = a[i], y = a[i + n];
    u64 ux = (u64)x, uy = (u64)y;
    o[i] = x * y + k;
    o[i + n] = x / (y | 1);
    o[i + 2 * n] = (s64)(ux / (uy | 1));
    o[i + 3 * n] = x % (y | 1) + (s64)(ux % (uy | 3));
    o[i + 4 * n] = (x << (i & 63)) ^ (x >> (n & 63)) ^ (s64)(ux >> (i & 31));
    o[i + 5 * n] = __mul64hi(x, y) + (s64)__umul64hi(ux, uy);
    o[i + 6 * n] = x < y ? x : y;
    o[i + 7 * n] = (s64)(ux > uy ? ux : uy);
    o[i + 8 * n] = __clzll(x) + __popcll(x) + __ffsll(x);
    o[i + 9 * n] = (s64)__brevll(ux) - llabs(y);
    o[i + 10 * n] = x == y ? k : -k;
}

extern "C" __global__ void narrow(int *o, const int *a, int n, int k) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int x = a[i], y = a[i + n], z = a[i + 2 * n];
    unsigned ux = x, uy = y;
    int r = x * y + z;
    r += x / (y | 1) + (int)(ux / (uy | 1)) + x % 7 + (int)(ux % 10u) + x / 3;
    r += __mulhi(x, y) + (int)__umulhi(ux, uy) + __mul24(x, y) + (int)__umul24(ux, uy);
    r += __clz(x) + __popc(y) + __ffs(z) + (int)__brev(ux) + (int)__byte_perm(x, y, 0x3715);
    r += (int)__byte_perm(x, y, z) + __sad(x, y, r) + (int)__usad(ux, uy, r) + __hadd(x, y) + (int)__uhadd(ux, uy);
    r += (int)__funnelshift_l(ux, uy, z) + (int)__funnelshift_r(ux, uy, z) + (int)__funnelshift_lc(ux, uy, z) + (int)__funnelshift_rc(ux, uy, 7);
    r ^= (x & y) | (~z & k);
    r ^= (x | y) & (z ^ k);
    r += min(x, y) + max(y, z) + (int)min(ux, uy) + (int)max(ux, uy) + abs(z);
    r += (x << (y & 31)) + (x >> (z & 31)) + (int)(ux >> 3) + (x << 5) + (int)(signed char)y + (int)(unsigned short)z;
    r += (x > y && y > z) || (z != k) ? 3 : 4;
    r += (x >= 0) ? (y <= 5 ? x : z) : (ux < 9u ? y : k);
    unsigned b;
    asm("bfe.u32 %0, %1, %2, 11;" : "=r"(b) : "r"(x), "r"(y));
    r += b;
    asm("bfi.b32 %0, %1, %2, 3, 9;" : "=r"(b) : "r"(x), "r"(y));
    r += b;
    asm("bfe.s32 %0, %1, 5, 9;" : "=r"(b) : "r"(x));
    r += b;
    asm("fns.b32 %0, %1, %2, 2;" : "=r"(b) : "r"(x), "r"(y & 31));
    r += b;
    asm("bfind.u32 %0, %1;" : "=r"(b) : "r"(x));
    r += b;
    asm("bmsk.clamp.b32 %0, %1, %2;" : "=r"(b) : "r"(x), "r"(y));
    r += b;
    asm("szext.wrap.s32 %0, %1, %2;" : "=r"(b) : "r"(x), "r"(y));
    r += b;
    o[i] = r;
    o[i + n] = __dp4a(x, y, r) + (int)__dp4a(ux, uy, (unsigned)r) + __dp2a_lo(x, y, r) + __dp2a_hi(x, y, r);
    o[i + 2 * n] = (int)(__vadd4(x, y) ^ __vsub2(x, y) ^ __vabsdiffu4(x, y) ^ __vmaxs2(x, y) ^ __vcmpgtu4(x, y) ^ __vavgu4(x, y) ^ __vsadu4(x, y) ^ __vabsdiffs2(x, y));
    o[i + 3 * n] = (int)(__vminu4(x, y) ^ __vneg2(x) ^ __vabs4(y) ^ __vaddss2(x, y) ^ __vseteq4(x, y));
}
