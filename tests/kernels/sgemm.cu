/* The two SGEMMs of the ECRTS 2025 paper (4.3): C (m x n) = A (m x k) B (k x n) in tiles of 32 x 32, one block of 1,024
 * threads per tile of C; m, n, k are multiples of 32. */
#include "cuda_min.cuh"

#define TILE 32

/* Copy a pair of tiles, wait, multiply, wait, and again (Figure 6). */
KERNEL sgemm_naive(const float *a, const float *b, float *c, int n, int k)
{
    __shared__ float a_tile[TILE][TILE], b_tile[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * TILE + y, col = blockIdx.x * TILE + x;
    float sum = 0;
    for (int t = 0; t < k; t += TILE) {
        a_tile[y][x] = a[row * k + t + x];
        b_tile[y][x] = b[(t + y) * n + col];
        __syncthreads();
#pragma unroll
        for (int i = 0; i < TILE; i++)
            sum = fmaf(a_tile[y][i], b_tile[i][x], sum);
        __syncthreads();
    }
    c[row * n + col] = sum;
}

/* The next pair of tiles is on its way while this one is multiplied, with one barrier per pair (Figure 7). */
KERNEL sgemm_double(const float *a, const float *b, float *c, int n, int k)
{
    __shared__ float a_tile[2][TILE][TILE], b_tile[2][TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * TILE + y, col = blockIdx.x * TILE + x;
    a_tile[0][y][x] = a[row * k + x];
    b_tile[0][y][x] = b[y * n + col];
    __syncthreads();
    float sum = 0;
    int now = 0;
    for (int t = TILE; t <= k; t += TILE) {
        float a_next = 0, b_next = 0;
        if (t < k) {
            a_next = a[row * k + t + x];
            b_next = b[(t + y) * n + col];
        }
#pragma unroll
        for (int i = 0; i < TILE; i++)
            sum = fmaf(a_tile[now][y][i], b_tile[now][i][x], sum);
        now ^= 1;
        a_tile[now][y][x] = a_next;
        b_tile[now][y][x] = b_next;
        __syncthreads();
    }
    c[row * n + col] = sum;
}
