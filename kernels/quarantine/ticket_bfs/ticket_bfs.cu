// bfs.cu under tickets (ticket.cuh). Written by `upset quarantine wrap`.
#include "ticket.cuh"

#pragma push_macro("__global__")
#undef __global__
#define __global__ __device__ __forceinline__
#define blockIdx upset_block.index
#define gridDim upset_block.grid
#define Kernel UPSET_TICKET_BODY(Kernel)
#define Kernel2 UPSET_TICKET_BODY(Kernel2)
#include "bfs.cu"
#undef Kernel
#undef Kernel2
#undef gridDim
#undef blockIdx
#pragma pop_macro("__global__")

UPSET_TICKET_KERNEL(extern "C" __global__ void, Kernel,
    (Node *nodes, int *edges, bool *frontier, bool *reached, bool *visited, int *cost, int node_count,),
    (nodes, edges, frontier, reached, visited, cost, node_count))

UPSET_TICKET_KERNEL(extern "C" __global__ void, Kernel2,
    (bool *frontier, bool *reached, bool *visited, bool *again, int node_count,),
    (frontier, reached, visited, again, node_count))
