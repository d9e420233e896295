// Sobol's quasi-random sequence: a work-group per dimension, four vectors per
// work-item, the dimension's direction numbers in local memory (AMD APP SDK,
// QuasiRandomSequence).

#define DIRECTIONS 32

// Number n of a dimension is the exclusive or of the direction numbers of n's
// set bits, as a fraction of 2^32.
__kernel void QuasiRandomSequence(__global float4 *output, __global const uint *input)
{
    __local uint directions[DIRECTIONS];
    const uint item = get_local_id(0);
    const uint items = get_local_size(0);
    const uint dimension = get_group_id(0);

    for (uint i = item; i < DIRECTIONS; i += items) {
        directions[i] = input[dimension * DIRECTIONS + i];
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    const uint4 n = (uint4)(4 * item) + (uint4)(0, 1, 2, 3);
    uint4 bits = (uint4)(0);
    for (uint k = 0; k < DIRECTIONS; k++) {
        // All ones where bit k is set.
        const uint4 mask = (uint4)(0) - (n >> k & (uint4)(1));
        bits ^= mask & directions[k];
    }
    output[dimension * items + item] = convert_float4(bits) * 0x1p-32f;
}
