/* Looking for schedules that come close to a bound, or break it: the launch is replayed under random work-conserving
 * schedules, and seeds that did well are varied further. */
#ifndef REPRISE_TOOLS_WCET_ATTACK_H
#define REPRISE_TOOLS_WCET_ATTACK_H

#include "tools/wcet/compare.h"

struct wcet_attack {
    uint64_t schedules; /* tried */
    uint64_t longest;   /* cycles */
    char schedule[64];  /* the settings that take that long */
};

/* Tries `count` schedules on the launch. */
bool wcet_attack(struct rp_trace *, uint32_t launch, const struct machine_args *, uint64_t count, struct wcet_attack *,
                 struct rp_error *);

#endif
