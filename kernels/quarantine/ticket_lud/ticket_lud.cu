// lud.cu under tickets (ticket.cuh). Written by `upset quarantine wrap`.
#include "ticket.cuh"

#pragma push_macro("__global__")
#undef __global__
#define __global__ __device__ __forceinline__
#define blockIdx upset_block.index
#define gridDim upset_block.grid
#define lud_diagonal UPSET_TICKET_BODY(lud_diagonal)
#define lud_perimeter UPSET_TICKET_BODY(lud_perimeter)
#define lud_internal UPSET_TICKET_BODY(lud_internal)
#include "lud.cu"
#undef lud_diagonal
#undef lud_perimeter
#undef lud_internal
#undef gridDim
#undef blockIdx
#pragma pop_macro("__global__")

UPSET_TICKET_KERNEL(extern "C" __global__ void, lud_diagonal,
    (float *m, int dim, int offset,),
    (m, dim, offset))

UPSET_TICKET_KERNEL(extern "C" __global__ void, lud_perimeter,
    (float *m, int dim, int offset,),
    (m, dim, offset))

UPSET_TICKET_KERNEL(extern "C" __global__ void, lud_internal,
    (float *m, int dim, int offset,),
    (m, dim, offset))
