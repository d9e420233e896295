// Uniform noise on an image: every pixel's mean seeds a generator, whose
// numbers are shuffled through a table in local memory (AMD APP SDK, URNG).

#pragma OPENCL FP_CONTRACT OFF

#define GROUP 64
// The minimal standard generator: x becomes 16807 x mod 2^31 - 1 (Park and
// Miller, 1988), without a product beyond 32 bits (Schrage, 1979).
#define MULTIPLIER 16807
#define MODULUS 2147483647
#define QUOTIENT (MODULUS / MULTIPLIER)
#define REMAINDER (MODULUS % MULTIPLIER)
// The shuffle: the last number chooses the place in the table from which the
// next one comes (Bays and Durham, 1976).
#define TABLE 16
#define WARM_UP 8
#define PER_PLACE (1 + (MODULUS - 1) / TABLE)
// Numbers drawn; the last one is used.
#define DRAWN 4

static int next(int x)
{
    const int high = x / QUOTIENT;
    const int low = x - high * QUOTIENT;
    const int y = MULTIPLIER * low - REMAINDER * high;
    return y < 0 ? y + MODULUS : y;
}

// Uniform in (0, 1) from a seed above 0. The table is this work-item's.
static float uniform_number(int x, __local int *table)
{
    for (int i = 0; i < WARM_UP; i++) {
        x = next(x);
    }
    for (int i = TABLE - 1; i >= 0; i--) {
        x = next(x);
        table[i * GROUP] = x;
    }
    int drawn = table[0];
    for (int i = 0; i < DRAWN; i++) {
        x = next(x);
        const int place = drawn / PER_PLACE;
        drawn = table[place * GROUP];
        table[place * GROUP] = x;
    }
    return (float)drawn * 0x1p-31f;
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void noise_uniform(__global const uchar4 *inputImage,
                   __global uchar4 *outputImage,
                   const int factor)
{
    __local int tables[TABLE * GROUP];
    const uint at = get_global_id(1) * get_global_size(0) + get_global_id(0);

    const uchar4 pixel = inputImage[at];
    const int mean = ((int)pixel.x + pixel.y + pixel.z + pixel.w) / 4;
    const float noise = uniform_number(mean + 1, tables + get_local_id(0)) - 0.5f;
    outputImage[at] = convert_uchar4_sat(convert_float4(pixel) + noise * (float)factor);
}
