/* The events of a replay: for profiles, times of issue, timelines, energy.
 *
 * A listener is a struct observer: a function for each kind of event that it wants, NULL for others. replay() takes one
 * (struct replay_options), and fails if the machine's engine does not report a kind that it wants (replay_events()).
 * Kinds that it does not want cost nothing. No event comes after replay() has returned. Pointers in an event are valid
 * during the call; the instruction is the trace's.
 *
 * Time. Cycles are core cycles of the replay's clock, as `begin` and `end` of struct replay_launch: the first launch
 * may begin in cycle 0. An event on another clock has the core cycle in which its own cycle begins;
 * with pipeline staged, the next one unless both begin together.
 *
 * Order. Block and issue events of an SM come in the order of their cycles. So do the stalls of a sub-core: each is
 * reported when it is over, before the issue that ends it. So do the DRAM commands of a channel while the machine is
 * busy. A block is placed before its instructions issue, and leaves after them; a launch begins before its blocks come,
 * and ends after they have left. `done` and `access` come when the engine knows the cycle, which may lie far ahead, and
 * not in the order of cycles; `done` comes after its issue. SMs may be ahead of one another; a listener that puts
 * events in order says by how much (`most_ahead`). With REPLAY_REFERENCE they are not: the issues of all SMs come in
 * the order of cycles. If the cycles of a launch are a mean over processors (measure 'processor'), the next launch
 * begins before slower processors are done.
 *
 * Threads. With an observer, launches that do not depend on one another run one after the other. A launch begins in the
 * cycle in which the one before it ends. Until that is known its events have no cycles, and to keep them would take
 * memory without bound. The SMs of a launch still run side by side.
 *
 * All events come from one thread, unless `concurrent` is set. Then several threads may call at once: threads that run
 * different SMs, and one that runs the chip. Events of one SM never come at once. Nor do events of the chip: DRAM
 * commands, and accesses that end beyond the SM (`beyond`). During a launch event no SM runs.
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

/* X(identifier, member of struct observer, name in messages). */
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

/* The first block of a launch is placed, or its last one has left. A launch without blocks begins and ends at once. */
struct observed_launch {
    uint32_t launch; /* index in the trace */
    bool ends;
    uint64_t cycle;
};

/* A block is placed on an SM, or has left it: its results are there in the cycle before. */
struct observed_block {
    uint32_t launch, sm;
    uint64_t block;
    bool leaves;
    uint64_t cycle;
};

/* An instruction issues. Exits that take no issue slot are not reported. */
struct observed_issue {
    uint32_t launch, warp; /* the warp's number in its block */
    uint64_t block;
    uint64_t number;      /* of those that the warp has issued, from 0 on */
    uint32_t sm, subcore; /* where: sub-core of the SM */
    uint32_t index;       /* of the static instruction */
    const struct rp_instruction *instruction;
    rp_lanemask active, executed; /* as in struct rp_step */
    uint64_t cycle;
    bool second; /* the second one of a pair: in the same cycle as the one before it */
    /* Its unit, and the cycles for which it occupies the unit from its dispatch on: those of statistics.h's unit_busy.
     */
    unsigned unit;
    uint64_t initiation;
    /* With pipeline one-at-a-time, where an instruction waits for its own access: the level that serves it in this
     * cycle.
     */
    enum response_level level;
};

/* The end of an instruction that has issued: the cycle of its dispatch to its unit, and the first cycle in which its
 * result can be used. An instruction that never ends, because the recording ended early, has no such event. */
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
    unsigned unit;             /* of STALL_UNIT: which */
    enum response_level level; /* of STALL_MEMORY: the level whose response was waited for */
    uint64_t begin, cycles;    /* cycles: at least one */
    bool missed;               /* with pipeline cores: it began with a look-up that did not find its line */
};

/* A transaction of an SM ends: in the cache that serves it, or in device memory, to which the last cache sends it. One
 * that waits for a sector in flight to a cache ends in this cache, as a hit does. What a cache writes back to the next
 * one is a store. A machine without caches has no such events, unless its pipeline is staged. */
struct observed_access {
    uint32_t sm;
    bool local;           /* in local memory; else global */
    bool beyond;          /* an event of the chip, not of the SM */
    enum cache_kind kind; /* load, store or atomic */
    enum response_level level;
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
    void *data;      /* first argument of its functions */
    bool concurrent; /* see above */
    /* Not 0: no block or issue event comes more than so many cycles after one of a later cycle, on any SM. Then the
     * listener knows when it has all that happened up to a cycle. The results are the same. */
    uint64_t most_ahead;
#define X(id, member, text) void (*member)(void *data, const struct observed_##member *);
    OBSERVER_EVENTS(X)
#undef X
};

/* The events that it wants, enum observer_event; NULL: none. */
static inline unsigned observer_events(const struct observer *o)
{
    unsigned events = 0;
#define X(id, member, text) events |= o && o->member ? OBSERVE_##id : 0u;
    OBSERVER_EVENTS(X)
#undef X
    return events;
}

#endif
