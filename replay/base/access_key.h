/* The key of an access for models whose result does not change when a multiple of their period is added to all
 * addresses (hw-models/shared-memory, hw-models/coalescer): pattern, width, and base modulo the period. Tables of
 * results are looked up by it. */
#ifndef REPRISE_REPLAY_BASE_ACCESS_KEY_H
#define REPRISE_REPLAY_BASE_ACCESS_KEY_H

#include <string.h>

#include "tracefmt/reader.h"

/* Two accesses have the same result if their keys are equal and, for general patterns, their offsets too. A key of
 * zeroes: no access. */
struct access_key {
    uint64_t residue; /* base modulo the period */
    int64_t stride;
    uint64_t lanes; /* mask, and width of an access */
    uint64_t shape; /* kind and width of the offsets, atomic or not */
};
/* A copy of the offsets of a general pattern, in the encoding of struct rp_pattern. */
struct kept_offsets {
    uint8_t bytes[RP_WARP_LANES * sizeof(int64_t)];
};
static inline void access_key_keep_offsets(struct kept_offsets *kept, const struct rp_pattern *p)
{
    memcpy(kept->bytes, p->offset ? p->offset : kept->bytes, rp_pattern_bytes(p));
}

/* `period`: a power of two. The pattern's mask is not empty. `atomic`: whether that matters and the access is one. */
static inline struct access_key access_key_of(const struct rp_pattern *p, uint64_t base, uint64_t period,
                                              uint32_t width, bool atomic)
{
    const int64_t affine = -(int64_t)(p->kind == RP_PATTERN_AFFINE); /* kinds are hard to predict: no branch */
    return (struct access_key){base & (period - 1), p->stride & affine, (uint64_t)p->mask << 32 | width,
                               (uint64_t)p->kind << 16 | (uint64_t)p->width << 8 | atomic};
}

/* The index of the pattern's key in a table. `entries`: a power of two up to 2^24. */
static inline unsigned access_key_index(const struct access_key *k, const struct rp_pattern *p, unsigned entries)
{
    uint64_t h = (p->hash ^ k->residue * 0x9e3779b97f4a7c15u ^ (uint32_t)k->lanes) * 0xd6e8feb86659fd93u;
    return (unsigned)(h >> 40) & (entries - 1);
}

/* Whether two keys name the same access: `kept`, of a pattern with these offsets, and `key`, of the pattern `p`. */
static inline bool access_key_same(const struct access_key *kept, const struct kept_offsets *offsets,
                                   const struct access_key *key, const struct rp_pattern *p)
{
    uint64_t differs = (kept->residue ^ key->residue) | (uint64_t)(kept->stride ^ key->stride) |
                       (kept->lanes ^ key->lanes) | (kept->shape ^ key->shape);
    return !differs && (p->kind != RP_PATTERN_GENERAL || !memcmp(offsets->bytes, p->offset, rp_pattern_bytes(p)));
}

#endif
