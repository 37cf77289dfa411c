/* The module of a plan. */
#ifndef REPRISE_TOOLS_RECORD_LOAD_H
#define REPRISE_TOOLS_RECORD_LOAD_H

#include "frontend/host/device.h"
#include "tools/record/plan.h"

/* Compiles CUDA source, assembles PTX where the plan says so, and loads the result. NULL: *line is the line of the
 * launch file whose value is wrong, 0: none. */
struct module *record_load_module(const struct plan *, struct rp_device *, int *line, struct rp_error *);

#endif
