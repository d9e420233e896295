// Histogram with 256 bins: every work-item counts in bytes of its own in local
// memory, then the work-group adds them up; the host adds the groups' results
// (AMD APP SDK, Histogram).

#define BINS 256
#define GROUP 128
// Values per work-item: a byte can count them unless all are the same.
#define VALUES 256

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void histogram256(__global const uint4 *data, __global uint *binResult)
{
    // Bin b of work-item i is byte b * GROUP + i, so that neighbours' bins
    // share words and the sum below reads whole words.
    __local uchar counts[BINS * GROUP];
    __local uint *words = (__local uint *)counts;
    const uint item = get_local_id(0);
    const uint group = get_group_id(0);

    __attribute__((opencl_unroll_hint(4)))
    for (uint i = 0; i < BINS * GROUP / 4; i += GROUP) {
        words[i + item] = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    // More would take registers that a compute unit with one SIMD unit lacks.
    __attribute__((opencl_unroll_hint(4)))
    for (uint i = 0; i < VALUES / 4; i++) {
        const uint4 value = data[(group * (VALUES / 4) + i) * GROUP + item];
        counts[value.s0 * GROUP + item]++;
        counts[value.s1 * GROUP + item]++;
        counts[value.s2 * GROUP + item]++;
        counts[value.s3 * GROUP + item]++;
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    for (uint bin = item; bin < BINS; bin += GROUP) {
        uint sum = 0;
        __attribute__((opencl_unroll_hint(8)))
        for (uint i = 0; i < GROUP / 4; i++) {
            const uint four = words[bin * (GROUP / 4) + i];
            sum += (four & 0xff) + (four >> 8 & 0xff) + (four >> 16 & 0xff) + (four >> 24);
        }
        binResult[group * BINS + bin] = sum;
    }
}
