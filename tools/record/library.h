/* Static libraries as modules: the member that has a plan's kernels. */
#ifndef REPRISE_TOOLS_RECORD_LIBRARY_H
#define REPRISE_TOOLS_RECORD_LIBRARY_H

#include "tools/record/plan.h"

/* The content of a static library becomes that of its member with the kernels of the plan's launches. Other content
 * stays as it is. Frees the bytes that it replaces. RP_BAD_INPUT: no member has them, or no one has them all; the error
 * lists the kernels that there are. */
bool library_choose(const struct plan *, char **bytes, size_t *size, struct rp_error *);

#endif
