// Arrays of keys sorted with the places they come from, one array per block, a
// key per thread: sorted runs are merged two by two in shared memory. A key's
// place in the merged run is its place in its own and the number of keys of the
// other that come before it, found by bisection. Of equal keys the one that came
// first stays first.

#define MOST 256

extern "C" __global__ void mergeSort(unsigned *keys, unsigned *places)
{
    __shared__ unsigned key[2][MOST];
    __shared__ unsigned place[2][MOST];

    const int length = blockDim.x;
    const int thread = threadIdx.x;
    const int own = blockIdx.x * length + thread;
    int from = 0;
    key[from][thread] = keys[own];
    place[from][thread] = thread;
    __syncthreads();

    for (int run = 1; run < length; run *= 2) {
        const unsigned value = key[from][thread];
        const int in_run = thread & (run - 1);
        const bool second = thread & run;
        const unsigned *other = &key[from][(thread ^ run) - in_run];
        int first = 0, last = run;
        while (first < last) {
            const int middle = (first + last) / 2;
            const bool before = second ? other[middle] <= value : other[middle] < value;
            if (before) {
                first = middle + 1;
            } else {
                last = middle;
            }
        }
        const int target = thread - (second ? run : 0) + first;
        key[1 - from][target] = value;
        place[1 - from][target] = place[from][thread];
        from = 1 - from;
        __syncthreads();
    }

    keys[own] = key[from][thread];
    places[own] = place[from][thread];
}
