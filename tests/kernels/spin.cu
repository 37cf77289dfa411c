/* Blocks that wait for one another. */
#include "cuda_min.cuh"

/* One thread per block takes a lock and adds to a plain counter; order[i] is the block that came i-th. */
KERNEL spin_lock(int *lock, int *counter, int *order)
{
    if (threadIdx.x == 0) {
        while (atomicCAS(lock, 0, 1) != 0)
            ;
        __threadfence();
        volatile int *c = counter;
        int i = *c;
        order[i] = blockIdx.x;
        *c = i + 1;
        __threadfence();
        atomicExch(lock, 0);
    }
}

/* A relay from the last block to the first: each block polls the flag of the block after it, works on what that one
 * left, and raises its own flag. Blocks that start in order of their index all wait for one that has not started. */
KERNEL relay(volatile int *flag, volatile int *data)
{
    int x = threadIdx.x, b = blockIdx.x, n = blockDim.x;
    if (b + 1 < (int)gridDim.x) {
        if (x == 0)
            while (flag[b + 1] == 0)
                ;
        __syncthreads();
        __threadfence();
        data[b * n + x] = data[(b + 1) * n + (x + 1) % n] * 3 + b;
    } else {
        data[b * n + x] = x;
    }
    __threadfence();
    __syncthreads();
    if (x == 0)
        flag[b] = 1;
}

/* Every block leaves a partial sum; the one that finishes last adds them up. */
KERNEL last_block_reduces(const int *in, int *part, unsigned *done, int *out, int n)
{
    __shared__ int sum;
    __shared__ bool last;
    int x = threadIdx.x;
    if (x == 0)
        sum = 0;
    __syncthreads();
    int v = 0;
    for (int i = blockIdx.x * blockDim.x + x; i < n; i += gridDim.x * blockDim.x)
        v += in[i];
    atomicAdd(&sum, v);
    __syncthreads();
    if (x == 0) {
        part[blockIdx.x] = sum;
        __threadfence();
        last = atomicInc(done, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && x == 0) {
        volatile int *parts = part;
        int total = 0;
        for (unsigned b = 0; b < gridDim.x; b++)
            total += parts[b];
        *out = total;
    }
}
