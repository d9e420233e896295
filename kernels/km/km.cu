// K-means, the assignment step: the nearest of a few cluster centres for each
// point. Features are read through a texture from a feature-major copy of the
// input, the centres from constant memory; the host moves the centres.

#include <float.h>

#define MAX_CENTRE_VALUES 1088 // 32 clusters of 34 features

texture<float, 1, cudaReadModeElementType> t_features;
__constant__ float c_clusters[MAX_CENTRE_VALUES];

// Point-major to feature-major, so that neighbouring threads read neighbouring
// words afterwards.
extern "C" __global__ void invert_mapping(float *by_point, float *by_feature, int points,
                                          int features)
{
    const int point = threadIdx.x + blockDim.x * blockIdx.x;
    if (point < points) {
        for (int f = 0; f < features; f++) {
            by_feature[point + points * f] = by_point[point * features + f];
        }
    }
}

// The pointers after `membership`, and `features`, belong to the published
// interface (reductions on the device, switched off there too); unused here.
extern "C" __global__ void kmeansPoint(float *features, int feature_count, int points, int clusters,
                                       int *membership, float *centres, float *block_centres,
                                       int *block_deltas)
{
    const int block = gridDim.x * blockIdx.y + blockIdx.x;
    const int point = block * blockDim.x * blockDim.y + threadIdx.x;
    if (point < points) {
        float nearest = FLT_MAX;
        int chosen = -1;
        for (int k = 0; k < clusters; k++) {
            float distance = 0.0f;
            for (int f = 0; f < feature_count; f++) {
                const float gap =
                    tex1Dfetch(t_features, point + f * points) - c_clusters[k * feature_count + f];
                distance += gap * gap;
            }
            if (distance < nearest) {
                nearest = distance;
                chosen = k;
            }
        }
        membership[point] = chosen;
    }
}
