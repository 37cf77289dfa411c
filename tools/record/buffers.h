/* Fills the buffers of a plan in device memory. */
#ifndef REPRISE_TOOLS_RECORD_BUFFERS_H
#define REPRISE_TOOLS_RECORD_BUFFERS_H

#include "frontend/host/launch.h"
#include "tools/record/plan.h"

/* Allocates and fills the buffer. A buffer from a file gets its size here. Errors are RP_BAD_INPUT. */
bool buffer_fill(struct plan_buffer *, struct rp_device *, struct rp_error *);
/* Writes contents that are numbers; others it leaves alone. */
void buffer_generate(const struct plan_buffer *, void *to);
/* Describes a buffer from a file for the trace's provenance: by its size and the hash of its content, not by its path.
 */
void buffer_describe_file(struct plan_buffer *, const void *content);

#endif
