// Fast Walsh-Hadamard transform in place: one launch per step, one butterfly
// per work-item (AMD APP SDK, FastWalshTransform).

__kernel void fastWalshTransform(__global float *tArray, const uint step)
{
    const uint butterfly = get_global_id(0);
    const uint within = butterfly % step;
    const uint upper = 2 * step * (butterfly / step) + within;
    const uint lower = upper + step;

    const float a = tArray[upper];
    const float b = tArray[lower];
    tArray[upper] = a + b;
    tArray[lower] = a - b;
}
