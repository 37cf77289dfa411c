/* Bitonic sort, ascending; n is a power of two and at least one tile of 512 keys. */
#include "cuda_min.cuh"

#define TILE 512

static __device__ __forceinline__ void exchange(unsigned &low, unsigned &high, bool ascending)
{
    if ((low > high) == ascending) {
        unsigned t = low;
        low = high;
        high = t;
    }
}

/* Steps of distance j < TILE for run length k, within tiles in shared memory; for k == TILE also all shorter runs. */
KERNEL bitonic_tile(unsigned *key, int k)
{
    __shared__ unsigned tile[TILE];
    int x = threadIdx.x;
    unsigned *mine = key + blockIdx.x * TILE;
    tile[x] = mine[x];
    tile[x + TILE / 2] = mine[x + TILE / 2];
    for (int run = k > TILE ? k : 2; run <= k; run *= 2)
        for (int j = run > TILE ? TILE / 2 : run / 2; j > 0; j /= 2) {
            __syncthreads();
            int i = 2 * x - (x & (j - 1));
            exchange(tile[i], tile[i + j], ((blockIdx.x * TILE + i) & run) == 0);
        }
    __syncthreads();
    mine[x] = tile[x];
    mine[x + TILE / 2] = tile[x + TILE / 2];
}

/* One step of distance j >= TILE in global memory, one thread per pair. */
KERNEL bitonic_step(unsigned *key, int k, int j)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int i = 2 * x - (x & (j - 1));
    exchange(key[i], key[i + j], (i & k) == 0);
}
