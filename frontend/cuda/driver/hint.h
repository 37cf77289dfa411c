/* A hint for programs that fail: kernels whose results may depend on the order of warps, which is another one here than
 * on a GPU. */
#ifndef REPRISE_FRONTEND_CUDA_DRIVER_HINT_H
#define REPRISE_FRONTEND_CUDA_DRIVER_HINT_H

#include "frontend/cuda/driver/driver.h"

/* Before a launch without checks: what looks at its first block. NULL: nothing does. */
struct rp_check *hint_sample(CUfunction);

#endif
