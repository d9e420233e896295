// Local memory: March C- in stripes, {any(w0); up(r0,w1); up(r1,w0); down(r0,w1);
// down(r1,w0); any(r0)}, where 0 is the background crossed with the word's own
// address. What is read goes out as it is. A stripe is written by one work-item
// and read by its neighbour in the next step.

#define WORDS 2048

__kernel void local_march(uint background, __global uint *out) {
    __local uint words[WORDS];
    uint size = (uint)get_local_size(0), item = (uint)get_local_id(0);
    uint each = WORDS / size;
    __global uint *to = out + (size_t)get_group_id(0) * 5 * WORDS;
    for (uint i = 0; i < each; i++) {
        uint at = item * each + i;
        words[at] = background ^ (at * 0x9e3779b9u);
    }
    for (uint step = 0; step < 5; step++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        uint stripe = (item + step + 1) % size;
        for (uint i = 0; i < each; i++) {
            uint at = stripe * each + (step == 2 || step == 3 ? each - 1 - i : i);
            to[step * WORDS + at] = words[at];
            if (step < 4)
                words[at] = background ^ (at * 0x9e3779b9u) ^ (step % 2 == 0 ? 0xffffffffu : 0u);
        }
    }
}
