// Multiply-add. A work-item folds its results by integer logic into a
// signature; the host knows what it must be.

// Operands come in threes. The order of work is the same for all work-items.
__kernel void mad_sign(__global const float *operands, uint triples, uint rounds,
                       __global uint *out) {
    uint sign = 0;
    for (uint r = 0; r < rounds; r++)
        for (uint i = 0; i < triples; i++) {
            float v = fma(operands[3 * i], operands[3 * i + 1], operands[3 * i + 2]);
            sign = rotate(sign, 1u) ^ as_uint(v);
        }
    out[get_global_id(0)] = sign;
}

// Every result of one work-group, by triple and work-item.
__kernel void mad_raw(__global const float *operands, uint triples, uint group,
                      __global uint *out) {
    if (get_group_id(0) != group)
        return;
    for (uint i = 0; i < triples; i++) {
        float v = fma(operands[3 * i], operands[3 * i + 1], operands[3 * i + 2]);
        out[i * get_local_size(0) + get_local_id(0)] = as_uint(v);
    }
}
