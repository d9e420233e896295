// Discrete cosine transform of 8 x 8 blocks: a block per work-group, an element
// per work-item, the half-way product in local memory (AMD APP SDK, DCT).

#define SIDE 8

// Y = D X D' of every block, or X = D' Y D when `inverse` is set. dct8x8 is D,
// one basis vector per row.
__kernel void DCT(__global float *output,
                  __global const float *input,
                  __global const float *dct8x8,
                  const uint width,
                  const uint inverse)
{
    __local float half_way[SIDE * SIDE];
    const uint column = get_local_id(0);
    const uint row = get_local_id(1);
    const uint corner = (get_group_id(1) * width + get_group_id(0)) * SIDE;

    float sum = 0.0f;
    for (uint k = 0; k < SIDE; k++) {
        const uint at = inverse ? k * SIDE + row : row * SIDE + k;
        sum += dct8x8[at] * input[corner + k * width + column];
    }
    half_way[row * SIDE + column] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);

    sum = 0.0f;
    for (uint k = 0; k < SIDE; k++) {
        const uint at = inverse ? k * SIDE + column : column * SIDE + k;
        sum += half_way[row * SIDE + k] * dct8x8[at];
    }
    output[corner + row * width + column] = sum;
}
