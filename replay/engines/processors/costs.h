/* What instructions cost on a processor. */
#ifndef REPRISE_REPLAY_ENGINES_PROCESSORS_COSTS_H
#define REPRISE_REPLAY_ENGINES_PROCESSORS_COSTS_H

#include "replay/engines/processors/processors.h"

#define COST_ACCESSES                                                                                                  \
    16 /* sampled accesses of one instruction: texels of a filter in three dimensions on two levels                    \
        */

/* The cost of an instruction with sampled accesses: all that it depends on, but for the samples. */
struct sampled_cost {
    uint64_t least; /* the least cost before latency is added: initiation, and accesses that are not sampled */
    uint32_t latency, unit, accesses;
    struct sampled_access access[COST_ACCESSES];
};

/* What the costs of the instructions of a launch depend on. */
struct costs {
    const struct machine *machine;
    const struct stochastic *sampled;
    const struct rp_launch *launch;
    const struct rp_kernel *kernel;
};

/* Whether the step takes no time and is no instruction of its processor. */
static inline bool costs_nothing(const struct costs *c, const struct rp_instruction *in)
{
    return !c->machine->issue_exit && is_plain_exit(in);
}
/* Computes the cost of the step. True: it has sampled accesses, *cost is complete, and its transactions are counted.
 * False: cost->least is its whole cost. */
bool cost_of_step(const struct costs *, const struct rp_step *, struct sampled_cost *cost, struct statistics *count,
                  struct rp_error *, bool *failed);

/* Mean and variance of a sampled cost. */
void cost_moments(const struct stochastic *, const struct sampled_cost *, double *mean, double *variance);

#endif
