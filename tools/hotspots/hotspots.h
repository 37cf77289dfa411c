/* The places where most cycles of a replay go, and where two replays differ most. */
#ifndef REPRISE_TOOLS_HOTSPOTS_HOTSPOTS_H
#define REPRISE_TOOLS_HOTSPOTS_HOTSPOTS_H

#include "tools/hotspots/places.h"
#include "tools/ui/table.h"

/* The sub-core cycles of a replay by place. Those of all rows and `idle` add up to `cycles` x `subcores`, except for
 * rounding if `cycles` is a mean over processors. A place's cycles divided by the number of sub-cores are its part of
 * the replay's cycles. */
struct hotspots {
    const struct places *places;
    struct profile_row *rows; /* by place */
    uint64_t cycles, subcores, idle;
    int64_t subcores_per_sm;
    bool one_at_a_time; /* the pipeline is one-at-a-time: all cycles of a sub-core belong to the instruction that it
                           executes */
    bool cores;         /* of a machine of kind `cores`: rows have misses */
};
/* Sums up the profile of a replay that has ended after this many cycles. The rows are a copy. */
bool hotspots_sum(struct hotspots *, const struct places *, const struct profile *, uint64_t cycles,
                  const struct machine *, struct rp_error *);
void hotspots_free(struct hotspots *);

/* top: the number of places to print, the hottest first; the others are summed up. CSV and JSON: all places. */
void hotspots_print(const struct hotspots *, size_t top, struct source_files *);
void hotspots_print_csv(const struct hotspots *, const struct csv_origin *, size_t top, struct source_files *);
/* {"by", "cycles", "subcores", "idle", "places": [{..., "issued", "threads", "subcore_cycles", "stall": {...}}],
 * "others": {...}}. "others" has the members of a place's counts, without those that name a place. */
json_t *hotspots_json(const struct hotspots *, size_t top, struct source_files *);

/* How the cycles of places change from one replay to another of the same trace; both have the same places. The largest
 * changes come first, and the rest is summed up. All rows add up to the difference of the replays' cycles. */
void difference_print(const struct hotspots *from, const struct hotspots *to, size_t top, struct source_files *);
#define DIFFERENCE_CELLS (7 + 4 + STALL_COUNT)
void difference_csv_heading(struct table *);
/* Adds rows, each after the cells that `before` prints. */
void difference_csv(const struct hotspots *from, const struct hotspots *to, size_t top, struct source_files *,
                    void (*before)(void *, struct table *), void *data, struct table *);
json_t *difference_json(const struct hotspots *from, const struct hotspots *to, size_t top, struct source_files *);

#define EVERY SIZE_MAX
#define SHOWN 20 /* places by default */

#endif
