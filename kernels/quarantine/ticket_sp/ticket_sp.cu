// sp.cu under tickets (ticket.cuh). Written by `upset quarantine wrap`.
#include "ticket.cuh"

#pragma push_macro("__global__")
#undef __global__
#define __global__ __device__ __forceinline__
#define blockIdx upset_block.index
#define gridDim upset_block.grid
#define scalarProdGPU UPSET_TICKET_BODY(scalarProdGPU)
#include "sp.cu"
#undef scalarProdGPU
#undef gridDim
#undef blockIdx
#pragma pop_macro("__global__")

UPSET_TICKET_KERNEL(extern "C" __global__ void, scalarProdGPU,
    (float *products, float *left, float *right, int pairs, int length,),
    (products, left, right, pairs, length))
