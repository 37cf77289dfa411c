/* Parameters that the host passes to the kernels of libcublas. Read by the C compiler and, in kernels.cu, by clang's
 * CUDA. No structure has padding, because traces contain all bytes of a launch's parameters. */
#ifndef REPRISE_FRONTEND_CUDA_BLAS_ARGUMENTS_H
#define REPRISE_FRONTEND_CUDA_BLAS_ARGUMENTS_H

#ifdef __CUDA__
typedef unsigned long long blas_address;
typedef long long blas_size;
#else
#include <stdint.h>
typedef uint64_t blas_address;
typedef int64_t blas_size;
#endif

enum blas_type { BLAS_F32, BLAS_F64, BLAS_F16, BLAS_BF16, BLAS_S8, BLAS_S32 };

/* alpha or beta: a value of `type` at `at` in device memory, or `value` if `at` is 0. */
struct blas_scalar {
    blas_address at;
    double value;
    blas_size type; /* enum blas_type */
};

/* Element i of a vector is at `at` + i × `step` elements; `step` may be negative. */
struct blas_vector {
    blas_address at;
    blas_size step;
};

/* Element (r, c) of matrix b of a batch is r × row + c × column elements after the matrix's start, which is `at` + b ×
 * batch elements or, if `pointers` is not 0, the b-th pointer there. A transposed matrix has row and column exchanged.
 */
struct blas_matrix {
    blas_address at, pointers;
    blas_size row, column, batch;
};

/* The part of a square matrix that is used. */
enum blas_part { BLAS_ALL, BLAS_LOWER, BLAS_UPPER };

/* c = alpha a b + beta c, a of m × k, b of k × n; only `part` of c is stored. */
struct blas_gemm {
    struct blas_scalar alpha, beta;
    struct blas_matrix a, b, c;
    blas_size m, n, k;
    blas_size part; /* enum blas_part */
};

/* Solves a x = alpha b for right-hand sides that are `between` elements apart; x overwrites b. */
struct blas_trsm {
    struct blas_scalar alpha;
    struct blas_matrix a; /* n × n */
    struct blas_vector x;
    blas_size n, between;
    int lower, unit; /* a is lower triangular with its given steps; its diagonal counts as 1 */
};

/* The partial result of one block of a reduction, or the final result. */
struct blas_partial {
    double value;
    blas_size index;
};
enum { BLAS_BLOCK = 256, BLAS_PARTIALS = 128, BLAS_TILE = 64 };

#endif
