/* The functions of flow.h on the device: function f of x = in[i] is left in out[f * n + i]. */
#include "cuda_min.cuh"

#include "flow.h"

KERNEL flow(const unsigned *in, unsigned *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned x = in[i];
#define CALL(f)                                                                                                        \
    out[i] = f(x);                                                                                                     \
    out += n;
    FLOWS(CALL)
}
