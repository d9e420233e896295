// va.cu under tickets (ticket.cuh). Written by `upset quarantine wrap`.
#include "ticket.cuh"

#pragma push_macro("__global__")
#undef __global__
#define __global__ __device__ __forceinline__
#define blockIdx upset_block.index
#define gridDim upset_block.grid
#define vectorAdd UPSET_TICKET_BODY(vectorAdd)
#include "va.cu"
#undef vectorAdd
#undef gridDim
#undef blockIdx
#pragma pop_macro("__global__")

UPSET_TICKET_KERNEL(extern "C" __global__ void, vectorAdd,
    (const float *a, const float *b, float *c, int length,),
    (a, b, c, length))
