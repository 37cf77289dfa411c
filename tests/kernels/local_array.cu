/* Arrays with computed indices in local memory: each thread sorts its own `PER_THREAD` numbers by insertion. */
#include "cuda_min.cuh"

#define PER_THREAD 24

KERNEL local_array(const int *in, int *out)
{
    int base = (blockIdx.x * blockDim.x + threadIdx.x) * PER_THREAD;
    int mine[PER_THREAD];
    for (int i = 0; i < PER_THREAD; i++) {
        int v = in[base + i], j = i;
        for (; j > 0 && mine[j - 1] > v; j--)
            mine[j] = mine[j - 1];
        mine[j] = v;
    }
    for (int i = 0; i < PER_THREAD; i++)
        out[base + i] = mine[i];
}
