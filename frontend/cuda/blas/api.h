/* The types and numbers of cuBLAS's interface (cuBLAS documentation, "cuBLAS Datatypes Reference"). The functions are
 * declared where they are defined: their names and arguments are those of cublas_v2.h. */
#ifndef REPRISE_FRONTEND_CUDA_BLAS_API_H
#define REPRISE_FRONTEND_CUDA_BLAS_API_H

enum cublas_status {
    CUBLAS_SUCCESS = 0,
    CUBLAS_NOT_INITIALIZED = 1,
    CUBLAS_ALLOC_FAILED = 3,
    CUBLAS_INVALID_VALUE = 7,
    CUBLAS_ARCH_MISMATCH = 8,
    CUBLAS_MAPPING_ERROR = 11,
    CUBLAS_EXECUTION_FAILED = 13,
    CUBLAS_INTERNAL_ERROR = 14,
    CUBLAS_NOT_SUPPORTED = 15,
};
enum cublas_fill { CUBLAS_LOWER, CUBLAS_UPPER };
enum cublas_diagonal { CUBLAS_NON_UNIT, CUBLAS_UNIT };
enum cublas_side { CUBLAS_LEFT, CUBLAS_RIGHT };
enum cublas_operation { CUBLAS_N, CUBLAS_T, CUBLAS_C };
enum cublas_pointer_mode { CUBLAS_HOST, CUBLAS_DEVICE };

/* cudaDataType, as far as it is supported (library_types.h). */
enum cuda_data_type {
    CUDA_R_32F = 0,
    CUDA_R_64F = 1,
    CUDA_R_16F = 2,
    CUDA_R_8I = 3,
    CUDA_R_32I = 10,
    CUDA_R_16BF = 14
};

/* cublasComputeType_t. Callers from before CUDA 11 pass a cudaDataType instead; the numbers do not overlap. */
enum cublas_compute {
    CUBLAS_COMPUTE_16F = 64,
    CUBLAS_COMPUTE_16F_PEDANTIC = 65,
    CUBLAS_COMPUTE_32F = 68,
    CUBLAS_COMPUTE_32F_PEDANTIC = 69,
    CUBLAS_COMPUTE_64F = 70,
    CUBLAS_COMPUTE_64F_PEDANTIC = 71,
    CUBLAS_COMPUTE_32I = 72,
    CUBLAS_COMPUTE_32I_PEDANTIC = 73,
    CUBLAS_COMPUTE_32F_FAST_16F = 74,
    CUBLAS_COMPUTE_32F_FAST_16BF = 75,
    CUBLAS_COMPUTE_32F_FAST_TF32 = 77,
};

typedef struct blas_handle *cublasHandle_t;

#endif
