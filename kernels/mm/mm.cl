// Product of two matrices: a work-item computes 4 x 4 elements, the work-group's
// part of the left matrix lies in local memory (AMD APP SDK,
// MatrixMultiplication with local memory).

#define SIDE 8

__kernel __attribute__((reqd_work_group_size(SIDE, SIDE, 1)))
void mmmKernel_local(__global const float4 *matrixA,
                     __global const float4 *matrixB,
                     __global float4 *matrixC,
                     const int widthA)
{
    // 4 * SIDE rows of SIDE vectors.
    __local float4 blockA[4 * SIDE * SIDE];
    const int x = get_local_id(0);
    const int y = get_local_id(1);
    const int column = get_global_id(0);
    const int row = get_global_id(1) * 4;
    const int vectorsA = widthA / 4;
    const int vectorsB = get_global_size(0);

    float4 sum0 = (float4)(0.0f);
    float4 sum1 = (float4)(0.0f);
    float4 sum2 = (float4)(0.0f);
    float4 sum3 = (float4)(0.0f);
    for (int tile = 0; tile < vectorsA; tile += SIDE) {
        for (int r = 0; r < 4; r++) {
            blockA[(4 * y + r) * SIDE + x] = matrixA[(row + r) * vectorsA + tile + x];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < SIDE; k++) {
            const float4 a0 = blockA[(4 * y + 0) * SIDE + k];
            const float4 a1 = blockA[(4 * y + 1) * SIDE + k];
            const float4 a2 = blockA[(4 * y + 2) * SIDE + k];
            const float4 a3 = blockA[(4 * y + 3) * SIDE + k];
            __global const float4 *b = matrixB + (tile + k) * 4 * vectorsB + column;
            const float4 b0 = b[0];
            const float4 b1 = b[vectorsB];
            const float4 b2 = b[2 * vectorsB];
            const float4 b3 = b[3 * vectorsB];
            sum0 += a0.x * b0 + a0.y * b1 + a0.z * b2 + a0.w * b3;
            sum1 += a1.x * b0 + a1.y * b1 + a1.z * b2 + a1.w * b3;
            sum2 += a2.x * b0 + a2.y * b1 + a2.z * b2 + a2.w * b3;
            sum3 += a3.x * b0 + a3.y * b1 + a3.z * b2 + a3.w * b3;
        }
        // Nobody may overwrite the block while others read it.
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    matrixC[(row + 0) * vectorsB + column] = sum0;
    matrixC[(row + 1) * vectorsB + column] = sum1;
    matrixC[(row + 2) * vectorsB + column] = sum2;
    matrixC[(row + 3) * vectorsB + column] = sum3;
}
