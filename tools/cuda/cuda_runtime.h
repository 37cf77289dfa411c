/* For sources that include this: what of it kernels use. The runtime's functions for the host are not there. */
#ifdef __NVCC__
#include_next <cuda_runtime.h>
#else
#include <reprise/cuda.h>
#endif
