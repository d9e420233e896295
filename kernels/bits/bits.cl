// Bitonic sort (Batcher, 1968): one launch per pass of a stage, one pair of
// elements per work-item (AMD APP SDK, BitonicSort).

// Stage s merges bitonic sequences of 2^(s+1) elements; its pass p compares
// elements 2^(s-p) apart. Every other sequence is sorted the other way round,
// which makes the next stage's sequences bitonic. `direction` 1 sorts upwards.
__kernel void bitonicSort(__global uint *theArray,
                          const uint stage,
                          const uint passOfStage,
                          const uint direction)
{
    const uint pair = get_global_id(0);
    const uint log_distance = stage - passOfStage;
    const uint distance = 1u << log_distance;
    const uint within = pair & (distance - 1);
    const uint left = ((pair >> log_distance) << (log_distance + 1)) + within;
    const uint right = left + distance;

    const uint a = theArray[left];
    const uint b = theArray[right];
    const uint upwards = direction ^ ((pair >> stage) & 1u);
    const uint lesser = min(a, b);
    const uint greater = max(a, b);
    theArray[left] = upwards ? lesser : greater;
    theArray[right] = upwards ? greater : lesser;
}
