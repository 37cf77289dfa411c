/* What a trace may tell and not every model times. */
#ifndef REPRISE_REPLAY_COVERED_H
#define REPRISE_REPLAY_COVERED_H

#include "tracefmt/error.h"
#include "tracefmt/trace.h"

/* False: the kernel has such an instruction, and err names it. Every engine asks before it begins a launch.
 * asynchronous: the engine times barrier objects and bulk copies, where the trace tells what is done with them. */
bool kernel_is_covered(const struct rp_kernel *, bool asynchronous, struct rp_error *);

#endif
