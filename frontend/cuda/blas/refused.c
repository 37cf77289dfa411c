/* Unsupported functions: each reports its name, once, and returns CUBLAS_NOT_SUPPORTED, so that programs that merely
 * reference them can be loaded. */
#include "frontend/cuda/blas/handle.h"

#define REFUSED(name)                                                                                                  \
    BLAS_EXPORT int name(void)                                                                                         \
    {                                                                                                                  \
        return blas_refuse(#name, "is not there: this library has the common functions for float and double, and "     \
                                  "products of half, bfloat16 and int8 (docs/cuda.md)");                               \
    }
#define WITH_64(name)                                                                                                  \
    REFUSED(name)                                                                                                      \
    REFUSED(name##_64)
#include "frontend/cuda/blas/refused.def"
