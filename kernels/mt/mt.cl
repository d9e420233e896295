// Transpose of a square matrix: a work-item moves 4 x 4 elements, the
// work-group's tile crosses over in local memory, so that reads and writes of
// global memory are both along rows (AMD APP SDK, MatrixTranspose).

#define SIDE 16

__kernel __attribute__((reqd_work_group_size(SIDE, SIDE, 1)))
void matrixTranspose(__global float4 *output, __global const float4 *input)
{
    // 4 * SIDE rows of SIDE vectors.
    __local float4 tile[4 * SIDE * SIDE];
    const uint x = get_local_id(0);
    const uint y = get_local_id(1);
    const uint vectors = get_global_size(0);

    const uint from = get_global_id(1) * 4 * vectors + get_global_id(0);
    for (uint r = 0; r < 4; r++) {
        tile[(4 * y + r) * SIDE + x] = input[from + r * vectors];
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    const float4 row0 = tile[(4 * x + 0) * SIDE + y];
    const float4 row1 = tile[(4 * x + 1) * SIDE + y];
    const float4 row2 = tile[(4 * x + 2) * SIDE + y];
    const float4 row3 = tile[(4 * x + 3) * SIDE + y];
    const uint to_row = (get_group_id(0) * SIDE + y) * 4;
    const uint to = to_row * vectors + get_group_id(1) * SIDE + x;
    output[to] = (float4)(row0.x, row1.x, row2.x, row3.x);
    output[to + vectors] = (float4)(row0.y, row1.y, row2.y, row3.y);
    output[to + 2 * vectors] = (float4)(row0.z, row1.z, row2.z, row3.z);
    output[to + 3 * vectors] = (float4)(row0.w, row1.w, row2.w, row3.w);
}
