/* For policies that go by time: each way has a stamp, and the way with the least is replaced; of equals, the lowest. */
#ifndef REPRISE_HW_MODELS_REPLACEMENT_STAMPS_H
#define REPRISE_HW_MODELS_REPLACEMENT_STAMPS_H

#include "hw-models/replacement/replacement.h"

static inline size_t stamps_size(uint64_t sets, uint32_t ways) { return sets * ways * sizeof(uint64_t); }

/* The way with the least stamp, of those that may be replaced. */
static inline uint32_t stamps_least_free(const uint64_t *stamp, uint32_t ways, const uint64_t *kept)
{
    uint32_t way = replacement_next_free(kept, ways, 0);
    for (uint32_t w = way + 1; w < ways; w++)
        if (stamp[w] < stamp[way] && !replacement_is_kept(kept, w))
            way = w;
    return way;
}

/* Looks at all ways first: the least stamp hardly ever belongs to a way that may not be replaced, as such a way was
 * used lately. */
static inline uint32_t stamps_victim(const struct replacement *r, uint64_t set, const uint64_t *kept)
{
    const uint64_t *stamp = (const uint64_t *)r->state + set * r->ways;
    uint64_t least = stamp[0];
    uint32_t way = 0;
#pragma GCC unroll 8
    for (uint32_t w = 1; w < r->ways; w++) {
        way = stamp[w] < least ? w : way;
        least = stamp[w] < least ? stamp[w] : least;
    }
    return replacement_is_kept(kept, way) ? stamps_least_free(stamp, r->ways, kept) : way;
}

#endif
