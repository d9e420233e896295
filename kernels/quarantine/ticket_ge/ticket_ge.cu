// ge.cu under tickets (ticket.cuh). Written by `upset quarantine wrap`.
#include "ticket.cuh"

#pragma push_macro("__global__")
#undef __global__
#define __global__ __device__ __forceinline__
#define blockIdx upset_block.index
#define gridDim upset_block.grid
#define Fan1 UPSET_TICKET_BODY(Fan1)
#define Fan2 UPSET_TICKET_BODY(Fan2)
#include "ge.cu"
#undef Fan1
#undef Fan2
#undef gridDim
#undef blockIdx
#pragma pop_macro("__global__")

UPSET_TICKET_KERNEL(extern "C" __global__ void, Fan1,
    (float *multipliers, float *matrix, int size, int column,),
    (multipliers, matrix, size, column))

UPSET_TICKET_KERNEL(extern "C" __global__ void, Fan2,
    (float *multipliers, float *matrix, float *right_side, int size, int unused, int column,),
    (multipliers, matrix, right_side, size, unused, column))
