/* The GEMM of the SAN model paper (2023, Figure 9). The figure computes the row from blockIdx.x, which would leave every
 * tile off the diagonal without a value; blockIdx.y is meant. It does not name the loop's variable, either.
 *
 * What becomes of it depends on the compiler. clang keeps the sum in a register, because long and int may not be the
 * same memory, and writes it once; with -fno-strict-aliasing each iteration writes it. The figure's N is a constant, so
 * its loop may be unrolled. docs/validation.md has the three forms: `gemm`, `gemm_unrolled`, and that with
 * -fno-strict-aliasing. */
#include "cuda_min.cuh"

#ifndef N
#define N 32
#endif

KERNEL gemm(const int *a, const int *b, long *c, int n)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = 0; i < n; i++)
        c[row * n + col] += a[row * n + i] * b[i * n + col];
}

KERNEL gemm_unrolled(const int *a, const int *b, long *c)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll
    for (int i = 0; i < N; i++)
        c[row * N + col] += a[row * N + i] * b[i * N + col];
}
