/* Matrix transposition through shared memory by blocks of 32 x 8 threads: a tile 32 words wide makes every column read
 * a 32-way bank conflict, one word of padding makes none. n is a multiple of 32. */
#include "cuda_min.cuh"

template <int WIDTH>
static __device__ __forceinline__ void transpose(int (*tile)[WIDTH], const int *in, int *out, int n)
{
    int x = threadIdx.x;
    for (int y = threadIdx.y; y < 32; y += 8)
        tile[y][x] = in[(blockIdx.y * 32 + y) * n + blockIdx.x * 32 + x];
    __syncthreads();
    for (int y = threadIdx.y; y < 32; y += 8)
        out[(blockIdx.x * 32 + y) * n + blockIdx.y * 32 + x] = tile[x][y];
}

KERNEL transpose_conflicts(const int *in, int *out, int n)
{
    __shared__ int tile[32][32];
    transpose<32>(tile, in, out, n);
}

KERNEL transpose_padded(const int *in, int *out, int n)
{
    __shared__ int tile[32][33];
    transpose<33>(tile, in, out, n);
}
