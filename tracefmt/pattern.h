/* Patterns: what the lanes' addresses are relative to that of the lowest lane. */
#ifndef REPRISE_TRACEFMT_PATTERN_H
#define REPRISE_TRACEFMT_PATTERN_H

#include "tracefmt/trace.h"

/* From mask and offset (0 for lanes outside the mask): kind, stride and hash. */
void pattern_classify(struct rp_pattern *);
/* From mask, kind and stride: the offsets (of all kinds but GENERAL) and the hash. */
void pattern_expand(struct rp_pattern *);
bool pattern_equal(const struct rp_pattern *, const struct rp_pattern *);

#endif
