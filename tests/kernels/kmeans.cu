/* The part of k-means clustering that is worth a GPU: every thread takes a point of FEATURES coordinates to the nearest
 * of CLUSTERS centres, which a block keeps in shared memory. Points are stored coordinate by coordinate. */
#include "cuda_min.cuh"

#define CLUSTERS 5
#define FEATURES 4

KERNEL kmeans(const float *points, const float *centres, int *nearest, int n)
{
    __shared__ float centre[CLUSTERS * FEATURES];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x < CLUSTERS * FEATURES)
        centre[threadIdx.x] = centres[threadIdx.x];
    __syncthreads();
    if (i >= n)
        return;
    int best = 0;
    float least = 0;
    for (int c = 0; c < CLUSTERS; c++) {
        float distance = 0;
        for (int f = 0; f < FEATURES; f++) {
            float d = points[f * n + i] - centre[c * FEATURES + f];
            distance = fmaf(d, d, distance);
        }
        if (c == 0 || distance < least) {
            least = distance;
            best = c;
        }
    }
    nearest[i] = best;
}
