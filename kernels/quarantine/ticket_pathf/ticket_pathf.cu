// pathf.cu under tickets (ticket.cuh). Written by `upset quarantine wrap`.
#include "ticket.cuh"

#pragma push_macro("__global__")
#undef __global__
#define __global__ __device__ __forceinline__
#define blockIdx upset_block.index
#define gridDim upset_block.grid
#define dynproc_kernel UPSET_TICKET_BODY(dynproc_kernel)
#include "pathf.cu"
#undef dynproc_kernel
#undef gridDim
#undef blockIdx
#pragma pop_macro("__global__")

UPSET_TICKET_KERNEL(extern "C" __global__ void, dynproc_kernel,
    (int steps, int *wall, int *src, int *dst, int cols, int rows, int first_row, int border,),
    (steps, wall, src, dst, cols, rows, first_row, border))
