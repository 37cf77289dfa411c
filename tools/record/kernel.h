/* Finding the kernel that is meant, and laying out its parameters. */
#ifndef REPRISE_TOOLS_RECORD_KERNEL_H
#define REPRISE_TOOLS_RECORD_KERNEL_H

#include "frontend/core/program.h"
#include "tools/record/plan.h"

/* By its name in the module or, if only one kernel has it, by its name in the source: "matmul" finds _Z6matmulPKiS0_Pii
 * (Itanium C++ ABI, "Name mangling": length and identifier). */
struct program *kernel_find(struct module *, const char *name, struct rp_error *);
/* Checks the launch's arguments against the kernel's parameters: their number, size, and kind. */
bool kernel_check_arguments(const struct program *, const struct plan_launch *, struct rp_error *);
/* The parameter block; buffers must have their addresses. NULL: no memory. */
void *kernel_parameters(const struct program *, const struct plan *, const struct plan_launch *, struct rp_error *);

#endif
