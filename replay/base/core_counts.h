/* What each core of a chip of many cores counts, one table: X(field, name, unit, definition). A launch has the sums
 * over its cores; a replay's result has each core's, too (struct replay_result).
 *
 * Every cycle of a launch is, for every core, one of the six kinds of `cores.cycles`, so that these add up to `cycles`
 * x cores. */
#ifndef REPRISE_REPLAY_BASE_CORE_COUNTS_H
#define REPRISE_REPLAY_BASE_CORE_COUNTS_H

#include <stddef.h>
#include <stdint.h>

#define CORE_COUNTS(X)                                                                                                 \
    X(instructions, "cores.instructions", "instructions",                                                              \
      "instructions of cores, those that a condition skips included: a cycle each")                                    \
    X(base, "cores.cycles.base", "core cycles", "the cycle that each instruction takes")                               \
    X(fetch, "cores.cycles.fetch", "core cycles", "that cores waited for instructions")                                \
    X(load, "cores.cycles.load", "core cycles", "that cores waited for loads")                                         \
    X(store, "cores.cycles.store", "core cycles", "that cores waited for stores and atomics")                          \
    X(barrier, "cores.cycles.barrier", "core cycles", "that cores waited at the barrier")                              \
    X(idle, "cores.cycles.idle", "core cycles", "of cores that had ended, or never had a program")                     \
    X(l1i_accesses, "l1i.accesses", "look-ups", "of instructions in cores' instruction caches: one for each line")     \
    X(l1i_misses, "l1i.misses", "look-ups", "that did not find their line")                                            \
    X(loads, "l1d.loads", "look-ups", "of loads in cores' data caches: one for each line of an access")                \
    X(load_misses, "l1d.load_misses", "look-ups", "of loads that did not find their line")                             \
    X(stores, "l1d.stores", "look-ups", "of stores and atomics, the same")                                             \
    X(store_misses, "l1d.store_misses", "look-ups", "of stores and atomics that did not find their line")              \
    X(upgrades, "l1d.upgrades", "look-ups", "of stores and atomics that found their line shared (msi only)")           \
    X(written_back, "l1d.written_back", "lines", "that cores wrote back: replaced, or asked for by another core")      \
    X(invalidations, "l1d.invalidations", "lines", "that cores lost because another one stored there (msi only)")      \
    X(downgrades, "l1d.downgrades", "lines", "that cores share since another one loaded them (msi only)")              \
    X(messages, "mesh.messages", "messages", "of cores, banks of L2 and channels; each counts for its core")           \
    X(hops, "mesh.hops", "hops", "of these messages, from tile to tile")

struct core_counts {
#define X(field, ...) uint64_t field;
    CORE_COUNTS(X)
#undef X
};

#define CORE_COUNT_WORDS (sizeof(struct core_counts) / sizeof(uint64_t))

/* "cores.cycles.base", by the position of its field. */
static inline const char *core_count_name(size_t word)
{
    static const char *const names[] = {
#define X(field, name, ...) name,
        CORE_COUNTS(X)
#undef X
    };
    return names[word];
}

static inline void core_counts_add(struct core_counts *to, const struct core_counts *from)
{
    for (size_t i = 0; i < CORE_COUNT_WORDS; i++)
        ((uint64_t *)to)[i] += ((const uint64_t *)from)[i];
}

#endif
