/* Checks the bounds against replays. */
#include <inttypes.h>

#include "tools/wcet/attack.h"

static bool within(const struct wcet_bounds *b, uint64_t cycles, const char *verb, const char *schedule,
                   struct rp_error *err)
{
    return cycles <= b->unit_bound ||
           rp_fail(err, RP_SYSTEM,
                   "launch %" PRIu32 " %s %" PRIu64 " cycles under %s, which is beyond its bound of %" PRIu64
                   ": this is a defect of reprise, please report it with the trace and the machine",
                   b->launch, verb, cycles, schedule, b->unit_bound);
}

bool wcet_holds(const struct wcet_result *r, const struct wcet_attack *attacks, struct rp_error *err)
{
    for (size_t i = 0; i < r->count; i++) {
        const struct wcet_launch *l = &r->launches[i];
        if (!within(&l->bounds, l->bounds.exact, "takes", "the worst of all schedules", err))
            return false;
        for (size_t p = 0; p < r->policies.count; p++)
            if (!within(&l->bounds, l->cycles[p], "took", r->policies.names[p], err))
                return false;
        if (attacks && !within(&l->bounds, attacks[i].longest, "took", attacks[i].schedule, err))
            return false;
    }
    return true;
}
