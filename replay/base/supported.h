/* Checks whether an engine supports what a launch does. */
#ifndef REPRISE_REPLAY_BASE_SUPPORTED_H
#define REPRISE_REPLAY_BASE_SUPPORTED_H

#include "tracefmt/error.h"
#include "tracefmt/trace.h"

/* Each engine calls this before it begins a launch. `all`: the engine times clusters, barriers of several blocks,
 * and all barrier objects and bulk copies whose operations the trace describes. Without it any of these fails:
 * RP_BAD_INPUT, and err names the instruction, the clusters or the barrier. */
bool launch_is_supported(const struct rp_kernel *, const struct rp_launch *, bool all, struct rp_error *);

#endif
