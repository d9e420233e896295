// One-dimensional Haar wavelet transform: a work-group carries its part of the
// signal through as many levels as it can in local memory, the host launches
// again for what is left (AMD APP SDK, DwtHaar1D).

#define LARGEST_GROUP 256
#define INVERSE_ROOT_2 0.70710678118654752440f

// A group of n work-items decomposes 2n samples; `levels` is log2(2n). Details
// of a level go to their place in the whole transform: those of a signal of
// length L to L/2 and on. What is left of each group, one average, goes to
// averageSignal; of the last group alone to the transform's first place.
__kernel void dwtHaar1D(__global const float *inSignal,
                        __global float *coefsSignal,
                        __global float *averageSignal,
                        const uint levels,
                        const uint signalLength)
{
    __local float averages[2 * LARGEST_GROUP];
    const uint item = get_local_id(0);
    const uint group = get_group_id(0);
    const uint items = get_local_size(0);

    const uint from = group * items * 2 + item;
    averages[item] = inSignal[from];
    averages[item + items] = inSignal[from + items];

    uint pairs = items;
    uint half_length = signalLength >> 1;
    for (uint level = 0; level < levels; level++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        float even = 0.0f;
        float odd = 0.0f;
        if (item < pairs) {
            even = averages[2 * item];
            odd = averages[2 * item + 1];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < pairs) {
            averages[item] = (even + odd) * INVERSE_ROOT_2;
            coefsSignal[half_length + group * pairs + item] = (even - odd) * INVERSE_ROOT_2;
        }
        pairs >>= 1;
        half_length >>= 1;
    }
    if (item == 0) {
        averageSignal[group] = averages[0];
        if (half_length == 0) {
            coefsSignal[0] = averages[0];
        }
    }
}
