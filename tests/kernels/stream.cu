/* Copies that are bound by device memory: neighbouring words, and words at random places. */
#include "cuda_min.cuh"

KERNEL stream_copy(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i];
}

KERNEL stream_gather(const int *index, const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[index[i]];
}
