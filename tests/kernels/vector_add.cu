/* c = a + b, one element per thread. */
#include "cuda_min.cuh"

KERNEL vector_add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
