/* One step of a five-point stencil on a w x h grid whose edge continues its outermost cells. Blocks of 16 x 16 threads
 * keep their cells and a rim of one in shared memory. */
#include "cuda_min.cuh"

#define TILE 16

static __device__ int clamp(int v, int low, int high) { return v < low ? low : v > high ? high : v; }

KERNEL stencil(const float *in, float *out, int w, int h)
{
    __shared__ float tile[TILE + 2][TILE + 2];
    int left = blockIdx.x * TILE - 1, top = blockIdx.y * TILE - 1;
    for (int i = threadIdx.y * TILE + threadIdx.x; i < (TILE + 2) * (TILE + 2); i += TILE * TILE) {
        int x = i % (TILE + 2), y = i / (TILE + 2);
        tile[y][x] = in[clamp(top + y, 0, h - 1) * w + clamp(left + x, 0, w - 1)];
    }
    __syncthreads();
    int x = threadIdx.x + 1, y = threadIdx.y + 1;
    if (left + x < w && top + y < h) {
        float around = tile[y - 1][x] + tile[y + 1][x] + tile[y][x - 1] + tile[y][x + 1];
        out[(top + y) * w + left + x] = 0.5f * tile[y][x] + 0.125f * around;
    }
}
