/* Inclusive prefix sums over many blocks in three launches: every block scans its own elements and leaves its total,
 * one block scans the totals, and every block but the first adds what came before it. */
#include "cuda_min.cuh"

#define BLOCK 256

KERNEL scan_blocks(const unsigned *in, unsigned *out, unsigned *totals, int n)
{
    __shared__ unsigned warps[BLOCK / 32];
    int x = threadIdx.x, lane = x % 32, i = blockIdx.x * BLOCK + x;
    int v = i < n ? in[i] : 0;
    for (int d = 1; d < 32; d *= 2) {
        int below = __nvvm_shfl_up_i32(v, d, 0);
        if (lane >= d)
            v += below;
    }
    if (lane == 31)
        warps[x / 32] = v;
    __syncthreads();
    unsigned before = 0;
    for (int w = 0; w < x / 32; w++)
        before += warps[w];
    if (i < n)
        out[i] = before + v;
    if (x == BLOCK - 1)
        totals[blockIdx.x] = before + v;
}

/* Hillis and Steele in shared memory, two buffers in turn; the block has at least `count` threads. */
KERNEL scan_totals(unsigned *totals, int count)
{
    __shared__ unsigned sums[2][1024];
    int x = threadIdx.x, from = 0;
    sums[0][x] = x < count ? totals[x] : 0;
    __syncthreads();
    for (int d = 1; d < count; d *= 2) {
        sums[1 - from][x] = sums[from][x] + (x >= d ? sums[from][x - d] : 0);
        from = 1 - from;
        __syncthreads();
    }
    if (x < count)
        totals[x] = sums[from][x];
}

KERNEL scan_add(unsigned *out, const unsigned *totals, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (blockIdx.x > 0 && i < n)
        out[i] += totals[blockIdx.x - 1];
}
