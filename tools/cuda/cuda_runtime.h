/* For sources that include cuda_runtime.h: the part of it that kernels use, without the runtime's host functions. */
#ifdef __NVCC__
#include_next <cuda_runtime.h>
#else
#include <reprise/cuda.h>
#endif
