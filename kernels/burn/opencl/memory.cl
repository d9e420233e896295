// Device memory: each word is written with a background crossed with its own
// address, then read and inverted by another work-item. The host reads it back.

__kernel void memory_fill(__global uint *words, uint count, uint background) {
    for (uint i = (uint)get_global_id(0); i < count; i += (uint)get_global_size(0))
        words[i] = background ^ (i * 0x9e3779b9u);
}

__kernel void memory_invert(__global uint *words, uint count) {
    uint size = (uint)get_global_size(0);
    uint from = size - 1 - (uint)get_global_id(0);
    for (uint i = from; i < count; i += size)
        words[i] = ~words[i];
}
