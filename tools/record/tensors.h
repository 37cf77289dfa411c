/* Tensor maps of a launch file, with which kernels copy boxes of tensors (PTX: cp.async.bulk.tensor). */
#ifndef REPRISE_TOOLS_RECORD_TENSORS_H
#define REPRISE_TOOLS_RECORD_TENSORS_H

#include "tools/record/plan.h"

/* The element type by its name in docs/launch-file.md. False: there is none. */
bool tensor_element_named(const char *name, unsigned *element);
/* Makes the map of its buffer, which has its address. RP_USAGE if they do not fit together. */
bool tensor_make(const struct plan *, struct plan_tensor *, struct rp_error *);
/* Describes the map for the trace's provenance; the caller frees the text. NULL: out of memory. */
char *tensor_describe(const struct plan *, const struct plan_tensor *);

#endif
