/* Tensor maps of a launch file: what kernels copy boxes of tensors with (PTX: cp.async.bulk.tensor). */
#ifndef REPRISE_TOOLS_RECORD_TENSORS_H
#define REPRISE_TOOLS_RECORD_TENSORS_H

#include "tools/record/plan.h"

/* The element type that docs/launch-file.md calls `name`. False: there is none. */
bool tensor_element_named(const char *name, unsigned *element);
/* Makes the map of its buffer, which has its address. RP_USAGE if they do not go together. */
bool tensor_make(const struct plan *, struct plan_tensor *, struct rp_error *);
/* What is in the map, for the trace's provenance; to be freed. NULL: out of memory. */
char *tensor_describe(const struct plan *, const struct plan_tensor *);

#endif
