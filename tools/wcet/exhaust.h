/* The longest time that a launch takes under any work-conserving scheduler, exactly, by going through all of them
 * (docs/wcet.md, "Exact, for small launches"): for launches that are small enough and that paths.h covers. */
#ifndef REPRISE_TOOLS_WCET_EXHAUST_H
#define REPRISE_TOOLS_WCET_EXHAUST_H

#include "tools/wcet/analysis.h"

/* How many states to go through: for a launch, and for all launches together. */
struct wcet_states_budget {
    uint64_t launch, all;
};
/* What a state takes grows with the warps and with the results that each has under way: one of more than so many fields
 * counts as several. */
#define WCET_STATE_FIELDS 128
/* Unless somebody says otherwise: tenths of a second at most, and seconds in all. */
#define WCET_STATES_BUDGET ((struct wcet_states_budget){200000, 10000000})

struct wcet_exact {
    uint64_t cycles; /* from the launch's first cycle to its last result; 0: not known */
    uint64_t states; /* that were found; with no figure, until it gave up */
    bool too_many;   /* there is no figure because the states, or the instructions, are more than there may be */
};

/* Gives up beyond the states that are left, of which it takes its own, and does not begin with a launch of more
 * instructions. False: failure; that nothing is known is none. Of the watch, only `searched` is called. */
bool wcet_exhaust(struct rp_trace *, uint32_t launch, const struct machine *, unsigned extensions,
                  struct wcet_states_budget *left, const struct wcet_watch *, struct wcet_exact *, struct rp_error *);

#endif
