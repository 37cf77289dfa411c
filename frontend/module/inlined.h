/* Inlined calls: from the list of a module to the list of a kernel. */
#ifndef REPRISE_FRONTEND_MODULE_INLINED_H
#define REPRISE_FRONTEND_MODULE_INLINED_H

#include "frontend/module/arena.h"
#include "tracefmt/trace.h"

/* A function's name as nvcc wrote it, without the namespaces that stand for a file:
 * _INTERNAL_24cb8a54_4_k_cu_0123abcd::
 */
const char *inlined_function_name(struct arena *, const char *name);

/* Copies into the kernel those of `all` that its instructions refer to; their numbers count from 1 in `all`. A call
 * comes after the call around it. */
void inlined_keep(struct arena *, const struct rp_inlined_call *all, uint32_t count, struct rp_instruction *,
                  uint32_t instruction_count, struct rp_kernel *);

#endif
