// bp.cu under tickets (ticket.cuh). Written by `upset quarantine wrap`.
#include "ticket.cuh"

#pragma push_macro("__global__")
#undef __global__
#define __global__ __device__ __forceinline__
#define blockIdx upset_block.index
#define gridDim upset_block.grid
#define bpnn_layerforward_CUDA UPSET_TICKET_BODY(bpnn_layerforward_CUDA)
#define bpnn_adjust_weights_cuda UPSET_TICKET_BODY(bpnn_adjust_weights_cuda)
#include "bp.cu"
#undef bpnn_layerforward_CUDA
#undef bpnn_adjust_weights_cuda
#undef gridDim
#undef blockIdx
#pragma pop_macro("__global__")

UPSET_TICKET_KERNEL(extern "C" __global__ void, bpnn_layerforward_CUDA,
    (float *input, float *hidden_units, float *weights, float *partial_sums, int inputs, int hidden,),
    (input, hidden_units, weights, partial_sums, inputs, hidden))

UPSET_TICKET_KERNEL(extern "C" __global__ void, bpnn_adjust_weights_cuda,
    (float *delta, int hidden, float *layer, int inputs, float *weights, float *previous,),
    (delta, hidden, layer, inputs, weights, previous))
