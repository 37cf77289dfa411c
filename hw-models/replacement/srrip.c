/* Static re-reference interval prediction with hit priority and 2 bits (Jaleel, Theobald, Steely, Emer, "High
 * Performance Cache Replacement Using Re-Reference Interval Prediction (RRIP)", ISCA 2010: SRRIP-HP, M = 2).
 *
 * Each line has a prediction from 0 (soon used again) to 3 (late). A new line has 2, and a use sets it to 0. The victim
 * is the lowest way with 3. If none has 3, all predictions of the set grow by one until one has. Predictions of lines
 * that may not be replaced grow too, up to 3. Not in the paper: a line with hint FIRST has 3, and a new line with hint
 * LAST has 0.
 */
#include "hw-models/replacement/replacement.h"

enum { SOON = 0, LONG = 2, LATE = 3 };

static size_t state_size(uint64_t sets, uint32_t ways) { return sets * ways; }

static void predict(const struct replacement *r, uint64_t set, uint32_t way, enum cache_hint hint, uint8_t otherwise)
{
    uint8_t value = hint == CACHE_HINT_FIRST ? LATE : hint == CACHE_HINT_LAST ? SOON : otherwise;
    ((uint8_t *)r->state)[set * r->ways + way] = value;
}

static void use(const struct replacement *r, uint64_t set, uint32_t way, uint64_t time, enum cache_hint hint)
{
    (void)time;
    predict(r, set, way, hint, SOON);
}

static void fill(const struct replacement *r, uint64_t set, uint32_t way, uint64_t time, enum cache_hint hint)
{
    (void)time;
    predict(r, set, way, hint, LONG);
}

static uint32_t victim(const struct replacement *r, uint64_t set, const uint64_t *kept)
{
    uint8_t *prediction = (uint8_t *)r->state + set * r->ways;
    uint32_t way = replacement_next_free(kept, r->ways, 0);
    for (uint32_t w = way + 1; w < r->ways; w++)
        if (prediction[w] > prediction[way] && !replacement_is_kept(kept, w))
            way = w;
    unsigned older = LATE - prediction[way];
    for (uint32_t w = 0; older && w < r->ways; w++)
        prediction[w] = (uint8_t)(prediction[w] + older < LATE ? prediction[w] + older : LATE);
    return way;
}

const struct replacement_policy replacement_srrip = {
    .name = "srrip",
    .state_size = state_size,
    .use = use,
    .fill = fill,
    .victim = victim,
};
