/* Sectors of caches that are never replaced while the launch lasts: since when each is sure to be there, and who may
 * have fetched it. Warps of a section are looked at one after the other, in any order, as the schedule is not known. */
#ifndef REPRISE_TOOLS_WCET_SECTORS_H
#define REPRISE_TOOLS_WCET_SECTORS_H

#include <stdint.h>

#include "tracefmt/error.h"

struct wcet_sector {
    uint64_t number; /* address / bytes of a sector + 1; 0: a free place of the table */
    uint32_t cache;
    /* Asked for in this visit, the run of one warp through one section: at the latest there at `time` of the warp's own
     * clock in isolation (UINT64_MAX: asked for by the access at hand), and on chains of latencies at `chain`. */
    uint64_t visit, time, chain;
    /* Asked for in this section, the first of its block; there when the next begins, and on chains at `since`. */
    uint64_t section, since;
    /* Fetched in this section, perhaps: by `fetcher` or, several, by some other. */
    uint64_t fetch_section;
    uint32_t fetcher;
    bool several, counted; /* counted: among the fetches of the launch */
};

struct wcet_sectors {
    struct wcet_sector *table;
    uint64_t count, capacity;
};

/* The sector with this number in this cache, new if need be; pointers hold until the next wcet_sectors_reserve. */
struct wcet_sector *wcet_sectors_find(struct wcet_sectors *, uint32_t cache, uint64_t number);
/* Room for `more` new ones. */
bool wcet_sectors_reserve(struct wcet_sectors *, uint64_t more, struct rp_error *);
void wcet_sectors_free(struct wcet_sectors *);

#endif
