/* What is not there: each function says so by its name, once, and answers CUBLAS_NOT_SUPPORTED, so that programs that
 * only name it can be loaded. */
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
