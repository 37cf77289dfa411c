/* Arguments of a plan's launch. */
#ifndef REPRISE_TOOLS_RECORD_KERNEL_H
#define REPRISE_TOOLS_RECORD_KERNEL_H

#include "tools/host/kernel.h"
#include "tools/record/plan.h"

/* Checks the launch's arguments against the kernel's parameters: their number, size, and kind. */
bool kernel_check_arguments(const struct program *, const struct plan_launch *, struct rp_error *);
/* Makes the parameter block, which the caller frees; buffers have their addresses. NULL: out of memory. */
void *kernel_parameters(const struct program *, const struct plan *, const struct plan_launch *, struct rp_error *);

#endif
