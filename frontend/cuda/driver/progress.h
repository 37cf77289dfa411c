/* Progress of a long launch: a line now and then says that it goes on, and how fast. */
#ifndef REPRISE_FRONTEND_CUDA_DRIVER_PROGRESS_H
#define REPRISE_FRONTEND_CUDA_DRIVER_PROGRESS_H

#include "frontend/cuda/driver/driver.h"

struct launch_progress {
    const char *kernel;
    double begun, next; /* seconds of a clock; next: when the next line is due */
};
/* Asks the launch to report; the structure must live as long as it runs. Nothing with -q. */
void progress_of(struct launch_progress *, const struct program *, struct rp_launch_config *);

#endif
