/* For policies that go by time: each way has a stamp, and the way with the least is replaced; of equals, the lowest. */
#ifndef REPRISE_HW_MODELS_REPLACEMENT_STAMPS_H
#define REPRISE_HW_MODELS_REPLACEMENT_STAMPS_H

#include "hw-models/replacement/replacement.h"

static inline size_t stamps_size(uint64_t sets, uint32_t ways)
{
    return sets * (ways + stamp_groups(ways)) * sizeof(uint64_t);
}

/* The way with the least stamp, of those that may be replaced. */
static inline uint32_t stamps_least_free(const uint64_t *stamp, uint32_t ways, const uint64_t *kept)
{
    uint32_t way = replacement_next_free(kept, ways, 0);
    for (uint32_t w = way + 1; w < ways; w++)
        if (stamp[w] < stamp[way] && !replacement_is_kept(kept, w))
            way = w;
    return way;
}

/* The first of the least numbers. */
static inline uint32_t stamps_first_least(const uint64_t *number, uint32_t count)
{
    uint64_t least = number[0];
    uint32_t first = 0;
#pragma GCC unroll 8
    for (uint32_t i = 1; i < count; i++) {
        first = number[i] < least ? i : first;
        least = number[i] < least ? number[i] : least;
    }
    return first;
}

/* Looks at the group whose bound is least, until a bound is the stamp of a way. */
static inline uint32_t stamps_least_of_groups(const struct replacement *r, uint64_t set, const uint64_t *stamp)
{
    const uint32_t groups = stamp_groups(r->ways);
    uint64_t *bound = stamp_bounds(r, set);
    for (;;) {
        uint32_t g = stamps_first_least(bound, groups), first = g * STAMP_GROUP, left = r->ways - first;
        uint32_t way = first + stamps_first_least(stamp + first, left < STAMP_GROUP ? left : STAMP_GROUP);
        if (stamp[way] == bound[g])
            return way;
        bound[g] = stamp[way];
    }
}

/* Looks at all ways first: the least stamp hardly ever belongs to a way that may not be replaced, as such a way was
 * used lately. */
static inline uint32_t stamps_victim(const struct replacement *r, uint64_t set, const uint64_t *kept)
{
    const uint64_t *stamp = (const uint64_t *)r->state + set * r->ways;
    uint32_t way = stamp_groups(r->ways) ? stamps_least_of_groups(r, set, stamp) : stamps_first_least(stamp, r->ways);
    return replacement_is_kept(kept, way) ? stamps_least_free(stamp, r->ways, kept) : way;
}

#endif
