/* How engines report events to the observer of their job, if it wants them. Cycles are those of the period. */
#ifndef REPRISE_REPLAY_ENGINES_REPORT_H
#define REPRISE_REPLAY_ENGINES_REPORT_H

#include "replay/engines/engine.h"

/* The location of an event: a warp on a sub-core. */
struct engine_location {
    uint32_t launch, warp;
    uint64_t block;
    uint32_t sm, subcore;
};

/* The block at this location is placed, or has left. */
static inline void engine_report_block(const struct engine_job *job, const struct engine_location *at, bool leaves,
                                       uint64_t cycle)
{
    const struct observer *o = job->observer;
    if (o && o->block)
        o->block(
            o->data,
            &(struct observed_block){
                .launch = at->launch, .sm = at->sm, .block = at->block, .leaves = leaves, .cycle = job->clock + cycle});
}

/* How a step issues; as in struct observed_issue. */
struct engine_issue {
    uint64_t number, initiation;
    unsigned unit;
    bool second;
    enum response_level level;
};

static inline void engine_report_issue(const struct engine_job *job, const struct engine_location *at,
                                       const struct rp_step *step, const struct engine_issue *i, uint64_t cycle)
{
    const struct observer *o = job->observer;
    if (o && o->issue)
        o->issue(o->data, &(struct observed_issue){.launch = at->launch,
                                                   .warp = at->warp,
                                                   .block = at->block,
                                                   .number = i->number,
                                                   .sm = at->sm,
                                                   .subcore = at->subcore,
                                                   .index = step->index,
                                                   .instruction = step->instruction,
                                                   .active = step->active,
                                                   .executed = step->executed,
                                                   .cycle = job->clock + cycle,
                                                   .second = i->second,
                                                   .unit = i->unit,
                                                   .initiation = i->initiation,
                                                   .level = i->level});
}

/* The warp's instruction of this number is done at `done`. */
static inline void engine_report_done(const struct engine_job *job, const struct engine_location *at, uint64_t number,
                                      uint64_t dispatch, uint64_t done)
{
    const struct observer *o = job->observer;
    if (o && o->done)
        o->done(o->data, &(struct observed_done){.launch = at->launch,
                                                 .warp = at->warp,
                                                 .block = at->block,
                                                 .number = number,
                                                 .sm = at->sm,
                                                 .dispatch = job->clock + dispatch,
                                                 .cycle = job->clock + done});
}

/* Why a sub-core issued nothing. */
struct engine_stall {
    enum stall why;
    enum response_level level; /* of STALL_MEMORY, and where an instruction waits for its own access */
    unsigned unit;             /* of STALL_UNIT */
    uint64_t cycles;           /* 0: there was no stall */
};

/* A stall of the step, or STALL_DRAIN if that is NULL, is over in this cycle. */
static inline void engine_report_stall(const struct engine_job *job, const struct engine_location *at,
                                       const struct rp_step *step, const struct engine_stall *s, uint64_t cycle)
{
    const struct observer *o = job->observer;
    if (o && o->stall && s->cycles)
        o->stall(o->data, &(struct observed_stall){.launch = at->launch,
                                                   .sm = at->sm,
                                                   .subcore = at->subcore,
                                                   .instruction = step ? step->instruction : NULL,
                                                   .index = step ? step->index : 0,
                                                   .warp = step ? at->warp : 0,
                                                   .block = at->block,
                                                   .reason = s->why,
                                                   .unit = s->why == STALL_UNIT ? s->unit : 0,
                                                   .level = s->level,
                                                   .begin = job->clock + cycle - s->cycles,
                                                   .cycles = s->cycles});
}

/* The last block of this sub-core leaves in this cycle, so many cycles after its last issue. */
static inline void engine_report_drain(const struct engine_job *job, const struct engine_location *at, uint64_t cycles,
                                       uint64_t cycle)
{
    engine_report_stall(job, at, NULL, &(struct engine_stall){.why = STALL_DRAIN, .cycles = cycles}, cycle);
}

#endif
