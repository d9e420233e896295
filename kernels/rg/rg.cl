// Recursive Gaussian filter of an image (Deriche, 1993): a column per
// work-item, once as it is and once transposed (AMD APP SDK,
// RecursiveGaussian).

// The recursion is the definition: every product and sum is rounded by itself.
#pragma OPENCL FP_CONTRACT OFF

#define SIDE 16

// Down every column, then up. Beyond the edges the image goes on as it is
// there, so that the filter starts with its answer to a constant, coefp and
// coefn times that. The way down is stored as bytes in the output image.
__kernel void RecursiveGaussian_kernel(__global const uchar4 *input,
                                       __global uchar4 *output,
                                       const uint width,
                                       const uint height,
                                       const float a0,
                                       const float a1,
                                       const float a2,
                                       const float a3,
                                       const float b1,
                                       const float b2,
                                       const float coefp,
                                       const float coefn)
{
    const uint column = get_global_id(0);
    if (column >= width) {
        return;
    }

    float4 x1 = convert_float4(input[column]);
    float4 y1 = x1 * coefp;
    float4 y2 = y1;
    for (uint row = 0; row < height; row++) {
        const uint at = row * width + column;
        const float4 x = convert_float4(input[at]);
        const float4 y = ((x * a0 + x1 * a1) - y1 * b1) - y2 * b2;
        output[at] = convert_uchar4_sat(y);
        x1 = x;
        y2 = y1;
        y1 = y;
    }

    float4 x2 = convert_float4(input[(height - 1) * width + column]);
    x1 = x2;
    y1 = x1 * coefn;
    y2 = y1;
    for (uint row = height; row-- > 0;) {
        const uint at = row * width + column;
        const float4 y = ((x1 * a2 + x2 * a3) - y1 * b1) - y2 * b2;
        output[at] = convert_uchar4_sat(convert_float4(output[at]) + y);
        x2 = x1;
        x1 = convert_float4(input[at]);
        y2 = y1;
        y1 = y;
    }
}

__kernel __attribute__((reqd_work_group_size(SIDE, SIDE, 1)))
void transpose_kernel(__global uchar4 *output,
                      __global const uchar4 *input,
                      const uint width,
                      const uint height)
{
    __local uchar4 tile[SIDE * SIDE];
    const uint x = get_local_id(0);
    const uint y = get_local_id(1);

    tile[y * SIDE + x] = input[get_global_id(1) * width + get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);

    const uint row = get_group_id(0) * SIDE + y;
    const uint column = get_group_id(1) * SIDE + x;
    output[row * height + column] = tile[x * SIDE + y];
}
