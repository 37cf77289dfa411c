/* The longest time that a launch takes under any work-conserving scheduler, exactly, by going through all of them
 * (docs/wcet.md, "Exact, for small launches"): for launches that are small enough and that paths.h covers. */
#ifndef REPRISE_TOOLS_WCET_EXHAUST_H
#define REPRISE_TOOLS_WCET_EXHAUST_H

#include "tools/wcet/analysis.h"

#define WCET_EXHAUST_STATES 200000 /* unless somebody says otherwise: tenths of a second at most */

struct wcet_exact {
    uint64_t cycles; /* from the launch's first cycle to its last result; 0: not known */
    uint64_t states; /* that were found; with no figure, until it gave up */
};

/* Gives up beyond `budget` states, and does not begin with a launch of more instructions. False: failure; that nothing
 * is known is none. Of the watch, only `searched` is called. */
bool wcet_exhaust(struct rp_trace *, uint32_t launch, const struct machine *, unsigned extensions, uint64_t budget,
                  const struct wcet_watch *, struct wcet_exact *, struct rp_error *);

#endif
