#include "tracefmt/pattern.h"

#include <string.h>

#include "tracefmt/hash.h"
#include "tracefmt/reader.h"

/* Four chains, so that they overlap. */
static uint64_t pattern_hash(const struct rp_pattern *p)
{
    uint64_t hash[4] = {p->mask, 1, 2, 3};
    for (unsigned l = 0; l < RP_WARP_LANES; l += 4)
        for (unsigned i = 0; i < 4; i++)
            hash[i] = hash_word(hash[i], (uint64_t)p->offset[l + i]);
    return hash_word(hash_word(hash[0], hash[1]), hash_word(hash[2], hash[3]));
}

void pattern_classify(struct rp_pattern *p)
{
    unsigned lowest = (unsigned)__builtin_ctz(p->mask);
    rp_lanemask others = p->mask & (p->mask - 1);
    bool affine = true;
    uint64_t stride = 0;
    if (others) {
        unsigned second = (unsigned)__builtin_ctz(others);
        stride = (uint64_t)(p->offset[second] / (int64_t)(second - lowest));
    }
    for (unsigned l = 0; l < RP_WARP_LANES; l++)
        if (others >> l & 1)
            affine &= (uint64_t)p->offset[l] == stride * (l - lowest);
    p->kind = !affine ? RP_PATTERN_GENERAL : stride ? RP_PATTERN_AFFINE : RP_PATTERN_UNIFORM;
    p->stride = p->kind == RP_PATTERN_AFFINE ? (int64_t)stride : 0;
    p->hash = pattern_hash(p);
}

void pattern_expand(struct rp_pattern *p)
{
    if (p->kind != RP_PATTERN_GENERAL) {
        unsigned lowest = (unsigned)__builtin_ctz(p->mask);
        for (unsigned l = lowest; l < RP_WARP_LANES; l++)
            p->offset[l] = p->mask >> l & 1 ? (int64_t)((uint64_t)p->stride * (l - lowest)) : 0;
    }
    p->hash = pattern_hash(p);
}

bool pattern_equal(const struct rp_pattern *a, const struct rp_pattern *b)
{
    return a->mask == b->mask && !memcmp(a->offset, b->offset, sizeof a->offset);
}

void rp_access_addresses(const struct rp_dynamic_access *access, uint64_t address[RP_WARP_LANES])
{
    for (unsigned l = 0; l < RP_WARP_LANES; l++)
        if (access->pattern->mask >> l & 1)
            address[l] = access->base + (uint64_t)access->pattern->offset[l];
}
