/* The engine's own state: a grid (what all blocks of a launch share), blocks, and warps with their splits and joins.
 *
 * A block belongs to one host thread at a time. Its warps run in turn, each until it waits, ends, or has used its
 * quantum; nothing of this depends on host timing, so a block alone always runs the same way.
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
#define NAMED_BARRIERS 16
#define BARRIERS (CLUSTER_BARRIER + 1)
/* Instructions that a split may run while others of its warp could, if its program polls, before it counts as spinning;
 * and how soon after the beginning of a turn of a diverged warp the first state is kept to compare with. */
#define SPIN_LIMIT 16384
#define SPIN_FIRST 64
#define SPIN_COMPARED 4  /* how often a state is compared with before another is kept */
#define SPIN_WINDOW 4096 /* instructions within which it must come again */
#define AHEAD_CYCLE 4
/* See "turns of programs that poll". */
#define POLLS_IN_VAIN 4
#define POLLING_TURNS_FIRST 16
#define POLLING_STORES 4
#define POLLING_CYCLE (4 * POLLING_ROUNDS * POLLING_ROUNDS * POLLING_STORES)
/* Limits on what recursion may take. */
#define MAX_PATHS 65536u /* splits and joins of a warp */
#define MAX_REGISTER_STACK (8u << 20)

/* ---- the grid ---------------------------------------------------------------------------------------------------- */

struct observer;
struct texture_table;
struct cluster;
struct overruns;
struct stack;

struct grid {
    const struct program *program;
    uint32_t dim[3], block[3], cluster[3];
    bool cluster_said; /* by the launch or the kernel */
    uint64_t blocks;
    uint32_t threads, warps;               /* per block */
    uint32_t dynamic_shared, total_shared; /* bytes, as a GPU would have them: without gaps */
    struct extents shared;                 /* where shared variables lie; the last: dynamic shared memory */
    const uint8_t *params;
    const uint8_t *consts;
    struct extents constants;
    struct memory *memory;
    const struct texture_table *textures;
    uint32_t local_bytes;            /* per thread */
    size_t local_stride;             /* between the local memories of two lanes */
    uint64_t limit;                  /* warp instructions a warp may execute */
    uint32_t quantum, rounds;        /* see WARP_QUANTUM */
    uint64_t *heap_left;             /* bytes that the kernel's malloc may still give out */
    uint64_t workspace;              /* address of what a cooperative launch has for its barrier; 0: it is none */
    const struct overruns *overruns; /* NULL: bounds are exact (overrun.h) */
    const _Atomic bool *interrupted; /* a person wants the kernel to stop: so it does, with a fault; NULL: never */
    bool parallel;                   /* other host threads run blocks of this grid at the same time */
};

/* ---- warps ------------------------------------------------------------------------------------------------------- */

/* The live lanes of a warp are in splits and joins, each lane in one place.
 *
 * A split is lanes that execute together: {pc, lanes, window of registers, what they wait for}. One runs, the others
 * are in a list, the one pushed last on top.
 *
 * A join is where lanes that parted go on together, however the program says so: at the immediate post-dominator of a
 * branch, behind a call, or at the target of SSY, PBK, PCNT and PRET. Joins form a tree; a split is inside one of them
 * and all those around it. Lanes leave a join for good by exit, and by a return or break past it; once all that are
 * left have arrived they are a split again, as old as the join. So where nothing waits the joins and splits are the
 * stack of PDOM divergence (Fung et al., "Dynamic Warp Formation", MICRO 2007), and run in its order: the taken side of
 * a branch first, then the other, then both from the join on.
 *
 * Where threads are not independent (target.h) the lanes of a warp wait only at barriers, for the rest of their warp
 * (paths_gather). Where they are, any split may wait, and the rest of its warp goes on (splits.c):
 *
 * - When the running split waits or ends, the topmost split that does not wait runs next. A split whose wait is over
 *   keeps its place in the list. Splits that wait at the same instruction, inside the same join, become one.
 * - A split that spins (its warp comes back to the same state with no memory changed; or, in a program that polls, it
 *   has run SPIN_LIMIT instructions and others could run) goes to the bottom of the list. When all splits that could
 * run spin, the warp's turn ends: it is stuck.
 * - Lanes that have arrived at a join stay there until nothing else can make progress: in their warp, if its splits
 * wait for one another's lanes only, else in their block, when each of its warps waits or is stuck. Then those at the
 * join that was opened last go ahead without the others, in every such warp; each AHEAD_CYCLEth time those at the one
 * opened first, because lanes that spin with loops of their own go on opening later ones.
 * - When that is not possible either and no warp is stuck but all wait, the block is in a deadlock. */
enum wait {
    WAIT_NONE,
    WAIT_LANES, /* at pc, for other lanes of the warp: bar.warp.sync and collectives with member masks (collective.c) */
    WAIT_BARRIER, /* at pc, for a named barrier; where threads are not independent, for the rest of the warp first */
    WAIT_OBJECT,  /* at pc, for the end of a phase of a barrier object (objects.c) */
    WAIT_CLUSTER, /* at pc, for the barrier of the cluster (cluster.c) */
};
/* How long a split waits for an object, in its `barrier`: lanes that do nothing but ask again wait for ever; others are
 * told that the phase is not over when nothing else in their block can go on. */
enum object_wait { OBJECT_FOR_EVER, OBJECT_FOR_A_TIME };
#define MAX_SPLITS RP_WARP_LANES

struct split {
    const struct uop *pc;
    lanemask lanes;
    /* of its function: registers (an offset in the register stack), local memory, and the join behind the call that
     * entered it, 0 for the kernel */
    uint32_t window, frame, call;
    uint32_t join; /* the innermost it is inside of, 0: none */
    uint8_t waits; /* enum wait */
    uint8_t barrier;
    bool enters;   /* a call yet to be made: its window is settled when it runs */
    int64_t order; /* grows from the bottom of the list to its top; also that of joins */
};

enum join_kind { JOIN_MEET, JOIN_CALL, JOIN_TOKEN };
struct join {
    const struct uop *pc;         /* where its lanes go on; JOIN_MEET: behind the RECONVERGE uop at which they arrive */
    lanemask lanes, arrived;      /* that are to meet here; of them those that have come */
    uint32_t window, frame, call; /* as in struct split */
    uint32_t outer;               /* the join around it; of a free one the next free one; 0: none */
    uint8_t kind;
    uint8_t token; /* JOIN_TOKEN: enum stack_token */
    int64_t order;
};

enum warp_status {
    WARP_READY,      /* its current split can run */
    WARP_AT_BARRIER, /* all its live lanes are its current split and wait at a named barrier */
    WARP_WAITING,    /* it has no current split: all wait */
    WARP_DONE
};

/* Looking out for a split that spins: one earlier state of its warp to compare with. */
struct spin {
    const struct uop *at; /* NULL: none is kept */
    uint64_t sample, fingerprint;
    bool whole;        /* fingerprint is known, not the sample alone */
    uint64_t next;     /* w.clock at which to keep another one */
    uint64_t distance; /* instructions between two states that are kept */
    uint32_t compared; /* how often */
    uint64_t kept;     /* w.clock then */
    lanemask spun;     /* lanes that were seen to spin in this turn */
    lanemask tired;    /* ... to run SPIN_LIMIT instructions, in any turn since the warp last made progress */
    uint64_t since;    /* w.clock when the warp was last converged, or a split gave way or waited */
    uint64_t passed;   /* ... or only the latter */
};

/* Turns of programs that poll. In a loop, a read that is no plain one (volatile, relaxed, acquire, an atomic) and whose
 * result decides how the loop goes on is a poll; a store that is no plain one, or an exchange, is a publication.
 *
 * - Where threads are independent, a split spins as well when POLLS_IN_VAIN polls one after the other read, in each of
 *   their lanes, what the poll before read, at the same place, and its block changed no global memory meanwhile. It
 *   hands over behind the last of them, and behind each further one. So lanes that wait for random times between polls,
 *   and never come to the same state, are found out early. A warp is stuck as well when a turn of it is used up and all
 *   lanes that could run poll in vain.
 * - Turns end at transfers of control, and if all did, what a loop publishes and takes back between two of them would
 *   never be seen. So from a warp's turn POLLING_TURNS_FIRST on, of four times POLLING_ROUNDS turns the second half end
 *   behind a publication (half, because blocks take turns to and fro, so a block has two after each other). Of
 *   POLLING_ROUNDS of them all but one end behind the first publication, that one behind the first to the
 *   POLLING_STORESth in turns, and each of them is that one in turns. Where threads are not independent, only
 *   publications in the second half of the quantum count. Another split of the warp, if one can run, is the first of
 *   its next turn. A turn with fewer publications ends as all others do. All this repeats after POLLING_CYCLE turns. */
struct poll {
    uint64_t last[RP_WARP_LANES]; /* place and result of a lane's last poll, hashed */
    lanemask known;               /* lanes that have polled, */
    lanemask vain;                /* and those that polled in vain and have found nothing else since */
    uint32_t in_vain;             /* polls of the current split, one after the other */
    uint64_t changes;             /* the block's at the last poll */
    uint32_t turn;                /* of the warp; goes round behind POLLING_TURNS_FIRST */
    uint32_t skip;                /* publications yet to pass over behind publish_at */
    uint64_t publish_at;          /* w.clock from which on a publication may end this turn */
};

struct warp_state {
    struct warp w; /* first: lane handlers get its address. w.active: the lanes of the current split */
    const struct uop *pc;
    const struct uop
        *meet; /* the RECONVERGE uop at which the current split arrives at its join; NULL: it does otherwise */
    uint32_t join, call; /* of the current split */
    uint32_t run_start;  /* static index of the first instruction of the current straight run */
    bool independent;    /* its threads are */
    bool several_open;   /* splits in different calls have waited for one another: see beside_waiting */
    uint8_t ahead;       /* how often lanes at a join have gone ahead, modulo AHEAD_CYCLE */
    bool stuck;          /* its last turn ended because all of its splits that do not wait spin */
    uint8_t status;
    uint32_t split_count;
    struct split splits[MAX_SPLITS]; /* by order */
    struct join *joins;              /* [0] is none */
    uint32_t joins_made, joins_open, free_join, join_capacity;
    int64_t top, bottom;        /* the last orders given */
    uint64_t turn_end, stop_at; /* w.clock at which to hand over, and at which to look at what it does */
    struct spin spin;
    struct poll poll;
    uint64_t lanes_run; /* thread instructions, counted as if guards were always true ... */
    uint64_t lanes_off; /* ... and those that guards switched off */
    uint8_t *registers; /* the register stack, zero where never written */
    size_t register_bytes, register_high;
    /* at a barrier */
    const struct uop *barrier;
    lanemask barrier_lanes;
    uint32_t barrier_id;
    lanemask arrived[BARRIERS]; /* a part of the warp has; not counted as a whole yet */
    /* lanes that have arrived at the cluster's barrier and not waited there yet: in this phase; in the one before */
    lanemask cluster_arrived, cluster_passed;
    struct stack *stack; /* what its lanes have taken of local memory (stack.h); NULL: never anything */
};

struct barrier {
    uint32_t arrived;       /* threads, in whole warps, in which those count that have exited */
    uint32_t part;          /* threads of warps of which others are yet to come */
    uint32_t expected;      /* 0: all of the block's that have not exited */
    uint32_t reduced_count; /* barrier.red.popc */
    bool reduced_and, reduced_or;
    uint32_t instruction, thread; /* who arrived last: static index, number in the block */
};

#define ALLOCATION_CACHE 64
struct block {
    struct grid *grid;
    const struct program *program;
    uint64_t index; /* linear, x fastest */
    uint32_t ctaid[3];
    struct warp_state *warps;
    uint32_t live_warps;
    uint32_t observed; /* spaces of which the observer wants to hear, a bit each; 0: there is none */
    uint8_t *shared;
    uint8_t *local;      /* [warp][lane][local_stride] */
    uint64_t local_high; /* no thread has stored at or above this offset */
    bool faulted;
    struct fault fault;
    uint32_t barriers_in_use; /* by number, a bit each; what the others hold means nothing */
    struct barrier barriers[BARRIERS];
    struct observer *observer; /* NULL: nobody looks (observe.h) */
    struct cluster *cluster;   /* NULL: the block is alone in it (cluster.h) */
    bool cluster_awaited;      /* somebody has arrived at its barrier */
    uint64_t changes;          /* stores to global memory, atomics that changed it, calls of the host; only grows */
    uint64_t calls;            /* of the host; only grows */
    struct watch *watch;       /* NULL: accesses to global memory are not watched */
    struct allocation *last[ALLOCATION_CACHE];
    /* of barrier objects, by their offset in shared memory / 8: phases that are over */
    uint32_t *phases;
    bool objects_awaited; /* some split may wait for one */
    char *text;           /* what the block printed */
    size_t text_bytes, text_capacity;
    bool no_memory; /* for some of it, or for what a warp has open: the launch must fail */
    /* what there is room for, and the grid that it was last fitted to */
    uint32_t warp_capacity, local_warps, placed[3]; /* placed: extents of a block; 0: the warps have no threads yet */
    size_t shared_capacity, local_capacity, local_stride, phase_capacity;
};

/* The offset of the current window. */
static inline uint32_t current_window(const struct warp_state *s) { return (uint32_t)(s->w.window - s->registers); }
/* An operand's first byte for lanes whose window is at this offset. */
static inline void *operand_in(const struct warp_state *s, uint32_t window, struct operand o)
{
    return is_register(o) ? s->registers + window + register_offset(o) : (void *)(s->w.base[0] + o.at);
}

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
/* Runs the block for `rounds` turns of its warps (0: to its end; not in a cluster of several). A block of such a
 * cluster is set aside early when it waits for the others. */
enum block_status block_run(struct block *, uint64_t rounds);
void block_count(const struct block *, uint64_t *warp_instructions, uint64_t *thread_instructions);
/* What of the block's slice (slice.h) decides how it goes on, global memory left out. A block that has the same
 * fingerprint again, while nothing changed what loads of the slice read (watch.h), goes round for ever. */
uint64_t block_fingerprint(const struct block *);
/* It has no shared memory, and nobody has stored to local memory yet: generic addresses are global ones. */
bool block_is_bare(const struct block *);
/* A clock decides how the block goes on: nothing ever comes again. */
bool block_reads_clock(const struct block *);
/* The same of a warp, with what of its block's shared memory is in the slice, and the count of changes to global
 * memory. */
uint64_t warp_fingerprint(const struct warp_state *);

/* Runs a warp until it stops; its status and the block's fault say why. With a log it records. */
void warp_run(struct warp_state *);
/* Ends the current run before static instruction `end`: counts it and logs it. */
void warp_end_run(struct warp_state *, uint32_t end);

/* Static index at which a run that begins at `u` starts: further uops of an instruction do not count again. */
static inline uint32_t run_start_at(const struct uop *u) { return u->index + !(u->flags & UF_FIRST); }

/* Divergence (paths.c). Each changes the current split. */
void paths_branch(struct warp_state *, const struct uop *, lanemask taken);
void paths_branch_table(struct warp_state *, const struct uop *, lanemask executed);
void paths_call(struct warp_state *, const struct uop *, lanemask executed);
void paths_return(struct warp_state *, const struct uop *, lanemask executed);
void paths_exit(struct warp_state *, const struct uop *, lanemask executed);
void paths_push_token(struct warp_state *, const struct uop *);
void paths_pop_token(struct warp_state *, const struct uop *, lanemask executed);
/* The current split arrives at its join. */
void paths_meet(struct warp_state *);
/* Where threads are not independent: the active lanes have come to the barrier `at`, the others have not. True: all
 * live lanes of the warp are there now and arrive as one. False: another split of the warp runs on first, or, if none
 * can, the block faulted. Lanes that have left early often wait in a join behind the barrier, at the function's end:
 * they go ahead alone. */
bool paths_gather(struct warp_state *, const struct uop *at);

/* Splits (splits.c). */
/* No lanes, splits or joins but the live lanes as the current split, at the program's entry. */
void splits_start(struct warp_state *);
/* Puts a split into the list, by its order; there is always room, as lanes are in one place. */
void split_insert(struct warp_state *, struct split);
/* The current split, with these lanes of it and at `pc`. Its order is a new one, above all others. */
struct split split_of_current(struct warp_state *, const struct uop *pc, lanemask lanes);
struct split split_take(struct warp_state *, uint32_t at);
/* Makes it the one that runs. False: it could not be, with a fault. */
bool split_run(struct warp_state *, const struct split *);
/* The topmost split that can runs; without any the warp waits: false. */
bool splits_next(struct warp_state *);
/* The lanes leave the current split and wait at `at`, each for what `waits` and `barrier` say. */
void split_wait(struct warp_state *, const struct uop *at, lanemask lanes, enum wait waits, uint32_t barrier);
/* Lanes of split number `i` executed the instruction of its pc, of which `executed` had the guard true; counts and logs
 * that, and they go on behind it. */
void split_release(struct warp_state *, uint32_t i, lanemask lanes);
/* Counts and logs a step at `u` of lanes that the loop does not count: not the current split, or a part of it. */
void split_count(struct warp_state *, const struct uop *u, lanemask active, lanemask executed);
/* The warp's turn begins. */
void split_turn(struct warp_state *);
/* After w.clock has come to stop_at, at a transfer of control to `pc`: gives way if the split spins. NULL: the turn is
 * over. */
const struct uop *split_look(struct warp_state *, const struct uop *pc);
/* The current split spins: another one runs. NULL: the turn is over. */
const struct uop *split_spins(struct warp_state *, const struct uop *pc);
/* The current split goes to the bottom of the list and the topmost one that can run is the current one, if any can. */
void split_give_way(struct warp_state *, const struct uop *pc);
/* Polls and publications (polling.c), as said above. Makes UOP_STRONG of the uops that are; the slice is known. */
void polling_mark(struct program *);
void polling_start(struct warp_state *);
void polling_turn(struct warp_state *);
/* After a UOP_STRONG: whether the split hands over behind it. */
bool polling_ends(struct warp_state *, const struct uop *, lanemask executed);
/* The warp's turn is used up: whether all lanes that could run poll in vain. */
bool polling_stuck(const struct warp_state *);
/* Hands over behind `at`. NULL: the turn is over. */
const struct uop *polling_hand_over(struct warp_state *, const struct uop *at);
/* Lanes at a join go ahead without those they wait for, as said above. False: none wait at one. */
bool warp_go_ahead(struct warp_state *);
bool block_go_ahead(struct block *);
/* Collectives of independent threads (collective.c): bar.warp.sync, and shfl, vote, match, redux and elect with .sync.
 *
 * "The executing thread waits until all non-exited threads of membermask have executed the instruction with the same
 * qualifiers and the same membermask" (PTX ISA). It need not be the same instruction: lanes may come from both sides of
 * a branch. Each group of lanes that name one mask is served by itself, as soon as all of it is there. */
enum collective_outcome { COLLECTIVE_DONE, COLLECTIVE_ELSEWHERE, COLLECTIVE_STOP };
/* DONE: carried out, go on behind it. ELSEWHERE: another split runs, or this one without some lanes, from s->pc on.
 * STOP: the warp waits or the block faulted. */
enum collective_outcome collective(struct warp_state *, const struct uop *);
/* OP_WGMMA (wgmma.c): reads the warp's parts of A and B from shared memory and multiplies. False: the block faulted. */
bool wgmma(struct warp_state *, const struct uop *);
/* Barrier objects (objects.c). A test of a phase: lanes for which it is not over wait, if the test suspends its thread
 * (mbarrier.try_wait) or if they would do nothing but ask again. Each test that finds its phase over is recorded as one
 * that waits for it, so the trace does not tell how often the loop around it went round. */
enum collective_outcome object_wait(struct warp_state *, const struct uop *);
/* A phase of an object of the block has ended while the current warp, of this block or of another one, executed `u`:
 * those that wait for it go on. */
void objects_serve(struct block *, struct warp_state *current, const struct uop *u);
/* Nothing else can go on: those that wait only for a time are told "not yet". False: there are none. */
bool objects_time_out(struct block *);
void object_describe(const struct warp_state *, const struct split *, char *text, size_t size);
/* Some lanes have exited: those that wait for them need not any more. */
void collectives_serve(struct warp_state *);
/* All splits of the warp wait for lanes of it that will not come: faults. */
void collective_deadlock(struct warp_state *);

/* The guard of `u` held for these of the active lanes: counts and logs that. */
void warp_log_guard(struct warp_state *, const struct uop *u, lanemask executed);

/* Barriers (barrier.c). True: the warp may go on at once; else it waits or the block faulted. */
bool barrier_arrive(struct warp_state *, const struct uop *, lanemask executed);
/* The same for a part of the current split of a warp whose threads are independent; those that wait leave it. False:
 * a fault. */
bool barrier_arrive_in_part(struct warp_state *, const struct uop *, lanemask executed);
void barrier_lanes_exited(struct warp_state *);
void barrier_warp_exited(struct block *);
/* No warp of the block can run: reports who waits where. */
void block_deadlock(struct block *);
/* "barrier 1 (line 12)", "'shfl.sync...' (line 9) with mask 0x0000ffff": where a split waits; returns its length. */
size_t describe_split(const struct warp_state *, const struct split *, char *text, size_t size);

void host_call(struct warp_state *, const struct uop *, lanemask executed);
/* Reads [address, address+bytes) of generic space as thread `lane` sees it; false: not all of it is there. */
bool read_generic(struct warp_state *, unsigned lane, uint64_t address, void *to, size_t bytes);
/* Host address of [offset, offset+bytes) in a thread's local memory, NULL: outside. */
uint8_t *local_at(struct warp_state *, unsigned lane, uint64_t offset, size_t bytes);

/* Sets the block's fault unless it has one. `detail` is printf-like. */
void block_fault(struct warp_state *, const struct uop *, enum rp_fault_kind, unsigned lane, const char *detail, ...)
    __attribute__((format(printf, 5, 6)));
/* The block stops because there is no memory for it; that is no fault of the kernel's. */
void block_no_memory(struct block *);
/* " (dot.h:7, in dot at k.cu:20, in norm at k.cu:41)": where an instruction stands, at most two calls, the innermost
 * ones; returns its length. */
int describe_source(const struct rp_kernel *, const struct rp_instruction *, char *text, size_t size);
/* The report: one line with kernel, instruction, source line, block, thread, address. */
void fault_report(const struct block *, struct rp_error *);

#define FOR_LANES(l, mask)                                                                                             \
    for (lanemask m_##l = (mask), l; m_##l && (l = (lanemask)__builtin_ctz(m_##l), 1); m_##l &= m_##l - 1)

#endif
