// What the reader of code objects is tried on: arguments, local memory, a call for identifiers.
__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void
add(__global const float *a, __global const float *b, __global float *c, uint n)
{
    uint i = get_global_id(0);
    if (i < n)
        c[i] = a[i] + b[i];
}

__kernel void reverse(__global int *data)
{
    __local int tile[256];
    uint i = get_local_id(0), n = get_local_size(0), first = get_group_id(0) * n;
    tile[i] = data[first + i];
    barrier(CLK_LOCAL_MEM_FENCE);
    data[first + i] = tile[n - 1 - i];
}
