/* Where the time of the process goes, for --stats. All functions are called with the driver's lock held; without the
 * option they do nothing. */
#ifndef REPRISE_FRONTEND_CUDA_DRIVER_STATS_H
#define REPRISE_FRONTEND_CUDA_DRIVER_STATS_H

#include "frontend/cuda/driver/driver.h"

enum stats_part { STATS_KERNELS, STATS_COPIES, STATS_COMPILATION, STATS_PARTS };
bool stats_wanted(void);
/* Nanoseconds of a clock; 0: not wanted. */
uint64_t stats_begin(void);
/* Adds the time since then. */
void stats_end(enum stats_part, uint64_t begun);
/* Adds a launch that took so long. */
void stats_launched(const struct program *, uint64_t nanoseconds, uint64_t warp_instructions);
/* Adds a launch that did not run, and what it took when it did. */
void stats_spared(const struct program *, uint64_t nanoseconds);
/* Says it all; called without the lock, before the process ends. */
void stats_say(void);

#endif
