/* Which launches are wanted: by the kernel's name and the launch's number, counted from 0 over all launches. */
#ifndef REPRISE_FRONTEND_CUDA_DRIVER_FILTER_H
#define REPRISE_FRONTEND_CUDA_DRIVER_FILTER_H

#include "frontend/cuda/driver/driver.h"

/* Reads the session's variables. */
bool filter_open(struct rp_error *);
/* Whether a launch is wanted. filter_checks counts the launches that are asked about. */
bool filter_launch(CUfunction, uint64_t number);
bool filter_checks(CUfunction);

#endif
