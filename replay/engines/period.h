/* What the two engines offer to replay(), and what they share in taking launches from the queue.
 *
 * A machine is idle, or busy: from the cycle in which it takes launches until none is left on it. An engine runs one
 * such busy period. Launches that become ready meanwhile join it; those that become ready in the cycle in which the
 * last one ends begin the next period. What lies between is the same as between launches that run one after the other:
 * what is under way in memory comes to its end, and caches are flushed if the machine does so.
 */
#ifndef REPRISE_REPLAY_ENGINES_PERIOD_H
#define REPRISE_REPLAY_ENGINES_PERIOD_H

#include "replay/base/queue.h"
#include "replay/base/sampled.h"
#include "replay/memory/memory_system.h"
#include "replay/session/replay.h"

struct engine_job {
    struct rp_trace *trace;
    const struct machine *machine;
    struct memory_system *memory; /* its clock is advanced by the period's cycles */
    struct launch_queue *queue;
    struct replay_launch *launches; /* of the queue: where results go */
    uint32_t first;                 /* the first of them */
    uint64_t begin;                 /* the cycle of the queue's clock in which the period begins */
    unsigned threads;               /* at most, for the fast engine; 0: one */
    const struct stochastic *drawn; /* NULL: accesses draw nothing */
    struct luck luck;               /* who draws */
    uint64_t processors;            /* as in struct replay_options */
    struct served *served;          /* the same; for the staged pipeline */
    struct profile *profile;        /* as in struct replay_options */
    /* Called every so often, from any thread, with the warp instructions done since the last call; may be NULL. */
    void (*progress)(void *, uint64_t done);
    void *progress_data;
    /* As in struct replay_options; for the reference engine. */
    void (*issued)(void *, const struct replay_issue *);
    void *issued_data;
};

/* Runs the launches that are ready, and those that become so before the machine is idle. *sum: what all of them and the
 * machine counted; `cycles` is the period's length. */
bool reference_run(const struct engine_job *, struct statistics *sum, struct rp_error *);
/* The fast engine keeps between periods what they need again, of one machine and memory system. NULL: out of memory. */
struct fast *fast_new(const struct machine *, struct memory_system *, struct rp_error *);
void fast_free(struct fast *);
bool fast_run(struct fast *, const struct engine_job *, struct statistics *sum, struct rp_error *);

/* ---- what both engines do with launches -------------------------------------------------------------------------- */

#define ENGINE_NEVER UINT64_MAX

/* A launch on the machine. */
struct engine_launch {
    uint32_t number;
    const struct rp_launch *launch;
    const struct rp_kernel *kernel;
    uint64_t blocks;    /* to replay: those that the trace holds */
    bool cut_short;     /* the recording ended early: a barrier may stay incomplete */
    bool control_words; /* hold its instructions back, instead of the scoreboard */
    uint64_t begin;     /* the cycle of the period in which its first block was placed; ENGINE_NEVER: none was yet */
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
/* The cycle of the period in which a launch may become ready because a copy ends; ENGINE_NEVER: none. */
uint64_t engine_wakes(const struct engine_period *);
/* Its last block leaves in this cycle of the period: others may be ready now. The engine has counted in
 * out->statistics. */
void engine_ended(struct engine_period *, const struct engine_launch *, uint64_t cycle);
/* The period took so many cycles. `machine`: idle_cycles and sm_cycles; the memory system's counts are added here. If
 * only one launch ran, what the machine counted is its own. */
bool engine_finish(struct engine_period *, uint64_t cycles, struct statistics *machine, struct statistics *sum,
                   struct rp_error *);

#define PROGRESS_EVERY 65536u /* warp instructions */

#endif
