// Results that are too many to send to the host are compared by other SMs than
// those that computed them; what one of them calls wrong the host looks at.

#include "burn.h"

// Results are slabs of `words` words, each by `warps` warps of one SM. Slab s should be
// expected[s * stride ...]. Who judges a slab hangs on `shift`, so that launches with different
// shifts have different judges. verdicts[slab] is the judge's SM before and after, the SM it judged,
// and whether anything differs; a judge leaves what its own SM computed to others.
extern "C" __global__ void judge(const u32 *found, const u32 *expected, const uint4 *places,
                                 uint4 *verdicts, u32 slabs, u32 words, u32 stride, u32 warps,
                                 u32 shift) {
    u32 sm = this_sm();
    for (u32 turn = blockIdx.x; turn < slabs; turn += gridDim.x) {
        u32 slab = turn + shift;
        if (slab >= slabs) slab -= slabs;
        u32 producer = places[(size_t)slab * warps].x;
        if (producer == sm) continue;
        const u32 *left = found + (size_t)slab * words;
        const u32 *right = expected + (size_t)slab * stride;
        u32 differs = 0;
        for (u32 i = threadIdx.x; i < words; i += blockDim.x) differs |= left[i] ^ right[i];
        differs = __syncthreads_or(differs != 0);
        if (threadIdx.x == 0) verdicts[slab] = make_uint4(sm, this_sm(), producer, differs);
    }
}
