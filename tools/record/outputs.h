/* The outputs of a plan: buffers that are saved, printed, or compared with expected values after the run. */
#ifndef REPRISE_TOOLS_RECORD_OUTPUTS_H
#define REPRISE_TOOLS_RECORD_OUTPUTS_H

#include <jansson.h>

#include "frontend/host/launch.h"
#include "tools/record/plan.h"

/* Call it before the run, when buffers are filled: finds the types that were not given, and reads expected values. */
bool outputs_prepare(struct plan *, struct rp_error *);
/* The same for one that is saved. */
bool output_prepare_save(const struct plan *, struct plan_save *, struct rp_error *);
/* Records the host's copies of the buffers that the functions below read. */
bool outputs_record(const struct plan *, struct rp_device *, struct rp_error *);
/* Saves a buffer that has these bytes. */
bool output_save_buffer(const struct plan_buffer *, const struct plan_save *, const void *bytes, struct rp_error *);
/* Saves buffers to files. */
bool outputs_save(const struct plan *, struct rp_device *, struct rp_error *);
/* Prints buffers on standard output. */
void outputs_print(const struct plan *, struct rp_device *);
/* [{"buffer", "type", "values"}]; infinities and NaNs are strings. */
json_t *outputs_print_json(const struct plan *, struct rp_device *);
/* Compares buffers with expected values, and reports on standard error: a line for each buffer that differs and for
 * each of its first differing elements; unless `quiet` also a line for each buffer that agrees. False: some differ.
 * `list`: NULL, or gets {"buffer", "file", "elements", "differing", "most_steps"} for each buffer. */
bool outputs_compare(const struct plan *, struct rp_device *, bool quiet, json_t *list);

#endif
