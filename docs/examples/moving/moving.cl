// Sum of each element and its neighbours, weighted, once per work-group through local memory.

__kernel void moving(__global const float *from, __global float *to, const float2 weights, const uint length,
                     __local float *tile)
{
    const uint item = get_local_id(0);
    const uint place = get_global_id(0);
    const uint last = get_local_size(0) - 1;
    tile[item + 1] = place < length ? from[place] : 0.0f;
    if (item == 0) {
        tile[0] = place > 0 ? from[place - 1] : 0.0f;
    }
    if (item == last) {
        tile[item + 2] = place + 1 < length ? from[place + 1] : 0.0f;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (place < length) {
        to[place] = weights.x * tile[item + 1] + weights.y * (tile[item] + tile[item + 2]);
    }
}
