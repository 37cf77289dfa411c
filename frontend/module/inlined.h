/* Calls that a compiler replaced by bodies: from what a module has to what a kernel needs. */
#ifndef REPRISE_FRONTEND_MODULE_INLINED_H
#define REPRISE_FRONTEND_MODULE_INLINED_H

#include "frontend/module/arena.h"
#include "tracefmt/trace.h"

/* A function's name as nvcc wrote it, without the namespaces that stand for a file:
 * _INTERNAL_24cb8a54_4_k_cu_0123abcd::
 */
const char *inlined_function_name(struct arena *, const char *name);

/* Gives the kernel those of all calls that its instructions name, which is by their numbers in `all`, from 1. Each call
 * there stands behind the one that it is in. */
void inlined_keep(struct arena *, const struct rp_inlined_call *all, uint32_t count, struct rp_instruction *,
                  uint32_t instruction_count, struct rp_kernel *);

#endif
