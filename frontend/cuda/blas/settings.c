/* Settings and queries of a handle and of the library. */
#include <stdio.h>
#include <string.h>

#include "frontend/cuda/blas/handle.h"

#ifndef CUBLAS_MAJOR
#define CUBLAS_MAJOR 12
#endif

/* A setter and a getter for a number in a handle. */
#define SETTING(set, get, field, valid)                                                                                \
    BLAS_EXPORT int set(cublasHandle_t h, int value)                                                                   \
    {                                                                                                                  \
        int status = blas_check(h);                                                                                    \
        if (status == CUBLAS_SUCCESS && !(valid))                                                                      \
            status = CUBLAS_INVALID_VALUE;                                                                             \
        if (status == CUBLAS_SUCCESS)                                                                                  \
            h->field = value;                                                                                          \
        return status;                                                                                                 \
    }                                                                                                                  \
    BLAS_EXPORT int get(cublasHandle_t h, int *value)                                                                  \
    {                                                                                                                  \
        int status = blas_check(h);                                                                                    \
        if (status == CUBLAS_SUCCESS && !value)                                                                        \
            status = CUBLAS_INVALID_VALUE;                                                                             \
        if (status == CUBLAS_SUCCESS)                                                                                  \
            *value = h->field;                                                                                         \
        return status;                                                                                                 \
    }

SETTING(cublasSetPointerMode_v2, cublasGetPointerMode_v2, pointer_mode, value == CUBLAS_HOST || value == CUBLAS_DEVICE)
SETTING(cublasSetAtomicsMode, cublasGetAtomicsMode, atomics_mode, value == 0 || value == 1)
/* Accepted: sums always have the compute type. */
SETTING(cublasSetMathMode, cublasGetMathMode, math_mode, value >= 0)
SETTING(cublasSetSmCountTarget, cublasGetSmCountTarget, sm_target, value >= 0)

BLAS_EXPORT int cublasSetStream_v2(cublasHandle_t h, CUstream stream)
{
    int status = blas_check(h);
    if (status == CUBLAS_SUCCESS)
        h->stream = stream;
    return status;
}

BLAS_EXPORT int cublasGetStream_v2(cublasHandle_t h, CUstream *stream)
{
    int status = blas_check(h);
    if (status == CUBLAS_SUCCESS && !stream)
        status = CUBLAS_INVALID_VALUE;
    if (status == CUBLAS_SUCCESS)
        *stream = h->stream;
    return status;
}

/* Accepted but unused: our kernels need only the handle's workspace. */
BLAS_EXPORT int cublasSetWorkspace_v2(cublasHandle_t h, void *workspace, size_t bytes)
{
    (void)workspace, (void)bytes;
    return blas_check(h);
}

BLAS_EXPORT int cublasGetVersion_v2(cublasHandle_t h, int *version)
{
    (void)h; /* may be NULL */
    if (!version)
        return CUBLAS_INVALID_VALUE;
    *version = CUBLAS_MAJOR * 10000;
    return CUBLAS_SUCCESS;
}

/* 0 major, 1 minor, 2 patch (libraryPropertyType). */
BLAS_EXPORT int cublasGetProperty(int type, int *value)
{
    if (!value || type < 0 || type > 2)
        return CUBLAS_INVALID_VALUE;
    *value = type == 0 ? CUBLAS_MAJOR : 0;
    return CUBLAS_SUCCESS;
}

BLAS_EXPORT size_t cublasGetCudartVersion(void) { return CUBLAS_MAJOR * 1000; }

BLAS_EXPORT int cublasLoggerConfigure(int on, int to_stdout, int to_stderr, const char *file)
{
    (void)on, (void)to_stdout, (void)to_stderr, (void)file;
    return CUBLAS_SUCCESS;
}

static const struct {
    int status;
    const char *name, *text;
} statuses[] = {
    {CUBLAS_SUCCESS, "CUBLAS_STATUS_SUCCESS", "success"},
    {CUBLAS_NOT_INITIALIZED, "CUBLAS_STATUS_NOT_INITIALIZED", "not a handle, or the device could not be initialized"},
    {CUBLAS_ALLOC_FAILED, "CUBLAS_STATUS_ALLOC_FAILED", "out of memory"},
    {CUBLAS_INVALID_VALUE, "CUBLAS_STATUS_INVALID_VALUE", "an argument has a value that it cannot have"},
    {CUBLAS_ARCH_MISMATCH, "CUBLAS_STATUS_ARCH_MISMATCH", "the device cannot run the kernels"},
    {CUBLAS_MAPPING_ERROR, "CUBLAS_STATUS_MAPPING_ERROR", "memory could not be reached"},
    {CUBLAS_EXECUTION_FAILED, "CUBLAS_STATUS_EXECUTION_FAILED", "a kernel or a copy failed"},
    {CUBLAS_INTERNAL_ERROR, "CUBLAS_STATUS_INTERNAL_ERROR", "internal error"},
    {CUBLAS_NOT_SUPPORTED, "CUBLAS_STATUS_NOT_SUPPORTED", "not supported"},
    {16, "CUBLAS_STATUS_LICENSE_ERROR", "licence error"},
};

BLAS_EXPORT const char *cublasGetStatusName(int status)
{
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++)
        if (statuses[i].status == status)
            return statuses[i].name;
    return "unknown status";
}

BLAS_EXPORT const char *cublasGetStatusString(int status)
{
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++)
        if (statuses[i].status == status)
            return statuses[i].text;
    return "unknown status";
}

/* ---- copies
 * ------------------------------------------------------------------------------------------------------------ */

/* Copies between column-major matrices, one of which is on the device; a vector is a matrix of one row. */
static int matrix_copy(int64_t rows, int64_t columns, int64_t bytes, const void *from, int64_t from_leading, void *to,
                       int64_t to_leading, CUstream stream, bool wait)
{
    if (rows < 0 || columns < 0 || bytes <= 0 || from_leading < rows || to_leading < rows || from_leading <= 0 ||
        to_leading <= 0)
        return CUBLAS_INVALID_VALUE;
    CUresult r = CUDA_SUCCESS;
    for (int64_t c = 0; c < columns && r == CUDA_SUCCESS; c++)
        r = cuMemcpyAsync((uintptr_t)to + (uintptr_t)(c * to_leading * bytes),
                          (uintptr_t)from + (uintptr_t)(c * from_leading * bytes), (size_t)(rows * bytes), stream);
    if (r == CUDA_SUCCESS && wait)
        r = cuStreamSynchronize(stream);
    return r == CUDA_SUCCESS ? CUBLAS_SUCCESS : CUBLAS_MAPPING_ERROR;
}

#define COPIES(way, suffix, N)                                                                                         \
    BLAS_EXPORT int cublas##way##Vector##suffix(N n, N bytes, const void *x, N incx, void *y, N incy)                  \
    {                                                                                                                  \
        return matrix_copy(1, n, bytes, x, incx, y, incy, NULL, true);                                                 \
    }                                                                                                                  \
    BLAS_EXPORT int cublas##way##VectorAsync##suffix(N n, N bytes, const void *x, N incx, void *y, N incy, CUstream s) \
    {                                                                                                                  \
        return matrix_copy(1, n, bytes, x, incx, y, incy, s, false);                                                   \
    }                                                                                                                  \
    BLAS_EXPORT int cublas##way##Matrix##suffix(N m, N n, N bytes, const void *a, N lda, void *b, N ldb)               \
    {                                                                                                                  \
        return matrix_copy(m, n, bytes, a, lda, b, ldb, NULL, true);                                                   \
    }                                                                                                                  \
    BLAS_EXPORT int cublas##way##MatrixAsync##suffix(N m, N n, N bytes, const void *a, N lda, void *b, N ldb,          \
                                                     CUstream s)                                                       \
    {                                                                                                                  \
        return matrix_copy(m, n, bytes, a, lda, b, ldb, s, false);                                                     \
    }
COPIES(Set, , int)
COPIES(Set, _64, int64_t)
COPIES(Get, , int)
COPIES(Get, _64, int64_t)
