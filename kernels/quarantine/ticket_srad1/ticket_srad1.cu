// srad1.cu under tickets (ticket.cuh). Written by `upset quarantine wrap`.
#include "ticket.cuh"

#pragma push_macro("__global__")
#undef __global__
#define __global__ __device__ __forceinline__
#define blockIdx upset_block.index
#define gridDim upset_block.grid
#define extract UPSET_TICKET_BODY(extract)
#define prepare UPSET_TICKET_BODY(prepare)
#define reduce UPSET_TICKET_BODY(reduce)
#define srad UPSET_TICKET_BODY(srad)
#define srad2 UPSET_TICKET_BODY(srad2)
#define compress UPSET_TICKET_BODY(compress)
#include "srad1.cu"
#undef extract
#undef prepare
#undef reduce
#undef srad
#undef srad2
#undef compress
#undef gridDim
#undef blockIdx
#pragma pop_macro("__global__")

UPSET_TICKET_KERNEL(extern "C" __global__ void, extract,
    (long pixels, float *image,),
    (pixels, image))

UPSET_TICKET_KERNEL(extern "C" __global__ void, prepare,
    (long pixels, float *image, float *sums, float *squares,),
    (pixels, image, sums, squares))

UPSET_TICKET_KERNEL(extern "C" __global__ void, reduce,
    (long pixels, int count, int stride, float *sums, float *squares,),
    (pixels, count, stride, sums, squares))

UPSET_TICKET_KERNEL(extern "C" __global__ void, srad,
    (float lambda, int rows, int cols, long pixels, int *north_of, int *south_of, int *east_of, int *west_of, float *north, float *south, float *west, float *east, float speckle, float *coefficient, float *image,),
    (lambda, rows, cols, pixels, north_of, south_of, east_of, west_of, north, south, west, east, speckle, coefficient, image))

UPSET_TICKET_KERNEL(extern "C" __global__ void, srad2,
    (float lambda, int rows, int cols, long pixels, int *north_of, int *south_of, int *east_of, int *west_of, float *north, float *south, float *west, float *east, float *coefficient, float *image,),
    (lambda, rows, cols, pixels, north_of, south_of, east_of, west_of, north, south, west, east, coefficient, image))

UPSET_TICKET_KERNEL(extern "C" __global__ void, compress,
    (long pixels, float *image,),
    (pixels, image))
