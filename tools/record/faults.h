/* Where a kernel misbehaved, for people and as JSON. */
#ifndef REPRISE_TOOLS_RECORD_FAULTS_H
#define REPRISE_TOOLS_RECORD_FAULTS_H

#include <jansson.h>

#include "frontend/host/launch.h"

/* The line of the source, and of inlined code that of the outermost call, on standard error, where they can be read. */
void fault_print_source(const struct program *, const struct rp_launch_result *);
/* {"kind", "kernel", "instruction", "text", "block", "thread", "address", "source"}, address of a bad access alone. */
json_t *fault_place_json(const struct program *, const struct rp_launch_result *);

#endif
