// srad2.cu under tickets (ticket.cuh). Written by `upset quarantine wrap`.
#include "ticket.cuh"

#pragma push_macro("__global__")
#undef __global__
#define __global__ __device__ __forceinline__
#define blockIdx upset_block.index
#define gridDim upset_block.grid
#define srad_cuda_1 UPSET_TICKET_BODY(srad_cuda_1)
#define srad_cuda_2 UPSET_TICKET_BODY(srad_cuda_2)
#include "srad2.cu"
#undef srad_cuda_1
#undef srad_cuda_2
#undef gridDim
#undef blockIdx
#pragma pop_macro("__global__")

UPSET_TICKET_KERNEL(extern "C" __global__ void, srad_cuda_1,
    (float *east, float *west, float *north, float *south, float *image, float *coefficient, int cols, int rows, float speckle,),
    (east, west, north, south, image, coefficient, cols, rows, speckle))

UPSET_TICKET_KERNEL(extern "C" __global__ void, srad_cuda_2,
    (float *east, float *west, float *north, float *south, float *image, float *coefficient, int cols, int rows, float lambda, float speckle,),
    (east, west, north, south, image, coefficient, cols, rows, lambda, speckle))
