/* The two SGEMMs of sgemm.cu for blocks of 4, 8, 16 and 32 warps, as in Table 4 of the ECRTS 2025 paper: one block
 * computes a tile of 32 x 32 of C (32 x 32) = A (32 x k) B (k x 32), ROWS x 32 threads, each 32 / ROWS elements of a
 * column. */
#include "cuda_min.cuh"

#define TILE 32

template <int ROWS> static __device__ __forceinline__ void naive(const float *a, const float *b, float *c, int k)
{
    __shared__ float a_tile[TILE][TILE], b_tile[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y;
    float sum[TILE / ROWS] = {};
    for (int t = 0; t < k; t += TILE) {
#pragma unroll
        for (int r = 0; r < TILE; r += ROWS) {
            a_tile[y + r][x] = a[(y + r) * k + t + x];
            b_tile[y + r][x] = b[(t + y + r) * TILE + x];
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < TILE; i++)
#pragma unroll
            for (int r = 0; r < TILE; r += ROWS)
                sum[r / ROWS] = fmaf(a_tile[y + r][i], b_tile[i][x], sum[r / ROWS]);
        __syncthreads();
    }
#pragma unroll
    for (int r = 0; r < TILE; r += ROWS)
        c[(y + r) * TILE + x] = sum[r / ROWS];
}

template <int ROWS> static __device__ __forceinline__ void buffered(const float *a, const float *b, float *c, int k)
{
    __shared__ float a_tile[2][TILE][TILE], b_tile[2][TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y, now = 0;
    float sum[TILE / ROWS] = {};
#pragma unroll
    for (int r = 0; r < TILE; r += ROWS) {
        a_tile[0][y + r][x] = a[(y + r) * k + x];
        b_tile[0][y + r][x] = b[(y + r) * TILE + x];
    }
    __syncthreads();
    for (int t = TILE; t <= k; t += TILE) {
        float a_next[TILE / ROWS], b_next[TILE / ROWS];
        int next = t < k ? t : 0; /* the last pair is copied for nothing */
#pragma unroll
        for (int r = 0; r < TILE; r += ROWS) {
            a_next[r / ROWS] = a[(y + r) * k + next + x];
            b_next[r / ROWS] = b[(next + y + r) * TILE + x];
        }
#pragma unroll
        for (int i = 0; i < TILE; i++)
#pragma unroll
            for (int r = 0; r < TILE; r += ROWS)
                sum[r / ROWS] = fmaf(a_tile[now][y + r][i], b_tile[now][i][x], sum[r / ROWS]);
        now ^= 1;
#pragma unroll
        for (int r = 0; r < TILE; r += ROWS) {
            a_tile[now][y + r][x] = a_next[r / ROWS];
            b_tile[now][y + r][x] = b_next[r / ROWS];
        }
        __syncthreads();
    }
#pragma unroll
    for (int r = 0; r < TILE; r += ROWS)
        c[(y + r) * TILE + x] = sum[r / ROWS];
}

#define SIZES(rows)                                                                                                    \
    KERNEL naive_##rows(const float *a, const float *b, float *c, int k) { naive<rows>(a, b, c, k); }                  \
    KERNEL double_##rows(const float *a, const float *b, float *c, int k) { buffered<rows>(a, b, c, k); }
SIZES(4)
SIZES(8)
SIZES(16)
SIZES(32)
