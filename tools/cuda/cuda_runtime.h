/* For sources that include the runtime's headers, which <reprise/cuda.h> has. */
#ifdef __NVCC__
#include_next <cuda_runtime.h>
#else
#include <reprise/cuda.h>
#endif
