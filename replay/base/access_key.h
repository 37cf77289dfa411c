/* What identifies an access to a model whose answer does not change when a multiple of its period is added to all
 * addresses (hw-models/shared-memory, hw-models/coalescer): pattern, width, and base modulo the period. For tables that
 * keep such answers. */
#ifndef REPRISE_REPLAY_BASE_ACCESS_KEY_H
#define REPRISE_REPLAY_BASE_ACCESS_KEY_H

#include <string.h>

#include "tracefmt/reader.h"

/* Equal keys have equal answers, if the offsets of general patterns are equal, too: a hash alone is no proof. All
 * zeroes: none. */
struct access_key {
    uint64_t hash, residue; /* of the pattern; base modulo the period */
    int64_t stride;
    rp_lanemask mask;
    uint32_t width;
    uint8_t kind, offset_width;
};
/* The offsets of a general pattern, as they lie there. */
struct kept_offsets {
    uint8_t bytes[RP_WARP_LANES * sizeof(int64_t)];
};
static inline void access_key_keep_offsets(struct kept_offsets *kept, const struct rp_pattern *p)
{
    memcpy(kept->bytes, p->offset ? p->offset : kept->bytes, rp_pattern_bytes(p));
}

/* `period`: a power of two. The pattern has lanes. */
static inline struct access_key access_key_of(const struct rp_pattern *p, uint64_t base, uint64_t period,
                                              uint32_t width)
{
    return (struct access_key){
        p->hash, base & (period - 1), p->kind == RP_PATTERN_AFFINE ? p->stride : 0, p->mask, width, p->kind, p->width};
}

/* Its place in a table of so many entries, a power of two up to 2^24. */
static inline unsigned access_key_place(const struct access_key *k, unsigned entries)
{
    uint64_t h = (k->hash ^ k->residue * 0x9e3779b97f4a7c15u ^ k->width) * 0xd6e8feb86659fd93u;
    return (unsigned)(h >> 40) & (entries - 1);
}

/* Whether `kept`, made of a pattern with these offsets, is `key`, made of `p`. */
static inline bool access_key_same(const struct access_key *kept, const struct kept_offsets *offsets,
                                   const struct access_key *key, const struct rp_pattern *p)
{
    return kept->mask == key->mask && kept->hash == key->hash && kept->residue == key->residue &&
           kept->stride == key->stride && kept->width == key->width && kept->kind == key->kind &&
           kept->offset_width == key->offset_width &&
           (p->kind != RP_PATTERN_GENERAL || !memcmp(offsets->bytes, p->offset, rp_pattern_bytes(p)));
}

#endif
