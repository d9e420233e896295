// Sums, minima and maxima of words and of pairs of halves, one kernel for each
// intrinsic. For sm_90 compilers of CUDA 12 and 13 make one instruction of it
// (VIADD, VIADDMNMX, VIMNMX, VIMNMX3), for sm_75 they spell it out: both must
// leave the same memory.
// Compiled by ../make.sh, CUDA 13.4.

#define KERNEL(name, expression)                                                                  \
    extern "C" __global__ void name(unsigned *out, const unsigned *as, const unsigned *bs,        \
                                    const unsigned *cs) {                                         \
        int i = threadIdx.x + blockIdx.x * blockDim.x;                                            \
        unsigned a = as[i], b = bs[i], c = cs[i];                                                 \
        out[i] = expression;                                                                      \
    }
#define TWO(name) KERNEL(name, __##name(a, b))
#define THREE(name) KERNEL(name, __##name(a, b, c))

// Which of the halves was taken goes into the result.
#define TOLD(name)                                                                                \
    static __device__ unsigned name##_told(unsigned a, unsigned b) {                              \
        bool high, low;                                                                           \
        unsigned r = __##name(a, b, &high, &low);                                                 \
        return r ^ (high ? 0xf0000 : 0) ^ (low ? 0xf : 0);                                        \
    }                                                                                             \
    KERNEL(name, name##_told(a, b))

KERNEL(add, a + b)
KERNEL(add_immediate, a + 0x12345)
KERNEL(subtract, a - b)
KERNEL(max_s32, max((int)a, (int)b))
KERNEL(min_s32_immediate, min((int)a, -5))
KERNEL(max_u32, max(a, b))
KERNEL(min_u32, min(a, b))
KERNEL(either, (c & 1) ? min((int)a, (int)b) : max((int)a, (int)b))
KERNEL(difference_max, max((int)(a - b), (int)c))
KERNEL(difference_min_immediate, min((int)(a - b), 77))
KERNEL(sum_max_zero, max((int)(a + b), 0))
KERNEL(sum_min_immediate, min(a + 12, c))
TWO(vadd2) TWO(vsub2) TWO(vmaxs2) TWO(vmins2) TWO(vmaxu2) TWO(vminu2)
TWO(vimax_s32_relu) TWO(vimin_s32_relu) TWO(vimax_s16x2_relu) TWO(vimin_s16x2_relu)
THREE(vimax3_s32) THREE(vimin3_s32) THREE(vimax3_u32) THREE(vimin3_u32)
THREE(vimax3_s16x2) THREE(vimin3_s16x2) THREE(vimax3_u16x2) THREE(vimin3_u16x2)
THREE(vimax3_s32_relu) THREE(vimin3_s32_relu) THREE(vimax3_s16x2_relu) THREE(vimin3_s16x2_relu)
THREE(viaddmax_s32) THREE(viaddmin_s32) THREE(viaddmax_u32) THREE(viaddmin_u32)
THREE(viaddmax_s16x2) THREE(viaddmin_s16x2) THREE(viaddmax_u16x2) THREE(viaddmin_u16x2)
THREE(viaddmax_s32_relu) THREE(viaddmin_s32_relu)
THREE(viaddmax_s16x2_relu) THREE(viaddmin_s16x2_relu)
TOLD(vibmax_s16x2) TOLD(vibmin_s16x2) TOLD(vibmax_u16x2) TOLD(vibmin_u16x2)
