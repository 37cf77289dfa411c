/* Launch units of a trace (units, for short), one after the other: on any machine no launch or copy of a unit begins
 * before those of earlier units have ended.
 *
 * Consider the launches between two synchronisations of the whole device. If they are in one stream, each is a unit,
 * with the host's operations before it. If they are in several streams, they form one unit. Streams that only copy
 * count if copies take time.
 */
#ifndef REPRISE_REPLAY_BASE_UNITS_H
#define REPRISE_REPLAY_BASE_UNITS_H

#include "replay/base/machine.h"
#include "replay/base/map.h"
#include "tracefmt/reader.h"

struct launch_unit {
    uint32_t launch, end;           /* the first launch, and the one after the last */
    size_t operation, until;        /* the same for operations of the host */
    const struct map *non_blocking; /* non-blocking streams of the trace */
};

struct launch_units {
    struct launch_unit *list; /* ascending; malloced */
    uint32_t count;
    struct map non_blocking;
};

/* False: out of memory. */
bool launch_units(struct launch_units *, const struct rp_trace *, const struct machine *, struct rp_error *);
void launch_units_free(struct launch_units *);
/* The index of the first operation of the host that comes after so many launches; the number of operations if none
 * does. */
size_t operations_after(const struct rp_trace *, uint32_t launches);

#endif
