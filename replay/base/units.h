/* Units of a trace, one after the other: no launch or copy of a unit begins before all of earlier units have ended,
 * whatever the machine.
 *
 * Between two synchronisations of the whole device, launches of a single stream are units of their own, each with the
 * host's operations before it; with several streams they are one unit together. Where copies take no time, only the
 * streams of launches count.
 */
#ifndef REPRISE_REPLAY_BASE_UNITS_H
#define REPRISE_REPLAY_BASE_UNITS_H

#include "replay/base/machine.h"
#include "replay/base/map.h"
#include "tracefmt/reader.h"

struct launch_unit {
    uint32_t launch, end;           /* the first launch, and the first that is not the unit's */
    size_t operation, until;        /* the same for operations of the host */
    const struct map *non_blocking; /* the streams that are */
};

struct launch_units {
    struct launch_unit *list; /* ascending; malloced */
    uint32_t count;
    struct map non_blocking;
};

/* False: out of memory. */
bool launch_units(struct launch_units *, const struct rp_trace *, const struct machine *, struct rp_error *);
void launch_units_free(struct launch_units *);
/* The first of the trace's operations of the host that stands behind so many launches; how many there are: none. */
size_t operations_behind(const struct rp_trace *, uint32_t launches);

#endif
