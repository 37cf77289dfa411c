/* Double-precision functions written out, as no device library is linked: exponential by argument reduction and a
 * polynomial, square root by Newton's iteration, sine by its series, and IEEE division and square root. */
#include "cuda_min.cuh"

#include "double_math.h"

KERNEL double_math(const double *in, double *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    out[4 * i] = dm_exp(in[i]);
    out[4 * i + 1] = dm_sqrt(in[i] < 0 ? -in[i] : in[i]);
    out[4 * i + 2] = dm_sin(in[i]);
    out[4 * i + 3] = sqrt(in[i] * in[i] + 1.0) / (in[i] - 0.3);
}
