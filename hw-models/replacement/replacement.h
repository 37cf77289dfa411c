/* Replacement policies: which way of a set is replaced. They serve caches of data, of instructions and of constants,
 * and TLBs.
 *
 * The owner of the sets finds lines and fills empty ways. It asks for a victim only if every way holds a line. It gives
 * a bit for each way that may not be replaced, such as a line that waits for data.
 *
 * A policy is one file that ends in one const struct, and one line in policies.def. Its state changes only by the calls
 * below, and random numbers come from the state alone: the same calls give the same victims.
 */
#ifndef REPRISE_HW_MODELS_REPLACEMENT_H
#define REPRISE_HW_MODELS_REPLACEMENT_H

#include "hw-models/model.h"

/* The eviction priority that an instruction gives a line (PTX ISA, "Cache Operators": .cs, .lu, and "Cache Eviction
 * Priority Hints"). FIRST: it is replaced before the others; LAST: after them; SAME: its rank stays as it is. */
enum cache_hint { CACHE_HINT_NONE, CACHE_HINT_FIRST, CACHE_HINT_LAST, CACHE_HINT_SAME };

/* The sets of one cache, for the functions of a policy. */
struct replacement {
    const struct replacement_policy *policy;
    void *state; /* the policy's, aligned to 8 bytes */
    uint64_t sets;
    uint32_t ways;
};

struct replacement_policy {
    const char *name;
    size_t (*state_size)(uint64_t sets, uint32_t ways); /* bytes; zeroed before reset sees them */
    void (*reset)(const struct replacement *);          /* NULL: zeroes will do */
    /* NULL, or: the line in this way is used again. `time` never decreases from call to call in one set. Uses at the
     * same time have no order among themselves. `hint` is not SAME. */
    void (*use)(const struct replacement *, uint64_t set, uint32_t way, uint64_t time, enum cache_hint hint);
    /* NULL, or: a line comes into this way. */
    void (*fill)(const struct replacement *, uint64_t set, uint32_t way, uint64_t time, enum cache_hint hint);
    /* Returns the way to replace; it is filled next. `kept`: a bit for each way that may not be replaced, 64 ways in a
     * number; at least one may be. NULL: all may be. */
    uint32_t (*victim)(const struct replacement *, uint64_t set, const uint64_t *kept);
};

enum {
#define POLICY(name, help) REPLACEMENT_##name,
#include "hw-models/replacement/policies.def"
#undef POLICY
    REPLACEMENT_COUNT
};

#define POLICY(name, help) extern const struct replacement_policy replacement_##name;
#include "hw-models/replacement/policies.def"
#undef POLICY

extern const struct replacement_policy *const replacement_policies[REPLACEMENT_COUNT];
extern const char *const replacement_names[REPLACEMENT_COUNT + 1]; /* NULL-terminated */

extern const char replacement_help[];

/* The option row of a model whose lines a policy replaces. */
#define REPLACEMENT_OPTION(key)                                                                                        \
    {                                                                                                                  \
        key, OPTION_CHOICE, "", 0, REPLACEMENT_COUNT - 1, REPLACEMENT_lru, replacement_names, replacement_help         \
    }

/* Bytes of state of the policy that the option names, a multiple of 8. */
static inline size_t replacement_size(int64_t option, uint64_t sets, uint32_t ways)
{
    return (replacement_policies[option]->state_size(sets, ways) + 7) / 8 * 8;
}

/* `state` has replacement_size() bytes; they are cleared. */
void replacement_begin(struct replacement *, void *state, int64_t option, uint64_t sets, uint32_t ways);

/* ---- ways as bits ------------------------------------------------------------------------------------------------ */

static inline uint32_t replacement_words(uint32_t ways) { return (ways + 63) / 64; }

static inline bool replacement_is_kept(const uint64_t *kept, uint32_t way)
{
    return kept && kept[way / 64] >> way % 64 & 1;
}

/* The ways that may be replaced, of 64 × word and the next 63. */
static inline uint64_t replacement_free(const uint64_t *kept, uint32_t ways, uint32_t word)
{
    uint32_t rest = ways - 64 * word;
    return ~(kept ? kept[word] : 0) & (rest < 64 ? (1ull << rest) - 1 : UINT64_MAX);
}

static inline bool replacement_any_free(const uint64_t *kept, uint32_t ways)
{
    for (uint32_t word = 0; word < replacement_words(ways); word++)
        if (replacement_free(kept, ways, word))
            return true;
    return false;
}

/* The first way from `from` on, going round, that may be replaced. */
static inline uint32_t replacement_next_free(const uint64_t *kept, uint32_t ways, uint32_t from)
{
    while (replacement_is_kept(kept, from))
        from = from + 1 < ways ? from + 1 : 0;
    return from;
}

/* ---- calls ------------------------------------------------------------------------------------------------------- */

/* Policies that go by time keep a stamp for each way. Stamps of lines with hint FIRST are below all others, stamps of
 * lines with hint LAST above them. Times are below 2^61.
 *
 * Large sets have a bound for each group of ways, too, behind the stamps of all sets: no stamp of the group is less. So
 * nearly all groups can be passed over in search of the least stamp. */
#define STAMP_GROUP 16u
static inline uint32_t stamp_groups(uint32_t ways)
{
    return ways > STAMP_GROUP ? (ways + STAMP_GROUP - 1) / STAMP_GROUP : 0;
}
static inline uint64_t *stamp_bounds(const struct replacement *r, uint64_t set)
{
    return (uint64_t *)r->state + r->sets * r->ways + set * stamp_groups(r->ways);
}

static inline void replacement_stamp(const struct replacement *r, uint64_t set, uint32_t way, uint64_t time,
                                     enum cache_hint hint)
{
    uint64_t rank = hint == CACHE_HINT_FIRST ? 0 : hint == CACHE_HINT_LAST ? 2 : 1, stamp = rank << 61 | time;
    ((uint64_t *)r->state)[set * r->ways + way] = stamp;
    if (!stamp_groups(r->ways))
        return;
    uint64_t *bound = &stamp_bounds(r, set)[way / STAMP_GROUP];
    *bound = stamp < *bound ? stamp : *bound;
}

/* Called at each access. Nearly all caches are LRU, which is inlined here. */
static inline void replacement_use(const struct replacement *r, uint64_t set, uint32_t way, uint64_t time,
                                   enum cache_hint hint)
{
    if (hint == CACHE_HINT_SAME)
        return;
    if (r->policy == &replacement_lru)
        replacement_stamp(r, set, way, time, hint);
    else if (r->policy->use)
        r->policy->use(r, set, way, time, hint);
}

static inline void replacement_fill(const struct replacement *r, uint64_t set, uint32_t way, uint64_t time,
                                    enum cache_hint hint)
{
    if (r->policy->fill)
        r->policy->fill(r, set, way, time, hint);
}

#endif
