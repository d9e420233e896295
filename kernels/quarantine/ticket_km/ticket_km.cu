// km.cu under tickets (ticket.cuh). Written by `upset quarantine wrap`.
#include "ticket.cuh"

#pragma push_macro("__global__")
#undef __global__
#define __global__ __device__ __forceinline__
#define blockIdx upset_block.index
#define gridDim upset_block.grid
#define invert_mapping UPSET_TICKET_BODY(invert_mapping)
#define kmeansPoint UPSET_TICKET_BODY(kmeansPoint)
#include "km.cu"
#undef invert_mapping
#undef kmeansPoint
#undef gridDim
#undef blockIdx
#pragma pop_macro("__global__")

UPSET_TICKET_KERNEL(extern "C" __global__ void, invert_mapping,
    (float *by_point, float *by_feature, int points, int features,),
    (by_point, by_feature, points, features))

UPSET_TICKET_KERNEL(extern "C" __global__ void, kmeansPoint,
    (float *features, int feature_count, int points, int clusters, int *membership, float *centres, float *block_centres, int *block_deltas,),
    (features, feature_count, points, clusters, membership, centres, block_centres, block_deltas))
