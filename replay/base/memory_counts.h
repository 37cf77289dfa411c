/* Statistics of the memory system's components, one table each: X(field, unit, definition). A component counts its own
 * events. Names, sums, output and docs/statistics.md come from the table.
 *
 * Counters that a device memory model has beside these are rows of the model (hw-models/model.h). A launch has their
 * sums over all channels, in an array that has room for any model. So statistics stay an array of numbers. The number
 * of channels depends on the machine: counts of single channels are kept for the whole result only (struct
 * replay_result).
 */
#ifndef REPRISE_REPLAY_BASE_MEMORY_COUNTS_H
#define REPRISE_REPLAY_BASE_MEMORY_COUNTS_H

#include <stdint.h>

#include "hw-models/model.h"

#define ICACHE_COUNTS(X)                                                                                               \
    X(hits, "instructions", "fetched instructions whose line was in the instruction cache or in flight")               \
    X(misses, "instructions", "fetched instructions whose line was not in the instruction cache")

#define CONSTANT_COUNTS(X)                                                                                             \
    X(hits, "words", "words of constants and parameters whose line was in the constant cache or in flight")            \
    X(misses, "words", "words of constants and parameters whose line was not in the constant cache")

#define CACHE_COUNTS(X)                                                                                                \
    X(hits, "transactions", "transactions whose sector was in this cache or in flight")                                \
    X(misses, "transactions", "transactions that looked in this cache and did not find their sector")                  \
    X(fetches, "transactions",                                                                                         \
      "misses, but for writes, whose sector was not on its way either: this cache fetched it")                         \
    X(written_back, "sectors", "dirty sectors of lines that this cache replaced")

#define PORT_COUNTS(X)                                                                                                 \
    X(requests, "requests", "requests that left an SM for L2 or device memory, each for up to `port.sectors` sectors")

#define TLB_COUNTS(X)                                                                                                  \
    X(hits, "requests", "requests that left an SM whose translation was in the SM's TLB or in flight")                 \
    X(misses, "requests", "requests that left an SM whose translation was not in the SM's TLB")                        \
    X(l2_hits, "requests", "misses of SMs whose translation was in the TLB that all share or in flight")               \
    X(walks, "walks", "of page tables")                                                                                \
    X(waited, "cycles", "that requests waited for their translation, summed over requests")

#define DRAM_COUNTS(X)                                                                                                 \
    X(accesses, "transactions", "reads and writes of device memory, write-backs included")                             \
    X(writes, "transactions", "the writes among them, atomics done there included")

#define COUNT_FIELD(field, unit, definition) uint64_t field;
struct icache_counts {
    ICACHE_COUNTS(COUNT_FIELD)
};
struct constant_counts {
    CONSTANT_COUNTS(COUNT_FIELD)
};
struct cache_counts {
    CACHE_COUNTS(COUNT_FIELD)
};
struct port_counts {
    PORT_COUNTS(COUNT_FIELD)
};
struct tlb_counts {
    TLB_COUNTS(COUNT_FIELD)
};
struct dram_counts {
    DRAM_COUNTS(COUNT_FIELD)
};
#undef COUNT_FIELD

/* The counts of a chip, summed over the instances of each component; rows in replay/base/statistics.c. */
struct memory_counts {
    struct icache_counts icache;
    struct constant_counts constants;
    struct cache_counts l1, l2;
    struct port_counts port;
    struct tlb_counts tlb;
    struct dram_counts dram;
    uint64_t dram_counters[MODEL_MOST_COUNTERS]; /* in the order of the model's rows: "dram.counters.NAME" */
};

/* Adds the counts of a channel's model to the sums of all channels and to those of the channel, and resets them. */
static inline void move_counters(uint64_t *from, unsigned count, uint64_t *sums, uint64_t *channel)
{
    for (unsigned i = 0; i < count; i++) {
        sums[i] += from[i];
        channel[i] += from[i];
        from[i] = 0;
    }
}

#endif
