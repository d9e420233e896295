// What the two device files share, both ways.
#pragma once

extern __device__ int call_count;
extern __constant__ float scale_factor;
extern __device__ int (*operation)(int, int);

__device__ int gcd(int a, int b);
__device__ float scaled(float x);
__global__ void from_the_other_file(int *out);
