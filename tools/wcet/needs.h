/* What keeps a launch on a machine from having a bound: all of it at once, with the settings that mend it.
 *
 * A setting makes another machine. A bound for that machine says nothing of the first one, unless each setting makes it
 * slower, which nobody proves here. An assumption (enum wcet_extension) changes no machine: it only goes beyond what
 * the paper proves. */
#ifndef REPRISE_TOOLS_WCET_NEEDS_H
#define REPRISE_TOOLS_WCET_NEEDS_H

#include "tools/wcet/model.h"

#define WCET_MOST_NEEDS 64

struct wcet_need {
    char what[120];    /* what is not covered: "lsu.queue = 32" */
    char settings[96]; /* "l2_tlb=none tlb=none"; empty: no setting mends it */
};

struct wcet_needs {
    struct wcet_need list[WCET_MOST_NEEDS];
    size_t count;
    unsigned assumed, missing; /* a bit per enum wcet_extension: all that it needs, and those that were not given */
};

/* Finds all that the launch needs on this machine. */
void wcet_needs_find(struct wcet_needs *, const struct machine *, const struct rp_kernel *, const struct rp_launch *,
                     unsigned extensions);
static inline bool wcet_needs_nothing(const struct wcet_needs *n) { return !n->count && !n->missing; }
/* The machine that is this one for bounds: its file begins with the comment "NAME for bounds". False: there is none. */
#define WCET_MACHINE_NAME 64
bool wcet_machine_for_bounds(const struct machine *, char name[WCET_MACHINE_NAME]);
/* Fills *err with RP_BAD_INPUT and all of them, and what to do: another machine, if there is one for bounds; else the
 * settings and the assumptions. Returns false. */
bool wcet_needs_fail(const struct wcet_needs *, const struct machine *, struct rp_error *);

#endif
