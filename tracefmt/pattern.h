/* Patterns: the lanes' addresses relative to the address of the lowest lane. */
#ifndef REPRISE_TRACEFMT_PATTERN_H
#define REPRISE_TRACEFMT_PATTERN_H

#include "tracefmt/pool.h"
#include "tracefmt/trace.h"

/* A struct rp_pattern of any kind with its offsets expanded to all lanes; lanes outside the mask have 0. */
struct wide_pattern {
    rp_lanemask mask;
    uint8_t kind;
    int64_t stride;
    uint64_t hash;
    int64_t offset[RP_WARP_LANES];
};

/* Sets all else from mask and addresses. base: the address of the lowest lane. */
void pattern_of(struct wide_pattern *, uint64_t base, const uint64_t address[RP_WARP_LANES]);
/* From mask and offset: kind, stride and hash. */
void pattern_classify(struct wide_pattern *);
/* From mask, kind and stride: the offsets (of all kinds but GENERAL) and the hash. */
void pattern_expand(struct wide_pattern *);
bool pattern_equal(const struct wide_pattern *, const struct wide_pattern *);
/* Converts to the form that readers see; memory comes from the pool. False: out of memory or over the limit. */
bool pattern_narrow(struct rp_pattern *, const struct wide_pattern *, struct pool *);

#endif
