/* What happens in a replay, for who wants to hear of it: profiles, times of issue, timelines, energy.
 *
 * A listener is a struct observer: a function for each kind of event that it wants, NULL for others. It is given to
 * replay() (struct replay_options), which says no to a kind that the machine's engine does not report
 * (replay_events()). Events that nobody asks for cost nothing; none comes after replay() has returned. What an event
 * points to belongs to the caller and lasts for the call, but for the instruction, which is the trace's.
 *
 * Time. Cycles are core cycles of the replay's clock, on which the first launch may begin in cycle 0: the clock of
 * struct replay_launch. Cycles of device memory and other clocks are told as the core cycle in which they begin.
 *
 * Order. An SM's block and issue events come in the order of their cycles, a sub-core's stalls as well, each when it is
 * over and before the issue that ends it; a channel's DRAM commands come in order within a time in which the machine is
 * busy. A block is placed before its instructions issue and leaves behind them; a launch begins before its blocks and
 * ends behind them. `done` and `access` come when the engine knows them, which may be long before their cycle, and not
 * in the order of their cycles; `done` comes behind its issue. Different SMs may be ahead of one another, but with the
 * engines of REPLAY_REFERENCE: their issues come in the order of cycles on the whole machine.
 *
 * Where a launch's cycles are a mean over processors (measure 'processor') the next one begins before slower processors
 * are done.
 *
 * Threads. Replays with an observer run launches that do not depend on one another one after the other. Unless
 * `concurrent` is set, all events come from one thread. With it several threads may call at once: those of different
 * SMs, and beside them the chip's. An SM's own events never come at once; nor do the chip's, which are DRAM commands
 * and accesses that end beyond the SM (`beyond`). No event of an SM comes while a launch event does.
 *
 * Both engines of a pipeline report the same events (tests/unit/replay/observer.c).
 */
#ifndef REPRISE_REPLAY_BASE_OBSERVER_H
#define REPRISE_REPLAY_BASE_OBSERVER_H

#include "hw-models/cache/cache.h"
#include "hw-models/dram/dram.h"
#include "replay/base/copies.h"
#include "replay/base/response.h"
#include "replay/base/statistics.h"
#include "tracefmt/trace.h"

/* X(identifier, member of struct observer, what it is called in messages). */
#define OBSERVER_EVENTS(X)                                                                                             \
    X(LAUNCH, launch, "launches")                                                                                      \
    X(BLOCK, block, "blocks")                                                                                          \
    X(ISSUE, issue, "issues")                                                                                          \
    X(DONE, done, "ends of instructions")                                                                              \
    X(STALL, stall, "stalls")                                                                                          \
    X(ACCESS, access, "accesses by level")                                                                             \
    X(DRAM, dram, "DRAM commands")                                                                                     \
    X(COPY, copy, "copies")

enum observer_event {
#define X(id, ...) OBSERVE_##id##_NUMBER,
    OBSERVER_EVENTS(X)
#undef X
        OBSERVER_EVENT_COUNT,
#define X(id, ...) OBSERVE_##id = 1 << OBSERVE_##id##_NUMBER,
    OBSERVER_EVENTS(X)
#undef X
};

/* Its first block is placed, or its last one has left. One without blocks begins and ends at once. */
struct observed_launch {
    uint32_t launch; /* index in the trace */
    bool ends;
    uint64_t cycle;
};

/* It is placed on an SM, or has left it: its results are there in the cycle before. */
struct observed_block {
    uint32_t launch, sm;
    uint64_t block;
    bool leaves;
    uint64_t cycle;
};

/* Exits that take no issue slot are not told. */
struct observed_issue {
    uint32_t launch, warp; /* the warp's number in its block */
    uint64_t block;
    uint64_t number;      /* of those that the warp has issued, from 0 on */
    uint32_t sm, subcore; /* where: sub-core of the SM */
    uint32_t index;       /* of the static instruction */
    const struct rp_instruction *instruction;
    rp_lanemask active, executed; /* as in struct rp_step */
    uint64_t cycle;
    bool second; /* in the same cycle as the one before it, of a pair */
    /* With pipeline one-at-a-time, whose instructions wait for their own accesses: who answers in this cycle. */
    enum answer_level level;
};

/* An instruction that has issued: when it is dispatched to its unit, and the first cycle in which its result can be
 * used, known now. An instruction whose end never comes, where a recording ended early, is not told. */
struct observed_done {
    uint32_t launch, warp;
    uint64_t block, number; /* as of its issue */
    uint32_t sm;
    uint64_t dispatch, cycle;
};

/* Cycles in which a sub-core with warps issued nothing, by the rule of statistics.h. With pipeline one-at-a-time they
 * come behind the instruction that takes them; in other pipelines the instruction ends them. */
struct observed_stall {
    uint32_t launch, sm, subcore;
    /* NULL: STALL_DRAIN, which belongs to the block that left, and to no warp. */
    const struct rp_instruction *instruction;
    uint32_t index, warp;
    uint64_t block;
    enum stall reason;
    unsigned unit;           /* of STALL_UNIT: which */
    enum answer_level level; /* of STALL_MEMORY: who answered what was waited for */
    uint64_t begin, cycles;  /* cycles: at least one */
};

/* A transaction of an SM ends: in the cache that serves it, or in device memory, to which the last cache sends it. What
 * waits for a sector that is on its way to a cache ends in this cache, as a hit does. What a cache writes back to the
 * next one is a store. Where there is no cache nothing is told. */
struct observed_access {
    uint32_t sm;
    bool local;           /* in local memory; else global */
    bool beyond;          /* told by the chip, not by the SM */
    enum cache_kind kind; /* load, store or atomic */
    enum answer_level level;
    uint64_t address;
    uint64_t cycle; /* in which the last look-up for it is over */
};

struct observed_dram {
    uint32_t channel, bank; /* bank: 0 with DRAM_REFRESH, which is of all */
    enum dram_command_kind command;
    uint64_t row; /* 0 with DRAM_REFRESH */
    uint64_t cycle;
};

/* A copy or memset of the host that takes time, on its engine from `begin` up to `end`. */
struct observed_copy {
    enum copy_path path;
    uint64_t bytes, begin, end;
};

struct observer {
    void *data;      /* handed to its functions */
    bool concurrent; /* see above */
#define X(id, member, text) void (*member)(void *data, const struct observed_##member *);
    OBSERVER_EVENTS(X)
#undef X
};

/* The events that it asks for, enum observer_event; NULL: none. */
static inline unsigned observer_events(const struct observer *o)
{
    unsigned events = 0;
#define X(id, member, text) events |= o && o->member ? OBSERVE_##id : 0u;
    OBSERVER_EVENTS(X)
#undef X
    return events;
}

#endif
