/* The adversary: looks for schedules that come close to a bound, or break it.
 *
 * Every try is a replay under some work-conserving scheduler. The known policies come first, then schedules of
 * scheduler "levels" that starve one warp. From there on it is a hill climb over the levels of the warps, the order
 * within a level and the stretch of a section in which the levels hold; levels are of slots, those of all blocks that a
 * sub-core holds at once (the first 63 of them): a neighbour of the best such schedule so far is
 * kept if it takes no less time; every fourth try is a fresh draw, of levels or of scheduler "random", so that the
 * climb can begin elsewhere. The same launch, machine and number of tries give the same answer. */
#ifndef REPRISE_TOOLS_WCET_ATTACK_H
#define REPRISE_TOOLS_WCET_ATTACK_H

#include "tools/wcet/compare.h"

struct wcet_attack {
    uint64_t schedules; /* tried */
    uint64_t longest;   /* cycles */
    char schedule[192]; /* the settings that take that long: "key=value key=value" */
};

/* Tries `count` schedules on the launch of which these are the bounds; shows its progress unless `quiet`. */
bool wcet_attack(struct rp_trace *, const struct wcet_bounds *, const struct machine_args *, uint64_t count, bool quiet,
                 struct wcet_attack *, struct rp_error *);

/* False, with a message: some replay, a schedule of `attacks` (NULL, or one per launch), or the exact worst case is
 * beyond the unit-aware bound, so one of the two is wrong. */
bool wcet_holds(const struct wcet_result *, const struct wcet_attack *attacks, struct rp_error *);

#endif
