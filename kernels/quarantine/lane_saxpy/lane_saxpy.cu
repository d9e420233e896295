// y = a * x + y without the bad lanes of an SM; `done_by` tells which lane of
// which SM did each element.

#include "lane.cuh"

extern "C" __global__ void saxpy(const float *x, float *y, float a, unsigned int length,
                                 unsigned int per_block, unsigned int *done_by, UpsetLanes lanes)
{
    unsigned int sm, lane;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));

    const unsigned int base = blockIdx.x * per_block;
    const unsigned int items = min(per_block, length - base);
    const UpsetItems mine = upset_lane_items(lanes);
    for (unsigned int i = mine.first; i < items; i += mine.step) {
        y[base + i] = a * x[base + i] + y[base + i];
        done_by[base + i] += 1 + sm * 32 + lane;
    }
}
