/* Integer matrix multiplication in one block, as PasTiS's benchmark (ERTS 2022, V): each thread copies its element of
 * both matrices to shared memory, then computes one element of the product and stores it directly to global memory. */
#include "cuda_min.cuh"

#define MOST 16

KERNEL matmul_int(const int *a, const int *b, int *c, int n)
{
    __shared__ int a_copy[MOST * MOST], b_copy[MOST * MOST];
    int col = threadIdx.x, row = threadIdx.y, i = row * n + col;
    a_copy[i] = a[i];
    b_copy[i] = b[i];
    __syncthreads();
    int sum = 0;
    for (int k = 0; k < n; k++)
        sum += a_copy[row * n + k] * b_copy[k * n + col];
    c[i] = sum;
}
