/* What comes of a plan's buffers after the run: saved, printed, compared with what was expected. */
#ifndef REPRISE_TOOLS_RECORD_OUTPUTS_H
#define REPRISE_TOOLS_RECORD_OUTPUTS_H

#include <jansson.h>

#include "frontend/host/launch.h"
#include "tools/record/plan.h"

/* Before the run, when buffers are filled: finds the types that were left out, and reads what is expected. */
bool outputs_prepare(struct plan *, struct rp_error *);
/* Tells the trace that the host fetches the buffers that any of these look at. */
bool outputs_tell(const struct plan *, struct rp_device *, struct rp_error *);
bool outputs_save(const struct plan *, struct rp_device *, struct rp_error *);
/* On standard output. */
void outputs_print(const struct plan *, struct rp_device *);
/* [{"buffer", "type", "values"}]; infinities and NaNs are strings. */
json_t *outputs_print_json(const struct plan *, struct rp_device *);
/* Compares, and says what it finds on standard error: a line for each buffer that does not agree and one for each of
 * its first differing elements; unless `quiet` also a line for each that agrees. False: some do not agree. `list`:
 * NULL, or takes {"buffer", "file", "elements", "differing", "most_steps"} for each. */
bool outputs_compare(const struct plan *, struct rp_device *, bool quiet, json_t *list);

#endif
