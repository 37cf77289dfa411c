/* Tiled matrix multiplication, the README's example: C = A B for n x n matrices, n a multiple of 16. A block of 16 x 16
 * threads computes one tile of C, walking over tiles of A and B in shared memory. */
#include "cuda_min.cuh"

#define TILE 16

KERNEL matmul(const float *a, const float *b, float *c, int n)
{
    __shared__ float a_tile[TILE][TILE], b_tile[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * TILE + y, col = blockIdx.x * TILE + x;
    float sum = 0;
    for (int t = 0; t < n; t += TILE) {
        a_tile[y][x] = a[row * n + t + x];
        b_tile[y][x] = b[(t + y) * n + col];
        __syncthreads();
        for (int k = 0; k < TILE; k++)
            sum = fmaf(a_tile[y][k], b_tile[k][x], sum);
        __syncthreads();
    }
    c[row * n + col] = sum;
}
