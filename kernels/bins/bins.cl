// N-ary search in a sorted array: in every pass the work-items share the range
// that is left, and the one whose segment can hold the value reports it. The
// host narrows the range and launches again (AMD APP SDK, BinarySearch).

// outputArray[0] becomes (first index, last index, whether the first element is
// the value, 1) of that segment. The array rises strictly, so at most one
// work-item writes.
__kernel void binarySearch(__global uint4 *outputArray,
                           __global const uint *sortedArray,
                           const uint findMe,
                           const uint globalLowerBound,
                           const uint globalUpperBound,
                           const uint subdivSize)
{
    const uint first = globalLowerBound + (uint)get_global_id(0) * subdivSize;
    const uint last = min(first + subdivSize - 1, globalUpperBound);
    const uint least = sortedArray[first];
    if (least <= findMe && findMe <= sortedArray[last]) {
        outputArray[0] = (uint4)(first, last, least == findMe ? 1u : 0u, 1u);
    }
}
