/* A handle of libcublas, and what its functions share: checks of arguments, scalars, launches and results.
 *
 * Errors are cuBLAS's statuses. Whatever a function cannot do is said once on standard error, by name. */
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
    uint32_t mark; /* tells a handle from what is none, and from one that was destroyed */
    CUcontext context;
    CUmodule module;
    CUstream stream;
    CUdeviceptr scratch; /* BLAS_PARTIALS partials, then BLAS_SLOTS more for results */
    int pointer_mode, atomics_mode, math_mode, sm_target;
};

/* Places for results in a handle's scratch memory, one struct blas_partial each. */
enum blas_slot { BLAS_SLOT_RESULT, BLAS_SLOT_LARGEST, BLAS_SLOTS };
CUdeviceptr blas_slot(const struct blas_handle *, enum blas_slot);

/* NOT_INITIALIZED for what is no handle. Makes the handle's context the thread's where it has none. */
int blas_check(cublasHandle_t);
/* Says once for each name why it is refused; CUBLAS_NOT_SUPPORTED. */
int blas_refuse(const char *name, const char *why);

/* `value`, of `type`, as the pointer mode says where it lies. */
struct blas_scalar blas_scalar_at(cublasHandle_t, const void *value, enum blas_type type);
/* BLAS's rule for negative steps: the first element is the one with the highest address. */
struct blas_vector blas_vector_at(const void *, int64_t n, int64_t step, enum blas_type type);
/* A column-major matrix, or its transpose. */
struct blas_matrix blas_matrix_at(const void *, int64_t leading, int operation);
static inline bool blas_operation_is_known(int operation) { return operation >= CUBLAS_N && operation <= CUBLAS_C; }

/* Launches reprise_cublas_NAME, NAME with the type's letter in front where `type` is F32 or F64, -1 without. */
int blas_launch(cublasHandle_t, int type, const char *name, const int64_t grid[3], void **arguments);
/* As many blocks of BLAS_BLOCK threads as n elements need, at most `most`. */
int64_t blas_blocks(int64_t n, int64_t most);
/* Copies `bytes` from the handle's result slot to the host's `to` and waits for it; nothing in CUBLAS_DEVICE mode,
 * where `blas_result` was `to` itself. */
CUdeviceptr blas_result(cublasHandle_t, void *to);
int blas_result_fetch(cublasHandle_t, void *to, size_t bytes);
/* A status for what the driver answered. */
int blas_status(CUresult);

#endif
