/* Where a kernel misbehaved, as text and as JSON. */
#ifndef REPRISE_TOOLS_RECORD_FAULTS_H
#define REPRISE_TOOLS_RECORD_FAULTS_H

#include <jansson.h>

#include "frontend/host/launch.h"

/* Prints the source line on standard error, and for inlined code the line of the outermost call, if the source can be
 * read. */
void fault_print_source(const struct program *, const struct rp_launch_result *);
/* {"kind", "kernel", "symbol", "instruction", "text", "block", "thread", "address", "source"}, `address` for a bad
 * access only.
 */
json_t *fault_place_json(const struct program *, const struct rp_launch_result *);

#endif
