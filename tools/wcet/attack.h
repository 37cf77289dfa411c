/* The adversary: looks for schedules that come close to a bound, or break it.
 *
 * Each try is a replay under some work-conserving scheduler. The known policies come first, then schedules of scheduler
 * "levels" that starve one warp. Then follows hill climbing over schedules of "levels": the levels of the warp slots,
 * the order within a level, and the part of a section in which the levels hold. The slots are those of all blocks that
 * a sub-core holds at a time, up to the first 63. A neighbour of the best schedule so far is kept if it takes at least
 * as long. Each fourth try is sampled afresh, with "levels" or with scheduler "random", so that the climb can begin
 * elsewhere. The same launch, machine and number of tries give the same result. */
#ifndef REPRISE_TOOLS_WCET_ATTACK_H
#define REPRISE_TOOLS_WCET_ATTACK_H

#include "tools/wcet/compare.h"

struct wcet_attack {
    uint64_t schedules; /* tried */
    uint64_t longest;   /* cycles */
    char schedule[192]; /* the settings of the longest schedule: "key=value key=value" */
};

/* Tries `count` schedules on the launch that has these bounds; shows its progress unless `quiet`. */
bool wcet_attack(struct rp_trace *, const struct wcet_bounds *, const struct machine_args *, uint64_t count, bool quiet,
                 struct wcet_attack *, struct rp_error *);

/* Checks that no replay, no schedule of `attacks` (NULL, or one per launch) and no exact worst case takes longer than
 * the unit-aware bound. False, with a message: one does, so one of the two is wrong. */
bool wcet_holds(const struct wcet_result *, const struct wcet_attack *attacks, struct rp_error *);

#endif
