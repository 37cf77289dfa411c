/* The two ways to compute a launch on processors. */
#ifndef REPRISE_REPLAY_ENGINES_PROCESSORS_INSIDE_H
#define REPRISE_REPLAY_ENGINES_PROCESSORS_INSIDE_H

#include "replay/engines/processors/costs.h"

struct processors_launch {
    struct rp_trace *trace;
    uint32_t number;
    uint64_t blocks; /* to replay: those that the trace holds */
    struct costs costs;
    struct processors processors;
    struct random_source random;
    unsigned threads;             /* 0: one */
    const struct engine_job *job; /* NULL, or gets progress and events */
};

/* step.c: steps processors from instruction to instruction, as the scheduler picks them. Adds to *s. */
bool processors_step(const struct processors_launch *, struct statistics *s, struct rp_error *);
/* sums.c: batches first .. first + count - 1 in one pass over the trace. Adds to totals[0 .. count - 1], and to *exact
 * unless it is NULL; count may be 0 then. */
bool processors_sum(const struct processors_launch *, uint32_t first, uint32_t count, struct statistics *totals,
                    struct engine_exact *exact, struct rp_error *);

/* processors.c: the launch's cycles, from the times of the replayed processors. */
uint64_t processors_measure(const struct machine *, const uint64_t *time, uint64_t count);
/* Adds to *s what follows from the times of the replayed processors: cycles, idle_cycles, warp_cycles, sm_cycles. */
void processors_close(const struct machine *, const struct processors *, const uint64_t *time, struct statistics *s);

#endif
