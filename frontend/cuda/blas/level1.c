/* Vectors: axpy, scal, copy, swap, dot, nrm2, asum, iamax, iamin, for float and double. */
#include "frontend/cuda/blas/handle.h"

#define MOST_BLOCKS 1024 /* of an elementwise kernel, whose threads loop over the rest */

/* As in BLAS, n <= 0 does nothing. */
static int elementwise(cublasHandle_t h, enum blas_type type, const char *name, int64_t n, void **arguments)
{
    return n <= 0 ? CUBLAS_SUCCESS
                  : blas_launch(h, type, name, (int64_t[]){blas_blocks(n, MOST_BLOCKS), 1, 1}, arguments);
}

static int axpy(cublasHandle_t h, enum blas_type type, int64_t n, const void *alpha, const void *x, int64_t incx,
                void *y, int64_t incy)
{
    int status = blas_check(h);
    if (status != CUBLAS_SUCCESS || n <= 0)
        return status;
    if (!alpha)
        return CUBLAS_INVALID_VALUE;
    struct blas_scalar a = blas_scalar_at(h, alpha, type);
    struct blas_vector from = blas_vector_at(x, n, incx, type), to = blas_vector_at(y, n, incy, type);
    return elementwise(h, type, "axpy", n, (void *[]){&n, &a, &from, &to});
}

static int scal(cublasHandle_t h, enum blas_type type, int64_t n, const void *alpha, void *x, int64_t incx)
{
    int status = blas_check(h);
    if (status != CUBLAS_SUCCESS || n <= 0 || incx <= 0)
        return status;
    if (!alpha)
        return CUBLAS_INVALID_VALUE;
    struct blas_scalar a = blas_scalar_at(h, alpha, type);
    struct blas_vector at = blas_vector_at(x, n, incx, type);
    return elementwise(h, type, "scal", n, (void *[]){&n, &a, &at});
}

static int two_vectors(cublasHandle_t h, enum blas_type type, const char *name, int64_t n, const void *x, int64_t incx,
                       void *y, int64_t incy)
{
    int status = blas_check(h);
    if (status != CUBLAS_SUCCESS)
        return status;
    struct blas_vector from = blas_vector_at(x, n, incx, type), to = blas_vector_at(y, n, incy, type);
    return elementwise(h, type, name, n, (void *[]){&n, &from, &to});
}

/* ---- reductions
 * -------------------------------------------------------------------------------------------------------- */

/* Without elements the result is 0. */
static int result_zero(cublasHandle_t h, void *result, size_t bytes)
{
    CUresult r = CUDA_SUCCESS;
    if (h->pointer_mode == CUBLAS_DEVICE)
        r = cuMemsetD8Async((uintptr_t)result, 0, bytes, h->stream);
    else
        __builtin_memset(result, 0, bytes);
    return blas_status(r);
}

static size_t type_bytes(enum blas_type type) { return type == BLAS_F64 ? 8 : 4; }

/* Kernel `part` reduces x (and y) per block, and kernel `rest` reduces the partial results. */
static int dot(cublasHandle_t h, enum blas_type type, int64_t n, const void *x, int64_t incx, const void *y,
               int64_t incy, void *result)
{
    int status = blas_check(h);
    if (status != CUBLAS_SUCCESS)
        return status;
    if (!result)
        return CUBLAS_INVALID_VALUE;
    if (n <= 0)
        return result_zero(h, result, type_bytes(type));
    struct blas_vector a = blas_vector_at(x, n, incx, type), b = blas_vector_at(y, n, incy, type);
    unsigned blocks = (unsigned)blas_blocks(n, BLAS_PARTIALS);
    CUdeviceptr out = blas_result(h, result);
    status = blas_launch(h, type, "dot", (int64_t[]){blocks, 1, 1}, (void *[]){&n, &a, &b, &h->scratch});
    if (status == CUBLAS_SUCCESS)
        status = blas_launch(h, type, "total", (int64_t[]){1, 1, 1}, (void *[]){&h->scratch, &blocks, &out});
    return status == CUBLAS_SUCCESS ? blas_result_fetch(h, result, type_bytes(type)) : status;
}

static int asum(cublasHandle_t h, enum blas_type type, int64_t n, const void *x, int64_t incx, void *result)
{
    int status = blas_check(h);
    if (status != CUBLAS_SUCCESS)
        return status;
    if (!result)
        return CUBLAS_INVALID_VALUE;
    if (n <= 0 || incx <= 0)
        return result_zero(h, result, type_bytes(type));
    struct blas_vector a = blas_vector_at(x, n, incx, type);
    unsigned blocks = (unsigned)blas_blocks(n, BLAS_PARTIALS);
    CUdeviceptr out = blas_result(h, result);
    status = blas_launch(h, type, "asum", (int64_t[]){blocks, 1, 1}, (void *[]){&n, &a, &h->scratch});
    if (status == CUBLAS_SUCCESS)
        status = blas_launch(h, type, "total", (int64_t[]){1, 1, 1}, (void *[]){&h->scratch, &blocks, &out});
    return status == CUBLAS_SUCCESS ? blas_result_fetch(h, result, type_bytes(type)) : status;
}

/* First finds the largest magnitude, then sums the squares of the elements divided by it. */
static int nrm2(cublasHandle_t h, enum blas_type type, int64_t n, const void *x, int64_t incx, void *result)
{
    int status = blas_check(h), whole = sizeof(struct blas_partial);
    if (status != CUBLAS_SUCCESS)
        return status;
    if (!result)
        return CUBLAS_INVALID_VALUE;
    if (n <= 0 || incx <= 0)
        return result_zero(h, result, type_bytes(type));
    struct blas_vector a = blas_vector_at(x, n, incx, type);
    unsigned blocks = (unsigned)blas_blocks(n, BLAS_PARTIALS);
    CUdeviceptr out = blas_result(h, result), most = blas_slot(h, BLAS_SLOT_LARGEST);
    const int64_t *many = (int64_t[]){blocks, 1, 1}, *one = (int64_t[]){1, 1, 1};
    status = blas_launch(h, type, "amax", many, (void *[]){&n, &a, &h->scratch});
    if (status == CUBLAS_SUCCESS)
        status = blas_launch(h, -1, "largest", one, (void *[]){&h->scratch, &blocks, &whole, &most});
    if (status == CUBLAS_SUCCESS)
        status = blas_launch(h, type, "squares", many, (void *[]){&n, &a, &most, &h->scratch});
    if (status == CUBLAS_SUCCESS)
        status = blas_launch(h, type, "norm", one, (void *[]){&h->scratch, &blocks, &most, &out});
    return status == CUBLAS_SUCCESS ? blas_result_fetch(h, result, type_bytes(type)) : status;
}

/* The index, from 1, of the first largest or smallest magnitude, as an integer of `bytes` bytes. */
static int place(cublasHandle_t h, enum blas_type type, const char *part, const char *rest, int64_t n, const void *x,
                 int64_t incx, void *result, int bytes)
{
    int status = blas_check(h);
    if (status != CUBLAS_SUCCESS)
        return status;
    if (!result)
        return CUBLAS_INVALID_VALUE;
    if (n <= 0 || incx <= 0)
        return result_zero(h, result, (size_t)bytes);
    struct blas_vector a = blas_vector_at(x, n, incx, type);
    unsigned blocks = (unsigned)blas_blocks(n, BLAS_PARTIALS);
    CUdeviceptr out = blas_result(h, result);
    status = blas_launch(h, type, part, (int64_t[]){blocks, 1, 1}, (void *[]){&n, &a, &h->scratch});
    if (status == CUBLAS_SUCCESS)
        status = blas_launch(h, -1, rest, (int64_t[]){1, 1, 1}, (void *[]){&h->scratch, &blocks, &bytes, &out});
    return status == CUBLAS_SUCCESS ? blas_result_fetch(h, result, (size_t)bytes) : status;
}

/* ---- the functions
 * ------------------------------------------------------------------------------------------------------ */

#define LEVEL1(S, s, T, type, suffix, N)                                                                               \
    BLAS_EXPORT int cublas##S##axpy_v2##suffix(cublasHandle_t h, N n, const T *alpha, const T *x, N incx, T *y,        \
                                               N incy)                                                                 \
    {                                                                                                                  \
        return axpy(h, type, n, alpha, x, incx, y, incy);                                                              \
    }                                                                                                                  \
    BLAS_EXPORT int cublas##S##scal_v2##suffix(cublasHandle_t h, N n, const T *alpha, T *x, N incx)                    \
    {                                                                                                                  \
        return scal(h, type, n, alpha, x, incx);                                                                       \
    }                                                                                                                  \
    BLAS_EXPORT int cublas##S##copy_v2##suffix(cublasHandle_t h, N n, const T *x, N incx, T *y, N incy)                \
    {                                                                                                                  \
        return two_vectors(h, type, "copy", n, x, incx, y, incy);                                                      \
    }                                                                                                                  \
    BLAS_EXPORT int cublas##S##swap_v2##suffix(cublasHandle_t h, N n, T *x, N incx, T *y, N incy)                      \
    {                                                                                                                  \
        return two_vectors(h, type, "swap", n, x, incx, y, incy);                                                      \
    }                                                                                                                  \
    BLAS_EXPORT int cublas##S##dot_v2##suffix(cublasHandle_t h, N n, const T *x, N incx, const T *y, N incy, T *to)    \
    {                                                                                                                  \
        return dot(h, type, n, x, incx, y, incy, to);                                                                  \
    }                                                                                                                  \
    BLAS_EXPORT int cublas##S##asum_v2##suffix(cublasHandle_t h, N n, const T *x, N incx, T *to)                       \
    {                                                                                                                  \
        return asum(h, type, n, x, incx, to);                                                                          \
    }                                                                                                                  \
    BLAS_EXPORT int cublas##S##nrm2_v2##suffix(cublasHandle_t h, N n, const T *x, N incx, T *to)                       \
    {                                                                                                                  \
        return nrm2(h, type, n, x, incx, to);                                                                          \
    }                                                                                                                  \
    BLAS_EXPORT int cublasI##s##amax_v2##suffix(cublasHandle_t h, N n, const T *x, N incx, N *to)                      \
    {                                                                                                                  \
        return place(h, type, "amax", "largest", n, x, incx, to, sizeof *to);                                          \
    }                                                                                                                  \
    BLAS_EXPORT int cublasI##s##amin_v2##suffix(cublasHandle_t h, N n, const T *x, N incx, N *to)                      \
    {                                                                                                                  \
        return place(h, type, "amin", "smallest", n, x, incx, to, sizeof *to);                                         \
    }

LEVEL1(S, s, float, BLAS_F32, , int)
LEVEL1(D, d, double, BLAS_F64, , int)
LEVEL1(S, s, float, BLAS_F32, _64, int64_t)
LEVEL1(D, d, double, BLAS_F64, _64, int64_t)
