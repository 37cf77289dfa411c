/* Sparse matrix times vector, compressed rows: one thread per row, and one warp per row. */
#include "cuda_min.cuh"

KERNEL spmv_scalar(const int *first, const int *column, const float *value, const float *x, float *y, int rows)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows)
        return;
    float sum = 0;
    for (int e = first[r]; e < first[r + 1]; e++)
        sum = fmaf(value[e], x[column[e]], sum);
    y[r] = sum;
}

KERNEL spmv_vector(const int *first, const int *column, const float *value, const float *x, float *y, int rows)
{
    int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (r >= rows)
        return;
    float sum = 0;
    for (int e = first[r] + lane; e < first[r + 1]; e += 32)
        sum = fmaf(value[e], x[column[e]], sum);
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_xor_sync(~0u, sum, d);
    if (lane == 0)
        y[r] = sum;
}
