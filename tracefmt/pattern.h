/* Patterns: what the lanes' addresses are relative to that of the lowest lane. */
#ifndef REPRISE_TRACEFMT_PATTERN_H
#define REPRISE_TRACEFMT_PATTERN_H

#include "tracefmt/pool.h"
#include "tracefmt/trace.h"

/* As struct rp_pattern, with the offsets of all kinds spread over the lanes: 0 for lanes outside the mask. */
struct wide_pattern {
    rp_lanemask mask;
    uint8_t kind;
    int64_t stride;
    uint64_t hash;
    int64_t offset[RP_WARP_LANES];
};

/* From mask and offset: kind, stride and hash. */
void pattern_classify(struct wide_pattern *);
/* From mask, kind and stride: the offsets (of all kinds but GENERAL) and the hash. */
void pattern_expand(struct wide_pattern *);
bool pattern_equal(const struct wide_pattern *, const struct wide_pattern *);
/* The same as readers see it, with what it takes from the pool. False: out of memory or limit. */
bool pattern_narrow(struct rp_pattern *, const struct wide_pattern *, struct pool *);

#endif
