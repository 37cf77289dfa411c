/* The interface of engines. An engine replays launches of a trace on a machine, and counts their cycles.
 *
 * Each engine is a folder here with one `const struct engine`, and a row in session/engines.c. A machine names its
 * pipeline. An engine of that pipeline runs it, in the mode that the user asks for.
 *
 * A machine is busy from the cycle in which it takes launches until no launch is left on it; else it is idle. An engine
 * runs one busy period at a time. Launches that become ready during the period join it. Those that become ready in the
 * cycle in which the last one ends begin the next period.
 */
#ifndef REPRISE_REPLAY_ENGINES_ENGINE_H
#define REPRISE_REPLAY_ENGINES_ENGINE_H

#include "replay/base/copies.h"
#include "replay/base/machine_check.h"
#include "replay/base/observer.h"
#include "replay/base/queue.h"
#include "replay/base/sampled.h"
#include "replay/base/statistics.h"
#include "tracefmt/reader.h"

enum replay_engine { REPLAY_FAST, REPLAY_REFERENCE };

/* Where the numbers of a launch come from: X(identifier, name), all but the first in sampled replays only. */
#define REPLAY_SOURCES(X)                                                                                              \
    X(REPLAYED, "replayed")   /* all of its blocks were replayed */                                                    \
    X(EQUAL, "equal")         /* a launch with the same content was: the numbers are exact */                          \
    X(IN_PART, "in part")     /* some of its blocks were */                                                            \
    X(ESTIMATED, "estimated") /* other launches were */
enum replay_source {
#define X(id, name) REPLAY_##id,
    REPLAY_SOURCES(X)
#undef X
        REPLAY_SOURCE_COUNT
};

struct replay_launch {
    uint32_t launch; /* index in the trace */
    uint32_t equal;  /* with REPLAY_EQUAL: the launch that was replayed */
    uint8_t source;  /* enum replay_source */
    /* Half the width of the interval of its cycles; 0: they are exact. */
    uint64_t half_width;
    /* Cycles since the first launch began: when its first block is placed, and its last one leaves. */
    uint64_t begin, end;
    /* Its own; cycles are end - begin. If it overlaps other launches, counts of the whole machine are 0: idle_cycles,
     * and those of the memory system. */
    struct statistics statistics;
    bool overlaps;      /* other launches ran before the machine was idle again */
    bool control_words; /* control words decided when instructions issued; else the scoreboard did */
    char warning[256];  /* "": none. Else why the launch was not replayed to its end */
};

struct memory_system; /* replay/memory/memory_system.h */

/* The first blocks of a launch, which has the machine to itself and no clusters, and some that are left out. */
struct engine_blocks {
    uint64_t count; /* the launch ends before this block */
    /* Called when a block is placed, in the cycle of the period. Both engines of a pipeline call it with the same
     * numbers. Returns the next block to place, at least block + 1. */
    uint64_t (*placed)(void *, uint64_t block, uint64_t cycle);
    void *data;
};

/* A busy period. */
struct engine_job {
    struct rp_trace *trace;
    const struct machine *machine;
    struct memory_system *memory; /* with ENGINE_USES_MEMORY: its clock is advanced by the period's cycles */
    struct launch_queue *queue;
    const struct engine_blocks *blocks; /* NULL: launches whole; else, with ENGINE_BLOCKS, blocks of the only launch */
    struct replay_launch *launches;     /* of the queue: where results go */
    uint32_t first;                     /* the first of them */
    uint64_t begin;                     /* the cycle of the queue's clock in which the period begins */
    unsigned threads;                   /* at most, where the engine has several; 0: one */
    const struct stochastic *sampled;   /* NULL: latencies are not sampled */
    struct random_source random;        /* of the replay's samples */
    uint64_t processors;                /* as in struct replay_options */
    /* NULL, or wants no other events than the engine reports. The memory system reports its own. */
    const struct observer *observer;
    uint64_t clock;            /* the cycle of observers' clock in which the period begins */
    uint64_t *channels;        /* as in struct replay_result; without ENGINE_USES_MEMORY */
    struct core_counts *cores; /* the same; NULL: the machine is of another kind */
    /* NULL, or called now and then, from any thread, with the warp instructions done since the last call. */
    void (*progress)(void *, uint64_t done);
    void *progress_data;
};

/* Batches first .. first + count - 1 of all launches, or of one. */
struct engine_batches {
    struct rp_trace *trace;
    const struct machine *machine;
    int64_t launch; /* the only one, -1: all */
    uint64_t seed, processors;
    unsigned threads;
    uint32_t first, count;
};
/* Mean and variance of the cycles of a batch, computed from the distributions, without samples. */
struct engine_exact {
    bool known; /* false: the cycles are those of the slowest of several processors */
    double mean, variance;
    /* Processors that have a warp, and the most warps of one of them: the largest of the launches. */
    uint64_t processors, most_warps;
};

enum engine_capability {
    ENGINE_OVERLAPS = 1,    /* launches of several streams run at once, and copies take time; else one by one */
    ENGINE_USES_MEMORY = 2, /* runs on the memory system that it is given; else it has one of its own, or none */
    ENGINE_KEEPS_STATE = 4, /* from launch to launch: one thread runs all, in order */
    ENGINE_SUMS =
        8, /* instructions do not affect one another's time: batches can be summed up, and processors replayed alone */
    ENGINE_BLOCKS = 16, /* leaves out blocks of a launch (struct engine_blocks) */
};

struct engine {
    const char *name;
    const struct model *pipeline; /* of the machines that it runs; several engines may have the same */
    unsigned modes;               /* 1 << enum replay_engine each */
    unsigned capabilities;        /* enum engine_capability */
    unsigned events;              /* enum observer_event: those that it reports */
    /* NULL, or checks machines: those with its pipeline, and others that have parts which only this engine supports. */
    machine_fits_fn *fits;
    /* NULL: it has no state. Else makes the state that it keeps between periods, for one machine and memory system.
     * NULL: it failed, and err says why. */
    void *(*open)(const struct machine *, enum replay_engine, struct memory_system *, struct rp_error *);
    /* Runs the launches that are ready, and those that become so before the machine is idle. *sum: what all of them and
     * the machine counted; `cycles` is the period's length. */
    bool (*run)(void *state, const struct engine_job *, enum replay_engine, struct statistics *sum, struct rp_error *);
    void (*close)(void *state); /* NULL is fine */
    /* NULL, or with ENGINE_SUMS: many batches in one pass over the trace. Adds to totals[0 .. count - 1], and to *exact
     * unless it is NULL. */
    bool (*batches)(const struct engine_batches *, struct statistics *totals, struct engine_exact *exact,
                    struct rp_error *);
};

/* The events of engines that use the memory system and carry out copies. */
#define ENGINE_DIRECT_EVENTS ((1u << OBSERVER_EVENT_COUNT) - 1)

/* The pipeline `direct`: the timing of an instruction is decided in the cycle in which it issues
 * (docs/timing-model.md). */
extern const struct model pipeline_direct;

#endif
