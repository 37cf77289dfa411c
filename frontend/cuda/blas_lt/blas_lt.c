/* libcublasLt.so: supports nothing, but programs and libraries that use cuBLAS load it (CuPy before each product of
 * matrices), and some make a handle that they never use. Every function but these reports its name, once, and returns
 * CUBLAS_STATUS_NOT_SUPPORTED. */
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "frontend/cuda/blas/api.h"

#ifndef CUBLAS_MAJOR
#define CUBLAS_MAJOR 12
#endif

static int refuse(const char *name, bool *reported)
{
    if (!__atomic_exchange_n(reported, true, __ATOMIC_RELAXED))
        fprintf(stderr, "reprise: libcublasLt: %s is not there: use cuBLAS (docs/cuda.md)\n", name);
    return CUBLAS_NOT_SUPPORTED;
}

/* Arguments are irrelevant, so the functions are declared without. */
#define REFUSED(name)                                                                                                  \
    int name(void);                                                                                                    \
    int name(void)                                                                                                     \
    {                                                                                                                  \
        static bool reported;                                                                                          \
        return refuse(#name, &reported);                                                                               \
    }
#include "frontend/cuda/blas_lt/refused.def"

/* The handle has no state. */
int cublasLtCreate(void **handle);
int cublasLtCreate(void **handle)
{
    static char state;
    if (!handle)
        return CUBLAS_INVALID_VALUE;
    *handle = &state;
    return CUBLAS_SUCCESS;
}
int cublasLtDestroy(void *handle);
int cublasLtDestroy(void *handle)
{
    (void)handle;
    return CUBLAS_SUCCESS;
}

/* Functions that do not return a status. */
size_t cublasLtGetVersion(void);
size_t cublasLtGetVersion(void) { return CUBLAS_MAJOR * 10000; }
size_t cublasLtGetCudartVersion(void);
size_t cublasLtGetCudartVersion(void) { return CUBLAS_MAJOR * 1000; }
const char *cublasLtGetStatusName(int status);
const char *cublasLtGetStatusName(int status)
{
    return status == CUBLAS_NOT_SUPPORTED ? "CUBLAS_STATUS_NOT_SUPPORTED"
           : status                       ? "unknown status"
                                          : "CUBLAS_STATUS_SUCCESS";
}
const char *cublasLtGetStatusString(int status);
const char *cublasLtGetStatusString(int status)
{
    return status == CUBLAS_NOT_SUPPORTED ? "not supported" : status ? "unknown status" : "success";
}
unsigned cublasLtDisableCpuInstructionsSetMask(unsigned mask);
unsigned cublasLtDisableCpuInstructionsSetMask(unsigned mask)
{
    (void)mask;
    return 0;
}
