/* What instructions cost on a processor. */
#ifndef REPRISE_REPLAY_ENGINES_PROCESSORS_COSTS_H
#define REPRISE_REPLAY_ENGINES_PROCESSORS_COSTS_H

#include "replay/engines/processors/processors.h"

#define COST_ACCESSES 16 /* that draw, of one instruction: texels of a filter in three dimensions on two levels */

/* An instruction that draws: all that its cost depends on, but for the draws. */
struct drawn_cost {
    uint64_t least; /* its cost before latency is not below: initiation, and what takes a time of its own */
    uint32_t latency, unit, accesses;
    struct draw_request access[COST_ACCESSES];
};

/* Where a launch's instructions take their costs from. */
struct costs {
    const struct machine *machine;
    const struct stochastic *drawn;
    const struct rp_launch *launch;
    const struct rp_kernel *kernel;
};

/* A step that takes no time, and is no instruction of its processor. */
static inline bool costs_nothing(const struct costs *c, const struct rp_instruction *in)
{
    return !c->machine->issue_exit && is_plain_exit(in);
}
/* The step's cost. Returns true if it draws: then all of *cost is filled in, and its transactions are counted. Else
 * cost->least is the whole of it. */
bool cost_of_step(const struct costs *, const struct rp_step *, struct drawn_cost *cost, struct statistics *count,
                  struct rp_error *, bool *failed);

/* Mean and variance of a drawn cost. */
void cost_moments(const struct stochastic *, const struct drawn_cost *, double *mean, double *variance);

#endif
