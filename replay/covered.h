/* What a trace may tell and no model here times yet. */
#ifndef REPRISE_REPLAY_COVERED_H
#define REPRISE_REPLAY_COVERED_H

#include "tracefmt/error.h"
#include "tracefmt/trace.h"

/* False: the kernel has such an instruction, and err names it. Every engine asks before it begins a launch. */
bool kernel_is_covered(const struct rp_kernel *, struct rp_error *);

#endif
