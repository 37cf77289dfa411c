/* Sums: a tree in shared memory, and shuffles within warps. Each block leaves one partial sum. */
#include "cuda_min.cuh"

#define BLOCK 256

KERNEL reduce_tree(const float *in, float *out, int n)
{
    __shared__ float part[BLOCK];
    int x = threadIdx.x, i = blockIdx.x * (2 * BLOCK) + x;
    float v = i < n ? in[i] : 0;
    if (i + BLOCK < n)
        v += in[i + BLOCK];
    part[x] = v;
    __syncthreads();
    for (int s = BLOCK / 2; s > 0; s /= 2) {
        if (x < s)
            part[x] += part[x + s];
        __syncthreads();
    }
    if (x == 0)
        out[blockIdx.x] = part[0];
}

static __device__ float warp_sum(float v)
{
    for (int d = warpSize / 2; d > 0; d /= 2)
        v += __shfl_down_sync(~0u, v, d);
    return v;
}

KERNEL reduce_shuffle(const float *in, float *out, int n)
{
    __shared__ float part[BLOCK / 32];
    int x = threadIdx.x;
    float v = 0;
    for (int i = blockIdx.x * BLOCK + x; i < n; i += gridDim.x * BLOCK)
        v += in[i];
    v = warp_sum(v);
    if (x % 32 == 0)
        part[x / 32] = v;
    __syncthreads();
    if (x < 32) {
        v = warp_sum(x < BLOCK / 32 ? part[x] : 0);
        if (x == 0)
            out[blockIdx.x] = v;
    }
}
