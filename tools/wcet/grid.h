/* Tables 3 and 4 of the paper for a set of traces: overestimation by values of a machine option and by policies. */
#ifndef REPRISE_TOOLS_WCET_GRID_H
#define REPRISE_TOOLS_WCET_GRID_H

#include "tools/wcet/compare.h"

struct wcet_grid {
    char *key;    /* a machine option, or "latency": of global and local memory */
    char *values; /* separated by commas; ranges such as 1..4 */
    struct wcet_policies policies;
    unsigned extensions;
    struct wcet_states_budget exhaust; /* for each value of the key */
    bool json, csv, quiet;
};

/* Parses "key=a,b,c", an axis, and changes the text. The key "policy" is the other axis. */
bool wcet_grid_axis(struct wcet_grid *, char *text, struct rp_error *);
/* Analyses and replays all traces for each value, and prints the table. Returns the exit status. */
int wcet_grid_run(const struct wcet_grid *, const struct machine_args *, const char *const *traces, size_t count);

#endif
