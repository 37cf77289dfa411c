/* The places where most cycles of a replay go, and where two replays differ most. */
#ifndef REPRISE_TOOLS_HOTSPOTS_HOTSPOTS_H
#define REPRISE_TOOLS_HOTSPOTS_HOTSPOTS_H

#include "tools/hotspots/places.h"
#include "tools/ui/table.h"

/* A replay by places. Cycles of sub-cores add up: those of all rows and `idle` are `cycles` × `subcores`, but for
 * rounding where `cycles` are a mean over processors. Divided by the number of sub-cores they are a place's part of the
 * replay's cycles. */
struct hotspots {
    const struct places *places;
    struct profile_row *rows; /* of each place */
    uint64_t cycles, subcores, idle;
    int64_t subcores_per_sm;
    bool one_at_a_time; /* an instruction's whole time is its own: the pipeline's */
};
/* Of a replay that is over and took so many cycles. With rows of its own. */
bool hotspots_sum(struct hotspots *, const struct places *, const struct profile *, uint64_t cycles,
                  const struct machine *, struct rp_error *);
void hotspots_free(struct hotspots *);

/* `top`: how many places, the hottest first; the others are summed up. In CSV and JSON: all. */
void hotspots_print(const struct hotspots *, size_t top, struct source_files *);
void hotspots_print_csv(const struct hotspots *, size_t top, struct source_files *);
/* {"by", "cycles", "subcores", "idle", "places": [{..., "issued", "threads", "subcore_cycles", "stall": {...}}],
 * "others": {...}}, the last one without a place. */
json_t *hotspots_json(const struct hotspots *, size_t top, struct source_files *);

/* What changes from one replay to another of the same trace, both by the same places, in cycles of the replays: those
 * that change most first, and the others summed up. All rows add up to the difference of the cycles. */
void difference_print(const struct hotspots *from, const struct hotspots *to, size_t top, struct source_files *);
#define DIFFERENCE_CELLS (7 + 4 + STALL_COUNT)
void difference_csv_heading(struct table *);
/* Adds rows, each after the cells that `before` prints. */
void difference_csv(const struct hotspots *from, const struct hotspots *to, size_t top, struct source_files *,
                    void (*before)(void *, struct table *), void *data, struct table *);
json_t *difference_json(const struct hotspots *from, const struct hotspots *to, size_t top, struct source_files *);

#define EVERY SIZE_MAX
#define SHOWN 20 /* places, unless told otherwise */

#endif
