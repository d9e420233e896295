// nw.cu under tickets (ticket.cuh). Written by `upset quarantine wrap`.
#include "ticket.cuh"

#pragma push_macro("__global__")
#undef __global__
#define __global__ __device__ __forceinline__
#define blockIdx upset_block.index
#define gridDim upset_block.grid
#define needle_cuda_shared_1 UPSET_TICKET_BODY(needle_cuda_shared_1)
#define needle_cuda_shared_2 UPSET_TICKET_BODY(needle_cuda_shared_2)
#include "nw.cu"
#undef needle_cuda_shared_1
#undef needle_cuda_shared_2
#undef gridDim
#undef blockIdx
#pragma pop_macro("__global__")

UPSET_TICKET_KERNEL(extern "C" __global__ void, needle_cuda_shared_1,
    (int *similarity, int *score, int cols, int penalty, int diagonal, int tiles,),
    (similarity, score, cols, penalty, diagonal, tiles))

UPSET_TICKET_KERNEL(extern "C" __global__ void, needle_cuda_shared_2,
    (int *similarity, int *score, int cols, int penalty, int diagonal, int tiles,),
    (similarity, score, cols, penalty, diagonal, tiles))
