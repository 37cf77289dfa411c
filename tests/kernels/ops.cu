/* The expressions of ops.h on the device: row r of operands i is left in out[r * n + i]. */
#include "cuda_min.cuh"

#include "ops.h"

#define OPS_ROW(T, expression)                                                                                         \
    out[i] = expression;                                                                                               \
    out += n;
#define OPS_KERNEL(kernel, T, rows)                                                                                    \
    KERNEL kernel(const T *in, T *out, int n)                                                                          \
    {                                                                                                                  \
        int i = blockIdx.x * blockDim.x + threadIdx.x;                                                                 \
        if (i >= n)                                                                                                    \
            return;                                                                                                    \
        T a = in[i], b = in[n + i], c = in[2 * n + i];                                                                 \
        rows                                                                                                           \
    }
OPS_KERNELS(OPS_KERNEL)
