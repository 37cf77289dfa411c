/* NVTX: ranges that programs name, for --nvtx. Programs find these hooks through NVTX_INJECTION64_PATH, as the headers
 * of NVTX 3 define it (nvtxDetail/nvtxInit.h, nvtxTypes.h). */
#ifndef REPRISE_FRONTEND_CUDA_DRIVER_NVTX_H
#define REPRISE_FRONTEND_CUDA_DRIVER_NVTX_H

#include <stdbool.h>

#include "tracefmt/error.h"

/* Reads the expression of --nvtx. */
bool nvtx_open(struct rp_error *);
/* Whether there is no expression, or it matches an open range: one that this thread has pushed, or that any thread has
 * started. */
bool nvtx_within(void);

#endif
