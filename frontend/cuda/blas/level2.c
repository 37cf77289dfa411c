/* A matrix and vectors: gemv, ger, trsv; and trsm, which is trsv for many right-hand sides. */
#include "frontend/cuda/blas/handle.h"

#define MOST_BLOCKS 4096

static int64_t at_least_one(int64_t n) { return n > 1 ? n : 1; }

static int gemv(cublasHandle_t h, enum blas_type type, int operation, int64_t m, int64_t n, const void *alpha,
                const void *a, int64_t lda, const void *x, int64_t incx, const void *beta, void *y, int64_t incy)
{
    int status = blas_check(h);
    if (status != CUBLAS_SUCCESS)
        return status;
    if (!blas_operation_is_known(operation) || m < 0 || n < 0 || lda < at_least_one(m) || incx == 0 || incy == 0 ||
        !alpha || !beta)
        return CUBLAS_INVALID_VALUE;
    bool transposed = operation != CUBLAS_N;
    int64_t rows = transposed ? n : m, columns = transposed ? m : n;
    if (rows == 0)
        return CUBLAS_SUCCESS;
    struct blas_scalar by = blas_scalar_at(h, alpha, type), keep = blas_scalar_at(h, beta, type);
    struct blas_matrix at = blas_matrix_at(a, lda, operation);
    struct blas_vector from = blas_vector_at(x, columns, incx, type), to = blas_vector_at(y, rows, incy, type);
    if (transposed)
        return blas_launch(h, type, "gemv_t", (int64_t[]){rows, 1, 1},
                           (void *[]){&columns, &by, &at, &from, &keep, &to});
    return blas_launch(h, type, "gemv", (int64_t[]){blas_blocks(rows, MOST_BLOCKS), 1, 1},
                       (void *[]){&rows, &columns, &by, &at, &from, &keep, &to});
}

static int ger(cublasHandle_t h, enum blas_type type, int64_t m, int64_t n, const void *alpha, const void *x,
               int64_t incx, const void *y, int64_t incy, void *a, int64_t lda)
{
    int status = blas_check(h);
    if (status != CUBLAS_SUCCESS)
        return status;
    if (m < 0 || n < 0 || lda < at_least_one(m) || incx == 0 || incy == 0 || !alpha)
        return CUBLAS_INVALID_VALUE;
    if (m == 0 || n == 0)
        return CUBLAS_SUCCESS;
    struct blas_scalar by = blas_scalar_at(h, alpha, type);
    struct blas_vector column = blas_vector_at(x, m, incx, type), row = blas_vector_at(y, n, incy, type);
    struct blas_matrix to = blas_matrix_at(a, lda, CUBLAS_N);
    return blas_launch(h, type, "ger", (int64_t[]){blas_blocks(m * n, MOST_BLOCKS), 1, 1},
                       (void *[]){&m, &n, &by, &column, &row, &to});
}

/* ---- triangular systems ---------------------------------------------------------------------------------------------
 */

static bool triangle_is_known(int fill, int operation, int diagonal)
{
    return (fill == CUBLAS_LOWER || fill == CUBLAS_UPPER) && blas_operation_is_known(operation) &&
           (diagonal == CUBLAS_NON_UNIT || diagonal == CUBLAS_UNIT);
}

/* Describes a triangle; the transpose of a lower triangular matrix is an upper one. */
static struct blas_trsm triangle_of(int64_t n, const void *a, int64_t lda, int fill, int operation, int diagonal)
{
    bool lower = (fill == CUBLAS_LOWER) == (operation == CUBLAS_N);
    return (struct blas_trsm){
        .a = blas_matrix_at(a, lda, operation), .n = n, .lower = lower, .unit = diagonal == CUBLAS_UNIT};
}

static int trsv(cublasHandle_t h, enum blas_type type, int fill, int operation, int diagonal, int64_t n, const void *a,
                int64_t lda, void *x, int64_t incx)
{
    int status = blas_check(h);
    if (status != CUBLAS_SUCCESS)
        return status;
    if (!triangle_is_known(fill, operation, diagonal) || n < 0 || lda < at_least_one(n) || incx == 0)
        return CUBLAS_INVALID_VALUE;
    if (n == 0)
        return CUBLAS_SUCCESS;
    struct blas_trsm s = triangle_of(n, a, lda, fill, operation, diagonal);
    s.alpha = (struct blas_scalar){.value = 1, .type = (int)type};
    s.x = blas_vector_at(x, n, incx, type);
    return blas_launch(h, type, "trsm", (int64_t[]){1, 1, 1}, (void *[]){&s});
}

/* On the right, x a = b is a' x' = b': the rows of b are the right-hand sides. */
static int trsm(cublasHandle_t h, enum blas_type type, int side, int fill, int operation, int diagonal, int64_t m,
                int64_t n, const void *alpha, const void *a, int64_t lda, void *b, int64_t ldb)
{
    int status = blas_check(h);
    if (status != CUBLAS_SUCCESS)
        return status;
    bool left = side == CUBLAS_LEFT;
    if ((!left && side != CUBLAS_RIGHT) || !triangle_is_known(fill, operation, diagonal) || m < 0 || n < 0 || !alpha ||
        lda < at_least_one(left ? m : n) || ldb < at_least_one(m))
        return CUBLAS_INVALID_VALUE;
    if (m == 0 || n == 0)
        return CUBLAS_SUCCESS;
    int transposed = operation == CUBLAS_N ? CUBLAS_T : CUBLAS_N;
    struct blas_trsm s = triangle_of(left ? m : n, a, lda, fill, left ? operation : transposed, diagonal);
    s.alpha = blas_scalar_at(h, alpha, type);
    s.x = (struct blas_vector){(uintptr_t)b, left ? 1 : ldb};
    s.between = left ? ldb : 1;
    return blas_launch(h, type, "trsm", (int64_t[]){left ? n : m, 1, 1}, (void *[]){&s});
}

/* ---- the functions --------------------------------------------------------------------------------------------------
 */

#define LEVEL2(S, T, type, suffix, N)                                                                                  \
    BLAS_EXPORT int cublas##S##gemv_v2##suffix(cublasHandle_t h, int operation, N m, N n, const T *alpha, const T *a,  \
                                               N lda, const T *x, N incx, const T *beta, T *y, N incy)                 \
    {                                                                                                                  \
        return gemv(h, type, operation, m, n, alpha, a, lda, x, incx, beta, y, incy);                                  \
    }                                                                                                                  \
    BLAS_EXPORT int cublas##S##ger_v2##suffix(cublasHandle_t h, N m, N n, const T *alpha, const T *x, N incx,          \
                                              const T *y, N incy, T *a, N lda)                                         \
    {                                                                                                                  \
        return ger(h, type, m, n, alpha, x, incx, y, incy, a, lda);                                                    \
    }                                                                                                                  \
    BLAS_EXPORT int cublas##S##trsv_v2##suffix(cublasHandle_t h, int fill, int operation, int diagonal, N n,           \
                                               const T *a, N lda, T *x, N incx)                                        \
    {                                                                                                                  \
        return trsv(h, type, fill, operation, diagonal, n, a, lda, x, incx);                                           \
    }                                                                                                                  \
    BLAS_EXPORT int cublas##S##trsm_v2##suffix(cublasHandle_t h, int side, int fill, int operation, int diagonal, N m, \
                                               N n, const T *alpha, const T *a, N lda, T *b, N ldb)                    \
    {                                                                                                                  \
        return trsm(h, type, side, fill, operation, diagonal, m, n, alpha, a, lda, b, ldb);                            \
    }
LEVEL2(S, float, BLAS_F32, , int)
LEVEL2(D, double, BLAS_F64, , int)
LEVEL2(S, float, BLAS_F32, _64, int64_t)
LEVEL2(D, double, BLAS_F64, _64, int64_t)
