/* NVTX: ranges that programs name, for --nvtx. Programs find NVTX's hooks here through NVTX_INJECTION64_PATH, as the
 * headers of NVTX 3 have it (nvtxDetail/nvtxInit.h, nvtxTypes.h). */
#ifndef REPRISE_FRONTEND_CUDA_DRIVER_NVTX_H
#define REPRISE_FRONTEND_CUDA_DRIVER_NVTX_H

#include <stdbool.h>

#include "tracefmt/error.h"

/* Reads the expression of --nvtx. */
bool nvtx_open(struct rp_error *);
/* Whether no expression is given, or one of the ranges that are open finds it: those that this thread has pushed, and
 * those that any thread has started. */
bool nvtx_within(void);

#endif
