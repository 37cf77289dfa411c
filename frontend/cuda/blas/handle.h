/* A handle of libcublas, and what its functions share: checks of arguments, scalars, launches and results.
 *
 * Functions return cuBLAS's statuses. An unsupported request is reported once on standard error, by name. */
#ifndef REPRISE_FRONTEND_CUDA_BLAS_HANDLE_H
#define REPRISE_FRONTEND_CUDA_BLAS_HANDLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "frontend/cuda/abi/driver.h"
#include "frontend/cuda/blas/api.h"
#include "frontend/cuda/blas/arguments.h"

#define BLAS_EXPORT __attribute__((visibility("default")))

struct blas_handle {
    uint32_t mark; /* identifies a live handle */
    CUcontext context;
    CUmodule module;
    CUstream stream;
    CUdeviceptr scratch; /* BLAS_PARTIALS partial results, followed by BLAS_SLOTS for final results */
    int pointer_mode, atomics_mode, math_mode, sm_target;
};

/* Slots for results in a handle's scratch memory, one struct blas_partial each. */
enum blas_slot { BLAS_SLOT_RESULT, BLAS_SLOT_LARGEST, BLAS_SLOTS };
CUdeviceptr blas_slot(const struct blas_handle *, enum blas_slot);

/* Checks a handle; NOT_INITIALIZED if it is invalid. If the thread has no context, makes the handle's context current.
 */
int blas_check(cublasHandle_t);
/* Reports, once per name, why it is unsupported; returns CUBLAS_NOT_SUPPORTED. */
int blas_refuse(const char *name, const char *why);

/* A scalar of `type` at `value`, on the host or the device as the pointer mode says. */
struct blas_scalar blas_scalar_at(cublasHandle_t, const void *value, enum blas_type type);
/* A vector; by BLAS's rule for negative steps, the first element is the one with the highest address. */
struct blas_vector blas_vector_at(const void *, int64_t n, int64_t step, enum blas_type type);
/* A column-major matrix, or its transpose. */
struct blas_matrix blas_matrix_at(const void *, int64_t leading, int operation);
static inline bool blas_operation_is_known(int operation) { return operation >= CUBLAS_N && operation <= CUBLAS_C; }

/* Launches reprise_cublas_NAME; if `type` is F32 or F64, NAME gets the type's letter in front; -1: none. */
int blas_launch(cublasHandle_t, int type, const char *name, const int64_t grid[3], void **arguments);
/* The number of blocks of BLAS_BLOCK threads for n elements, at most `most`. */
int64_t blas_blocks(int64_t n, int64_t most);
/* Copies `bytes` bytes from the handle's result slot to the host's `to` and waits for the copy. Does nothing in
 * CUBLAS_DEVICE mode, where `blas_result` was `to` itself. */
CUdeviceptr blas_result(cublasHandle_t, void *to);
int blas_result_fetch(cublasHandle_t, void *to, size_t bytes);
/* The status for a result of the driver. */
int blas_status(CUresult);

#endif
