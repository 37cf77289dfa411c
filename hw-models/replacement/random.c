/* A random line, or the next one after it that may be replaced. Each cache has a random stream of its own; all begin
 * with the same state, and advance with each victim. Multiplier and increment are Knuth's for MMIX. */
#include "hw-models/replacement/replacement.h"

static size_t state_size(uint64_t sets, uint32_t ways)
{
    (void)sets;
    (void)ways;
    return sizeof(uint64_t);
}

static void reset(const struct replacement *r) { *(uint64_t *)r->state = 0x9e3779b97f4a7c15; }

static uint32_t victim(const struct replacement *r, uint64_t set, const uint64_t *kept)
{
    uint64_t *last = r->state;
    (void)set;
    *last = *last * 6364136223846793005u + 1442695040888963407u;
    return replacement_next_free(kept, r->ways, (uint32_t)((*last >> 33) % r->ways));
}

const struct replacement_policy replacement_random = {
    .name = "random",
    .state_size = state_size,
    .reset = reset,
    .victim = victim,
};
