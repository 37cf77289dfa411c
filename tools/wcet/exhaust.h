/* The exact longest time of a launch under any work-conserving scheduler, by an exhaustive search over all schedules
 * (docs/wcet-proofs.md, "Exact, for small launches"). For small launches that paths.h supports. */
#ifndef REPRISE_TOOLS_WCET_EXHAUST_H
#define REPRISE_TOOLS_WCET_EXHAUST_H

#include "tools/wcet/analysis.h"

/* The largest number of states to search: for a launch, and for all launches together. */
struct wcet_states_budget {
    uint64_t launch, all;
};
/* A state grows with the number of warps and of their results in flight: one with more fields than this counts as
 * several. */
#define WCET_STATE_FIELDS 128
/* The default: at most tenths of a second for a launch, and seconds in all. */
#define WCET_STATES_BUDGET ((struct wcet_states_budget){200000, 10000000})

struct wcet_exact {
    uint64_t cycles; /* from the launch's first cycle to its last result; 0: not known */
    uint64_t states; /* found; without a figure: before it gave up */
    bool too_many;   /* there is no figure because there are more states or instructions than allowed */
    bool stopped;    /* there is none because a signal asks the program to end (tools/lib/interrupt.h) */
};

/* Subtracts the states that it searches from *left, and gives up when none are left; does not begin with a launch that
 * has more instructions than that. False: failure; an unknown figure is no failure. Calls only `searched` of the watch.
 */
bool wcet_exhaust(struct rp_trace *, uint32_t launch, const struct machine *, unsigned extensions,
                  struct wcet_states_budget *left, const struct wcet_watch *, struct wcet_exact *, struct rp_error *);

#endif
