// Sum of an array: a tree of additions in local memory, vectors of four all the
// way; the host adds what the work-groups leave (AMD APP SDK, Reduction).

#define GROUP 256

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void reduce(__global const uint4 *input, __global uint4 *output)
{
    __local uint4 sums[GROUP];
    const uint item = get_local_id(0);
    const uint group = get_group_id(0);

    const uint from = group * GROUP * 2 + item;
    sums[item] = input[from] + input[from + GROUP];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint distance = GROUP / 2; distance > 0; distance >>= 1) {
        if (item < distance) {
            sums[item] += sums[item + distance];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (item == 0) {
        output[group] = sums[0];
    }
}
