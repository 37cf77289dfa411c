/* How engines take launches from the queue, and give their results back. */
#ifndef REPRISE_REPLAY_ENGINES_PERIOD_H
#define REPRISE_REPLAY_ENGINES_PERIOD_H

#include "replay/engines/engine.h"

#define ENGINE_NEVER UINT64_MAX

/* A launch on the machine. */
struct engine_launch {
    uint32_t number;
    const struct rp_launch *launch;
    const struct rp_kernel *kernel;
    uint64_t left_out;  /* blocks before the next one that are not replayed; without clusters */
    uint64_t blocks;    /* to replay: those that the trace holds, less those that are left out */
    bool cut_short;     /* the recording ended early: a barrier may stay incomplete */
    bool control_words; /* control words decide when instructions issue, instead of the scoreboard */
    uint64_t begin;     /* the cycle of engine_began(); ENGINE_NEVER: no block was placed yet */
    struct replay_launch *out;
};

/* The launches of a period. */
struct engine_period {
    const struct engine_job *job;
    struct statistics sum;
    uint32_t count;
    struct replay_launch *first;
};

/* Takes the next launch in this cycle of the period. False: none is ready. */
bool engine_take(struct engine_period *, struct engine_launch *, uint64_t cycle);
/* Of an engine without control words that replays one launch at a time: takes the next one, which begins at once.
 * False: err says that none is ready. */
bool engine_take_alone(struct engine_period *, struct engine_launch *, struct rp_error *err);
/* Its first block is placed in this cycle of the period. Once for each launch, at the latest before engine_ended(). */
void engine_began(const struct engine_period *, struct engine_launch *, uint64_t cycle);
/* So many of its blocks have been placed, the last in this cycle of the period. Call it for each block, in the order of
 * cycles. It may leave blocks out. */
void engine_placed(const struct engine_period *, struct engine_launch *, uint64_t placed, uint64_t cycle);
/* The cycle of the period in which a launch may become ready because a copy ends; ENGINE_NEVER: none. */
uint64_t engine_wakes(const struct engine_period *);
/* Its last block leaves in this cycle of the period, so other launches may become ready. The engine has counted in
 * out->statistics. */
void engine_ended(struct engine_period *, struct engine_launch *, uint64_t cycle);
/* The period took so many cycles. `machine`: idle_cycles and sm_cycles; this adds the counts of the memory system. If
 * only one launch ran, it gets all of these counts. */
bool engine_finish(struct engine_period *, uint64_t cycles, struct statistics *machine, struct statistics *sum,
                   struct rp_error *);

/* A warp of the launch waits at this barrier (an id, AT_CLUSTER or AT_OBJECT of trace_semantics.h) and nothing can
 * complete it. False: an error. True: the recording ended early, and the launch has a warning. */
bool engine_stuck(const struct engine_job *, const struct engine_launch *, uint64_t block, uint32_t warp,
                  unsigned barrier, const struct rp_step *, struct rp_error *);

#define PROGRESS_EVERY 65536u /* warp instructions */

#endif
