#ifndef REPRISE_FRONTEND_CUDA_DRIVER_CALLS_H
#define REPRISE_FRONTEND_CUDA_DRIVER_CALLS_H

#include <stdbool.h>

/* Whether calls that fail are findings. */
extern bool calls_checked;

#endif
