/* The engine's own state: a grid (what all blocks of a launch share), blocks, and warps with their divergence stack.
 *
 * A block belongs to one host thread at a time. Its warps run in turn, each until it waits at a barrier, ends, or has
 * used its quantum; nothing of this depends on host timing, so a block alone always runs the same way.
 */
#ifndef REPRISE_FRONTEND_CORE_ENGINE_H
#define REPRISE_FRONTEND_CORE_ENGINE_H

#include <stdio.h>

#include "frontend/core/extents.h"
#include "frontend/core/fault.h"
#include "frontend/core/memory.h"
#include "frontend/core/program.h"
#include "frontend/core/warp.h"

/* Warp instructions that a warp runs before the next one of its block gets its turn, and rounds over the warps of a
 * block before other blocks get theirs, where blocks run interleaved. In kernels that poll, both are small: whoever
 * waits wastes a whole turn for each look, and all of it is recorded. */
#define WARP_QUANTUM 2048
#define BLOCK_ROUNDS 16
#define POLLING_QUANTUM 512
#define POLLING_ROUNDS 2
#define BARRIERS 16
/* Limits on what recursion may take. */
#define MAX_PATHS 65536u
#define MAX_REGISTER_STACK (8u << 20)

/* ---- the grid ---------------------------------------------------------------------------------------------------- */

struct tracker;

struct grid {
    const struct program *program;
    uint32_t dim[3], block[3];
    uint64_t blocks;
    uint32_t threads, warps;               /* per block */
    uint32_t dynamic_shared, total_shared; /* bytes, as a GPU would have them: without gaps */
    struct extents shared;                 /* where shared variables lie; the last: dynamic shared memory */
    const uint8_t *params;
    const uint8_t *consts;
    struct extents constants;
    struct memory *memory;
    uint32_t local_bytes;     /* per thread */
    size_t local_stride;      /* between the local memories of two lanes */
    uint64_t limit;           /* warp instructions a warp may execute */
    uint32_t quantum, rounds; /* see WARP_QUANTUM */
    uint64_t *heap_left;      /* bytes that the kernel's malloc may still give out */
    bool parallel;            /* other host threads run blocks of this grid at the same time */
};

/* ---- warps ------------------------------------------------------------------------------------------------------- */

/* What waits on the divergence stack. A split is the other side of a divergent branch. A join holds the lanes that
 * continue together once every split above it has arrived. A call is where lanes that return go on; below it lie the
 * caller's paths. An enter is a call yet to be made: another target of an indirect call. */
enum path_kind { PATH_SPLIT, PATH_JOIN, PATH_CALL, PATH_ENTER };
struct path {
    const struct uop *pc, *join; /* join: the RECONVERGE uop at which this path ends; NULL: none */
    lanemask mask;
    /* of the function in which the path goes on (PATH_CALL: the caller): its registers, an offset in the register
     * stack, its local memory, and the call that entered it, 1 + the place of its PATH_CALL on the stack, 0 for the
     * kernel */
    uint32_t window, frame, call;
    uint8_t kind;
    uint8_t token;   /* PATH_JOIN of the hardware's stack: enum stack_token */
    bool at_barrier; /* a split whose lanes wait at the barrier before pc for the rest of their warp */
};

enum warp_status { WARP_READY, WARP_AT_BARRIER, WARP_DONE };

struct warp_state {
    struct warp w; /* first: lane handlers get its address */
    const struct uop *pc, *join;
    uint32_t run_start; /* static index of the first instruction of the current straight run */
    uint32_t depth, path_capacity;
    uint32_t call;     /* of the function that runs, as in struct path */
    bool several_open; /* paths in different calls have waited for one another: see paths_gather */
    struct path *paths;
    uint64_t stop_at;   /* w.clock at which to hand over */
    uint64_t lanes_run; /* thread instructions, counted as if guards were always true ... */
    uint64_t lanes_off; /* ... and those that guards switched off */
    uint8_t status;
    uint8_t *registers; /* the register stack, zero where never written */
    size_t register_bytes, register_high;
    /* at a barrier */
    const struct uop *barrier;
    lanemask barrier_lanes;
    uint32_t barrier_id;
};

struct barrier {
    uint32_t arrived;  /* threads, in whole warps */
    uint32_t expected; /* 0: all of the block's that have not exited */
    bool in_use;
    uint32_t reduced_count; /* barrier.red.popc */
    bool reduced_and, reduced_or;
};

#define ALLOCATION_CACHE 64
struct block {
    struct grid *grid;
    const struct program *program;
    uint64_t index; /* linear, x fastest */
    uint32_t ctaid[3];
    struct warp_state *warps;
    uint32_t live_warps;
    uint8_t *shared;
    uint8_t *local;      /* [warp][lane][local_stride] */
    uint64_t local_high; /* no thread has stored at or above this offset */
    bool faulted;
    struct fault fault;
    struct barrier barriers[BARRIERS];
    struct tracker *tracker; /* NULL: accesses are not tracked */
    uint64_t changes;        /* stores to global memory, atomics that changed it, calls of the host; only grows */
    struct allocation *last[ALLOCATION_CACHE];
    char *text; /* what the block printed */
    size_t text_bytes, text_capacity;
    bool text_lost; /* there was no memory for some of it: the launch must fail */
    /* what there is room for, and the grid that it was last fitted to */
    uint32_t warp_capacity, local_warps, placed[3]; /* placed: extents of a block; 0: the warps have no threads yet */
    size_t shared_capacity, local_capacity, local_stride;
};

/* ---- functions --------------------------------------------------------------------------------------------------- */

/* Checks that operations and static table agree, makes the uops and chooses the handlers of memory uops, once per
 * program. Lane handlers are the loader's business. False: the loader made a mistake, err says which; or out of memory.
 */
bool program_prepare(struct program *, struct rp_error *);

/* Memory for a block of this grid. NULL: out of memory. */
struct block *block_new(struct grid *);
/* Makes a block of another grid, which may be gone, one of this grid. False: out of memory; free it. */
bool block_fit(struct block *, struct grid *);
void block_free(struct block *);
size_t block_bytes(const struct grid *); /* about what block_new takes */
/* Makes `b` block `index`, about to start. `logs`: one per warp, or NULL. */
void block_start(struct block *, uint64_t index, struct rp_warp_log *logs);

enum block_status { BLOCK_DONE, BLOCK_SET_ASIDE, BLOCK_FAULT };
/* Runs the block for `rounds` turns of its warps (0: to its end). */
enum block_status block_run(struct block *, uint64_t rounds);
void block_count(const struct block *, uint64_t *warp_instructions, uint64_t *thread_instructions);
/* What decides how the block goes on, global memory left out (fingerprint.c). A block that does not read a clock and
 * has the same fingerprint again, while nothing changed global memory, goes round for ever. */
uint64_t block_fingerprint(const struct block *);

/* Runs a warp until it stops; its status and the block's fault say why. With a log it records. */
void warp_run(struct warp_state *);
/* Ends the current run before static instruction `end`: counts it and logs it. */
void warp_end_run(struct warp_state *, uint32_t end);

/* Static index at which a run that begins at `u` starts: further uops of an instruction do not count again. */
static inline uint32_t run_start_at(const struct uop *u) { return u->index + !(u->flags & UF_FIRST); }

/* Divergence (paths.c). Each changes pc, active, join, window and frame of the warp. */
void paths_branch(struct warp_state *, const struct uop *, lanemask taken);
void paths_branch_table(struct warp_state *, const struct uop *, lanemask executed);
void paths_call(struct warp_state *, const struct uop *, lanemask executed);
void paths_return(struct warp_state *, const struct uop *, lanemask executed);
void paths_exit(struct warp_state *, const struct uop *, lanemask executed);
void paths_push_token(struct warp_state *, const struct uop *);
void paths_pop_token(struct warp_state *, const struct uop *, lanemask executed);
/* Goes on with the next path that has lanes left; false: there is none. */
bool paths_pop(struct warp_state *);
/* The active lanes have come to the barrier `at`, the others have not. True: all live lanes of the warp are there now
 * and arrive as one. False: another path of the warp runs on first, or, if none can, the block faulted. Lanes that have
 * left early often wait in a join behind the barrier, at the function's end: they go ahead alone. */
bool paths_gather(struct warp_state *, const struct uop *at);
/* Lanes on a path that is not the current one executed the barrier `u`: counts and logs that. */
void warp_count_barrier(struct warp_state *, const struct uop *u, lanemask lanes);

/* Barriers (barrier.c). True: the warp may go on at once; else it waits or the block faulted. */
bool barrier_arrive(struct warp_state *, const struct uop *, lanemask executed);
void barrier_warp_exited(struct block *);
/* No warp of the block can run: reports who waits where. */
void barrier_deadlock(struct block *);

void host_call(struct warp_state *, const struct uop *, lanemask executed);
/* Reads [address, address+bytes) of generic space as thread `lane` sees it; false: not all of it is there. */
bool read_generic(struct warp_state *, unsigned lane, uint64_t address, void *to, size_t bytes);
/* Host address of [offset, offset+bytes) in a thread's local memory, NULL: outside. */
uint8_t *local_at(struct warp_state *, unsigned lane, uint64_t offset, size_t bytes);

/* Sets the block's fault unless it has one. `detail` is printf-like. */
void block_fault(struct warp_state *, const struct uop *, enum rp_fault_kind, unsigned lane, const char *detail, ...)
    __attribute__((format(printf, 5, 6)));
/* The report: one line with kernel, instruction, source line, block, thread, address. */
void fault_report(const struct block *, struct rp_error *);

#define FOR_LANES(l, mask)                                                                                             \
    for (lanemask m_##l = (mask), l; m_##l && (l = (lanemask)__builtin_ctz(m_##l), 1); m_##l &= m_##l - 1)

#endif
