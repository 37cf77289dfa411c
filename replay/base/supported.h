/* What a trace may tell and not every model times. */
#ifndef REPRISE_REPLAY_BASE_SUPPORTED_H
#define REPRISE_REPLAY_BASE_SUPPORTED_H

#include "tracefmt/error.h"
#include "tracefmt/trace.h"

/* False: the kernel has such an instruction, and err names it, or the launch is in clusters. Every engine asks before
 * it begins a launch. all: the engine times barrier objects and bulk copies, where the trace tells what is done with
 * them, and clusters. */
bool launch_is_covered(const struct rp_kernel *, const struct rp_launch *, bool all, struct rp_error *);

#endif
