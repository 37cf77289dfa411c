/* One launch in progress, and the two ways to run its blocks. */
#ifndef REPRISE_FRONTEND_HOST_RUN_H
#define REPRISE_FRONTEND_HOST_RUN_H

#include "frontend/core/device_call.h"
#include "frontend/core/engine.h"
#include "frontend/host/launch.h"
#include "frontend/record/recorder.h"

struct ordered;
struct child;

/* Levels of launches by kernels below the host's: as many as on a GPU. */
#define MOST_LEVELS 24

/* The launches that a kernel asks for (children.c). */
struct child_list {
    struct child *first, **end; /* end: NULL while it is empty */
};
struct children {
    struct device_calls calls;
    struct child *given;              /* have parameters, and are not launched */
    struct child_list launched, tail; /* in order; tail: those that come last */
    uint32_t depth;                   /* of this launch below the host's, whose depth is 0 */
    uint64_t forgotten;               /* launches in cudaStreamFireAndForget so far */
    /* of the host's launch: */
    struct child *pending;       /* what is still to be run, of all launches below it */
    uint32_t count;              /* of children that have not begun */
    uint64_t handles;            /* of streams and events, so far */
    struct rp_running *now;      /* the child that runs; NULL: none */
    bool failed;                 /* a child cannot run, as the launch's error says */
    struct family_level *levels; /* NULL: nothing is recorded, or no child has begun */
    uint32_t deepest;            /* the level of the launch that began last */
    uint32_t streams;            /* of the trace taken so far */
};
/* What a launch by a kernel is, beside its configuration. */
struct origin {
    struct rp_running *host; /* the launch by the host that it belongs to */
    uint32_t depth;
    uint32_t parent; /* in the trace: 1 + the launch that asked for it; 0: the host did */
};

struct rp_running {
    struct rp_device *device;
    struct loaded *loaded; /* of the kernel's module */
    struct program *program;
    struct rp_launch_config config; /* params: a copy */
    uint8_t *params;
    struct grid grid;
    struct recorder recorder;
    unsigned threads;
    uint64_t batch_blocks; /* depends on geometry only, because the trace's chunks follow it */
    uint64_t batches;
    bool join_small; /* few batches: small ones are joined into one frame. Depends on geometry only, too */
    struct rp_launch_result result;
    struct ordered *ordered; /* NULL: does not run in the fixed order */
    bool conflicted;         /* it runs in order because blocks conflicted */
    bool only_reads;         /* of one that runs in order: no instruction changes global memory or a surface */
    bool done, ok;           /* its own blocks */
    bool closed;             /* its entry in the trace has ended */
    struct rp_running *host; /* the launch by the host that it is, or that has it as a child */
    struct children children;
    uint64_t begun;          /* by a clock, in nanoseconds (repeats.h) */
    struct rp_error error;   /* the reason if ok is false */
    struct rp_running *next; /* list of the device's open launches */
};

static inline void run_progress(const struct rp_running *r, uint64_t blocks, uint64_t warp_instructions)
{
    if (r->config.progress)
        r->config.progress(r->config.progress_data, blocks, r->grid.blocks, warp_instructions);
}

/* Nothing has run yet. */
static inline void running_clear_result(struct rp_running *r)
{
    const uint32_t *block = r->config.block;
    r->result = (struct rp_launch_result){.program = r->program, .shape = {block[0], block[1], block[2]}};
}

/* Frees a launch without ending its entry in the trace. */
void running_abandon(struct rp_running *);
/* Ends the launch's entry in the trace, once. False: it failed, or its entry could not be ended. */
bool running_close(struct rp_running *, struct rp_error *);
/* Whether the launch can be begun with this configuration, whose cluster and grid it settles. */
bool launch_fits(const struct program *, struct rp_launch_config *, struct rp_error *);

/* As rp_launch_begin. origin NULL: the host launches. */
struct rp_running *launch_begin(struct rp_device *, struct program *, const struct rp_launch_config *,
                                const struct origin *, struct rp_error *);

/* Launches by kernels (children.c). */
void children_init(struct rp_running *, const struct origin *);
/* Whether launches are left that come after the blocks of the host's launch. */
bool children_left(const struct rp_running *);
/* Runs a part of them. Ends the host's entry in the trace first. */
enum rp_launch_state children_drive(struct rp_running *);
/* Drops what has not begun, and abandons the child that runs. */
void children_free(struct rp_running *);

/* Their streams in the trace (family.c), so that a replay overlaps what may overlap. A slot is one of the streams in
 * which a launch has its children, below FAMILY_SLOTS. */
#define FAMILY_SLOTS 32
unsigned family_slot(struct rp_running *, uint64_t stream, uint64_t block);
/* A child of this depth begins, in *stream; of the launches before it, those of its depth and below it have ended. */
bool family_begin(struct rp_running *host, uint32_t depth, bool tail, unsigned slot, uint32_t *stream,
                  struct rp_error *);
/* All children have ended. */
bool family_end(struct rp_running *host, struct rp_error *);

/* The fixed order: all blocks run on this thread, one after another. A block that is not done after its turn, perhaps
 * because it waits for another one, is set aside and gets its next turn after all others had theirs. So blocks that
 * wait for each other make progress as on a GPU where all of them are resident, as far as there is memory for waiting
 * blocks: beyond ORDERED_OPEN_BYTES no new block begins until an old one is done, as on a GPU that is full. */
#define ORDERED_OPEN_BYTES (UINT64_C(1) << 30)
struct ordered *ordered_new(struct rp_running *, struct rp_error *);
void ordered_free(struct ordered *);
/* Runs some turns. RP_LAUNCH_DONE: *ok says whether the launch completed. */
enum rp_launch_state ordered_drive(struct ordered *, bool *ok, struct rp_error *);
/* As rp_launch_listens. */
bool ordered_listens(const struct ordered *, uint64_t *memory);
/* Ends the launch as a livelock. Always false. */
bool ordered_livelock(struct ordered *, struct rp_error *);

/* Runs batches of consecutive blocks on several threads. *again: blocks conflicted or faulted; memory and trace were
 * restored, and the launch must run in order. */
bool batches_run(struct rp_running *, bool *again, struct rp_error *);

#endif
