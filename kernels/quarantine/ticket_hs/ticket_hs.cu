// hs.cu under tickets (ticket.cuh). Written by `upset quarantine wrap`.
#include "ticket.cuh"

#pragma push_macro("__global__")
#undef __global__
#define __global__ __device__ __forceinline__
#define blockIdx upset_block.index
#define gridDim upset_block.grid
#define calculate_temp UPSET_TICKET_BODY(calculate_temp)
#include "hs.cu"
#undef calculate_temp
#undef gridDim
#undef blockIdx
#pragma pop_macro("__global__")

UPSET_TICKET_KERNEL(extern "C" __global__ void, calculate_temp,
    (int steps, float *power, float *temp_src, float *temp_dst, int cols, int rows, int border_cols, int border_rows, float cap, float rx, float ry, float rz, float step,),
    (steps, power, temp_src, temp_dst, cols, rows, border_cols, border_rows, cap, rx, ry, rz, step))
