/* Sectors of caches that are not replaced before the launch ends: when each is certain to be present, and which warp
 * may have fetched it. Warps of a section are analysed one after the other, in any order, as the schedule is not known.
 */
#ifndef REPRISE_TOOLS_WCET_SECTORS_H
#define REPRISE_TOOLS_WCET_SECTORS_H

#include <stdint.h>

#include "tracefmt/error.h"

struct wcet_sector {
    uint64_t number; /* address / bytes of a sector + 1; 0: a free entry of the table */
    uint32_t cache;
    /* The last visit that requested it; a visit is one warp's run through one section. It is present at `time` at the
     * latest, on the warp's own clock in isolation (UINT64_MAX: the present access requests it), and at `chain` along
     * chains of latencies. */
    uint64_t visit, time, chain;
    /* The first section of the block that requested it. It is present when the next section begins, and at `since`
     * along chains of latencies. */
    uint64_t section, since;
    /* The section in which it may be fetched, by warp `fetcher` or, if `several`, also by others. */
    uint64_t fetch_section;
    uint32_t fetcher;
    bool several, counted; /* counted: its fetch is in the sum of the launch */
};

struct wcet_sectors {
    struct wcet_sector *table;
    uint64_t count, capacity;
};

/* The sector with this number in this cache, which is added if there is none. Pointers are valid until the next
 * wcet_sectors_reserve. */
struct wcet_sector *wcet_sectors_find(struct wcet_sectors *, uint32_t cache, uint64_t number);
/* Makes room for `more` new sectors. */
bool wcet_sectors_reserve(struct wcet_sectors *, uint64_t more, struct rp_error *);
void wcet_sectors_free(struct wcet_sectors *);

#endif
