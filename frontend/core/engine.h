/* The engine's state: a grid (shared by all blocks of a launch), blocks, and warps with their splits and joins.
 *
 * A block belongs to one host thread at a time. Its warps take turns, each until it waits, ends, or has used its
 * quantum. Nothing of this depends on host timing, so a single block always runs the same way. */
#ifndef REPRISE_FRONTEND_CORE_ENGINE_H
#define REPRISE_FRONTEND_CORE_ENGINE_H

#include <stdio.h>

#include "frontend/core/extents.h"
#include "frontend/core/fault.h"
#include "frontend/core/memory.h"
#include "frontend/core/program.h"
#include "frontend/operation/warp.h"

/* Warp instructions of a warp's turn; rounds over the warps of a block before another block gets a turn, if blocks run
 * interleaved. In kernels that poll both are small: a thread that waits wastes a whole turn for each poll, and all of
 * it is recorded. */
#define WARP_QUANTUM 2048
#define BLOCK_ROUNDS 16
#define POLLING_QUANTUM 512
#define POLLING_ROUNDS 2
#define NAMED_BARRIERS 16
#define BARRIERS (CLUSTER_BARRIER + 1)
/* Instructions that a split may run, if its program polls and other splits of its warp could run, before it counts as
 * spinning; and the number of instructions after which a diverged warp's first state is kept for comparison. */
#define SPIN_LIMIT 16384
#define SPIN_FIRST 64
#define SPIN_COMPARED 4  /* comparisons with a state before another one is kept */
#define SPIN_WINDOW 4096 /* instructions within which the state must come again */
#define AHEAD_CYCLE 4
/* see "turns of programs that poll" */
#define POLLS_IN_VAIN 4
#define POLLING_TURNS_FIRST 16
#define POLLING_STORES 4
#define POLLING_CYCLE (4 * POLLING_ROUNDS * POLLING_ROUNDS * POLLING_STORES)
/* Limits on recursion. */
#define MAX_PATHS 65536u /* splits and joins of a warp */
#define MAX_REGISTER_STACK (8u << 20)

/* ---- the grid ---------------------------------------------------------------------------------------------------- */

struct observer;
struct texture_table;
struct cluster;
struct device_calls;
struct overruns;
struct stack;

struct grid {
    const struct program *program;
    uint32_t dim[3], block[3], cluster[3];
    bool cluster_said; /* by the launch or the kernel */
    uint64_t blocks;
    uint32_t threads, warps;               /* per block */
    uint32_t dynamic_shared, total_shared; /* bytes, as a GPU would have them: without gaps */
    struct extents shared;                 /* the shared variables; `last`: dynamic shared memory */
    const uint8_t *params;
    const uint8_t *consts;
    struct extents constants;
    struct memory *memory;
    uint32_t device; /* that runs it */
    const struct texture_table *textures;
    /* what launches by the kernel ask for (device_call.h); NULL: it can make none */
    const struct device_calls *calls;
    uint32_t local_bytes;     /* per thread */
    size_t local_stride;      /* bytes from one lane's local memory to the next lane's */
    uint64_t limit;           /* warp instructions that a warp may execute */
    uint8_t sums;             /* enum tensor_sums */
    uint32_t quantum, rounds; /* see WARP_QUANTUM */
    uint64_t *heap_left;      /* bytes that the kernel's malloc may still allocate */
    uint64_t
        workspace; /* address of the workspace of a cooperative launch's barrier; 0: the launch is not cooperative */
    const struct overruns *overruns; /* NULL: bounds are exact (overrun.h) */
    const _Atomic bool *interrupted; /* set when the user stops the kernel: it ends with a fault; NULL: never */
    bool parallel;                   /* other host threads run blocks of this grid at the same time */
};

/* ---- warps ------------------------------------------------------------------------------------------------------- */

/* The live lanes of a warp are in splits and joins, each lane in one of them.
 *
 * A split is a set of lanes that execute together: {pc, lanes, register window, what they wait for}. One split runs;
 * the others are in a list, the one pushed last on top.
 *
 * A join is where lanes that diverged go on together: at the immediate post-dominator of a branch, after a call, or at
 * the target of SSY, PBK, PCNT and PRET. Joins form a tree; a split is inside one of them and inside all joins around
 * that one. Lanes leave a join for good by exit, and by a return or break past it. Once all remaining lanes have
 * arrived they become a split again, as old as the join. So where nothing waits, the joins and splits are the stack of
 * PDOM divergence (Fung et al., "Dynamic Warp Formation", MICRO 2007) and run in its order: the taken side of a branch
 * first, then the other, then both from the join on.
 *
 * Where threads are not independent (target.h), the lanes of a warp wait only at barriers, for the rest of their warp
 * (paths_gather). Where they are, any split may wait, and the rest of its warp goes on (splits.c):
 *
 * - When the running split waits or ends, the topmost split that does not wait runs next. A split whose wait is over
 *   keeps its position in the list. Splits that wait at the same instruction, inside the same join, are merged.
 * - A split spins if its warp comes back to the same state with no memory changed; or if its program polls and it has
 *   run SPIN_LIMIT instructions while others could run. It goes to the bottom of the list. When all splits that could
 *   run spin, the warp's turn ends: the warp is stuck.
 * - Lanes that have arrived at a join stay there until nothing else can make progress: in their warp, if its splits
 *   only wait for lanes of the warp; otherwise in their block, when each of its warps waits or is stuck. Then, in each
 *   such warp, the lanes at the most recently opened join go ahead without the others; each AHEAD_CYCLEth time those at
 *   the oldest join, because lanes that spin in loops of their own keep opening newer ones.
 * - When that is not possible either, and no warp is stuck but all wait, the block is in a deadlock. */
enum wait {
    WAIT_NONE,
    WAIT_LANES, /* at pc, for other lanes of the warp: bar.warp.sync and collectives with member masks (collective.c) */
    WAIT_BARRIER, /* at pc, for a named barrier; where threads are not independent, first for the rest of the warp */
    WAIT_OBJECT,  /* at pc, for the end of a phase of a barrier object (objects.c) */
    WAIT_CLUSTER, /* at pc, for the barrier of the cluster (cluster.c) */
};
/* How long a split waits for an object (in split.barrier). Lanes that do nothing but repeat the test wait for ever. For
 * others the test fails ("not yet") when nothing else in their block can go on. */
enum object_wait { OBJECT_FOR_EVER, OBJECT_FOR_A_TIME };
#define MAX_SPLITS RP_WARP_LANES

struct split {
    const struct uop *pc;
    lanemask lanes;
    /* of its function: the register window (an offset in the register stack), the local frame, and the join after the
     * call that entered it, 0 for the kernel */
    uint32_t window, frame, call;
    uint32_t join; /* the innermost join around it; 0: none */
    uint8_t waits; /* enum wait */
    uint8_t barrier;
    bool enters;   /* its call has not been made yet: the window is placed when the split runs */
    int64_t order; /* ascends from the bottom of the list to its top; joins use the same numbers */
};

enum join_kind { JOIN_MEET, JOIN_CALL, JOIN_TOKEN };
struct join {
    const struct uop *pc;         /* where its lanes go on; JOIN_MEET: after the RECONVERGE uop at which they arrive */
    lanemask lanes, arrived;      /* the lanes that are to meet here; those of them that have arrived */
    uint32_t window, frame, call; /* as in struct split */
    uint32_t outer;               /* the join around it; for a free join the next free one; 0: none */
    uint8_t kind;
    uint8_t token; /* JOIN_TOKEN: enum stack_token */
    int64_t order;
};

enum warp_status {
    WARP_READY,      /* its current split can run */
    WARP_AT_BARRIER, /* all its live lanes are in its current split and wait at a named barrier */
    WARP_WAITING,    /* it has no current split: all splits wait */
    WARP_DONE
};

/* Detection of spinning splits: one earlier state of the warp to compare with. */
struct spin {
    const struct uop *at; /* NULL: none is kept */
    uint64_t sample, fingerprint;
    bool whole;            /* fingerprint is known, in addition to the sample */
    uint64_t next;         /* w.clock at which to keep another state */
    uint64_t distance;     /* instructions between two states that are kept */
    uint32_t compared;     /* comparisons with the kept state */
    uint64_t kept;         /* w.clock when the state was kept */
    lanemask spun;         /* lanes that spun in this turn: their state came again */
    lanemask long_running; /* lanes that ran SPIN_LIMIT instructions, in any turn since the warp last made progress */
    uint64_t since;        /* w.clock when the warp was last converged, or a split last gave way or began to wait */
    uint64_t passed;       /* likewise, but without the first condition */
};

/* Turns of programs that poll. A poll is a read in a loop that is volatile, relaxed, acquire or atomic, and whose
 * result decides how the loop goes on; a publication is such a store, or an exchange.
 *
 * - Where threads are independent, a split also spins when POLLS_IN_VAIN consecutive polls each read, in every lane,
 *   what the poll before read at the same address, and its block changed no global memory meanwhile. The split hands
 *   over after the last of them, and after each further one. So lanes that wait for random times between polls, and
 *   never come to the same state again, are detected early. A warp is also stuck when its turn is used up and all lanes
 *   that could run poll in vain.
 * - Turns end at transfers of control. If all did, no other thread would ever see a value that a loop publishes and
 *   takes back between two of them. So some turns end right after a publication:
 *   - The first POLLING_TURNS_FIRST turns of a warp end as usual. After them turns come in groups of 4 ×
 *     POLLING_ROUNDS. In the first half of a group turns end as usual, in the second half after a publication. (Halves,
 *     because blocks take turns back and forth, so a block has two turns in a row.)
 *   - Such a turn ends after its first publication, except for one of POLLING_ROUNDS turns, which ends after one of its
 *     first POLLING_STORES publications. Which turn that is, and after which publication it ends, rotates from group to
 *     group. Everything repeats after POLLING_CYCLE turns.
 *   - Where threads are not independent, only publications in the second half of the quantum count.
 *   - After such an end another split of the warp, if one can run, begins the next turn. A turn with fewer publications
 *     ends as usual. */
struct poll {
    uint64_t last[RP_WARP_LANES]; /* hash of the address and result of a lane's last poll */
    lanemask known;               /* lanes that have polled */
    lanemask vain;                /* lanes whose polls are in vain and have read nothing new since */
    uint32_t in_vain;             /* consecutive polls in vain of the current split */
    uint64_t changes;             /* block.changes at the last poll */
    uint32_t turn;                /* the warp's turn; wraps around after POLLING_TURNS_FIRST */
    uint32_t skip;                /* publications still to skip after publish_at */
    uint64_t publish_at;          /* w.clock from which on a publication may end this turn */
};

/* Warps that begin together (together.c). On a GPU the warps of a block begin within few cycles: what each of them
 * reads before its first store is what was there before, though they may store to the same words. Kernels rely on that:
 * one whose warps all compute the same sums, and store them in each pass of a loop, gives the right ones there. So the
 * first turn of a warp ends before a store to global memory that is in a loop and whose address the loop does not
 * change (a UOP_STRONG; not in programs that poll). The race is one all the same, and checks find it. */

/* Tests of barrier objects in vain (objects.c). A loop that reads a clock between its tests never comes to the same
 * state again, such as that of cuda::barrier, which sleeps longer and longer. A round is VAIN_TESTS failed tests of a
 * warp, if all its lanes that could run fail some, none succeeds, none polls, and the block changes no object and no
 * global memory meanwhile. When each warp of a block has had VAIN_ROUNDS in a row, or waits otherwise, its phases never
 * end: nobody is left to arrive. */
#define VAIN_TESTS 1024
#define VAIN_ROUNDS 16
struct vain_tests {
    uint64_t changes; /* block.changes at the last one */
    lanemask failed;  /* lanes that have failed a test of this round */
    uint32_t tests, rounds;
};

#define STRIDE_SLOTS 4
#define STRIDE_UNKNOWN INT32_MIN
/* A variable in shared memory that a whole warp loads from, at equal or neighbouring addresses that nobody records or
 * observes: room[k] is the number of bytes from its base on at which lane 0 may load 4 << k bytes. */
enum { EVEN_4, EVEN_8, EVEN_WIDTHS };
struct even_stride {
    uint64_t base, room[EVEN_WIDTHS];
    const uint8_t *host; /* its first byte */
};
struct warp_state {
    struct warp w; /* first: lane handlers get its address. w.active: the lanes of the current split */
    const struct uop *pc;
    const struct uop
        *meet; /* the RECONVERGE uop at which the current split arrives at its join; NULL: it arrives by other means */
    uint32_t join, call; /* of the current split */
    uint32_t run_start;  /* static index of the first instruction of the current straight run */
    bool independent;    /* its threads are independent */
    bool several_open;   /* splits of different calls have waited for one another: see beside_waiting */
    uint8_t ahead;       /* how often lanes at a join have gone ahead, modulo AHEAD_CYCLE */
    bool undefined;      /* its block's observer wants to see each uop, as registers have undefined bits */
    bool begun;          /* its first turn has ended before a store (together.c) */
    bool stuck;          /* its last turn ended because all splits that do not wait spin */
    uint8_t status;
    uint32_t split_count;
    struct split splits[MAX_SPLITS]; /* in ascending order */
    struct join *joins;              /* [0] is unused */
    uint32_t joins_made, joins_open, free_join, join_capacity;
    int64_t top, bottom;        /* the greatest and the least order so far */
    uint64_t turn_end, stop_at; /* w.clock at which to hand over; w.clock at which to look for spinning */
    struct spin spin;
    struct poll poll;
    struct vain_tests vain;
    uint64_t lanes_run; /* thread instructions, counted as if all guards were true ... */
    uint64_t lanes_off; /* ... and those that guards disabled */
    uint8_t *registers; /* the register stack, zero where never written */
    size_t register_bytes, register_high;
    /* valid while status is WARP_AT_BARRIER */
    const struct uop *barrier;
    lanemask barrier_lanes;
    uint32_t barrier_id;
    lanemask arrived[BARRIERS]; /* by barrier: lanes that have arrived while others of the warp have not */
    /* lanes that have arrived at the cluster's barrier and not waited there yet: in this phase; in the previous phase
     */
    lanemask cluster_arrived, cluster_passed;
    struct stack *stack; /* local memory that its lanes have allocated at run time (stack.h); NULL: never any */
    int32_t strides[STRIDE_SLOTS];         /* of address registers, or STRIDE_UNKNOWN (strides.h) */
    struct even_stride even[STRIDE_SLOTS]; /* of slots that loads from shared memory began */
    uint32_t also; /* by a uop with UF_TOGETHER: how many of the next uops its handler has executed */
};

struct barrier {
    uint32_t arrived;       /* threads, in whole warps, including exited threads */
    uint32_t part;          /* threads that arrived in warps that have not arrived as a whole */
    uint32_t expected;      /* 0: all of the block's threads that have not exited */
    uint32_t reduced_count; /* barrier.red.popc */
    bool reduced_and, reduced_or;
    uint32_t instruction, thread; /* the last arrival: static index; thread number in the block */
};

#define ALLOCATION_CACHE 64
struct block {
    struct grid *grid;
    const struct program *program;
    uint64_t index; /* linear, x fastest */
    uint32_t ctaid[3];
    struct warp_state *warps;
    uint32_t live_warps;
    uint32_t observed; /* spaces whose accesses the observer wants to see, a bit each; 0: there is no observer */
    uint8_t *shared;
    uint8_t *local;      /* [warp][lane][local_stride] */
    uint64_t local_high; /* no thread has stored to local memory at or above this offset */
    bool faulted;
    struct fault fault;
    uint32_t barriers_in_use; /* a bit per number; the other barriers are uninitialised */
    struct barrier barriers[BARRIERS];
    struct observer *observer; /* NULL: none (observe.h) */
    struct cluster *cluster;   /* NULL: the block has no cluster (cluster.h) */
    bool cluster_awaited;      /* some thread has arrived at the cluster's barrier */
    uint64_t changes;          /* stores to global memory, atomics that changed it, and calls of the host; only grows */
    uint64_t calls;            /* calls of the host; only grows */
    struct watch *watch;       /* NULL: accesses to global memory are not watched */
    struct allocation *last[ALLOCATION_CACHE];
    uint64_t last_at[ALLOCATION_CACHE]; /* by instruction: where lane 0 of the last warp accessed global memory */
    /* of barrier objects, by their offset in shared memory / 8: number of phases that are over */
    uint32_t *phases;
    /* by thread: the last error of its calls of the device runtime (device_call.h); NULL: none had one */
    uint16_t *last_errors;
    bool objects_awaited; /* some split may wait for a barrier object */
    char *text;           /* what the kernel printed in this block */
    size_t text_bytes, text_capacity;
    bool no_memory; /* there was no memory for the text, or for what a warp has open: the launch must fail */
    /* capacities, and the shape of the grid that the block was last fitted to */
    uint32_t warp_capacity, local_warps, placed[3]; /* placed: extents of a block; 0: the warps have no threads yet */
    size_t shared_capacity, local_capacity, local_stride, phase_capacity;
};

/* The offset of the current register window. */
static inline uint32_t current_window(const struct warp_state *s) { return (uint32_t)(s->w.window - s->registers); }
/* An operand's first byte, for lanes whose window is at this offset. */
static inline void *operand_in(const struct warp_state *s, uint32_t window, struct operand o)
{
    return is_register(o) ? s->registers + window + register_offset(o) : (void *)(s->w.base[0] + o.at);
}

/* ---- functions --------------------------------------------------------------------------------------------------- */

/* Checks that operations and static table agree, makes the uops and chooses the handlers of memory uops, once per
 * program. The loader chooses lane handlers. False: the loader made a mistake, or out of memory; err says which. */
bool program_prepare(struct program *, struct rp_error *);

/* Memory for a block of this grid. NULL: out of memory. */
struct block *block_new(struct grid *);
/* Adapts a block of another grid, which may have been freed, to this grid. False: out of memory; free the block. */
bool block_fit(struct block *, struct grid *);
void block_free(struct block *);
size_t block_bytes(const struct grid *); /* estimate of the bytes that block_new allocates */
/* Makes `b` block `index`, ready to start. `logs`: one per warp, or NULL. */
void block_start(struct block *, uint64_t index, struct rp_warp_log *logs);

enum block_status { BLOCK_DONE, BLOCK_SET_ASIDE, BLOCK_FAULT };
/* Runs the block for `rounds` turns of its warps; 0: to its end, not allowed in clusters of several blocks. Such a
 * block is set aside early when it waits for the others. */
enum block_status block_run(struct block *, uint64_t rounds);
/* Adds what the block has executed. */
void block_count(const struct block *, uint64_t *warp_instructions, uint64_t *thread_instructions);
/* The warp instructions that it has executed. */
uint64_t block_executed(const struct block *);
/* A fingerprint of everything in the block's slice (slice.h) that decides how it goes on, except for global memory. A
 * block that has the same fingerprint again, while nothing changed that loads of the slice read (watch.h), loops for
 * ever. */
uint64_t block_fingerprint(const struct block *);
/* Whether it has no shared memory and no thread has stored to local memory yet: then generic addresses are global. */
bool block_is_bare(const struct block *);
/* Whether a clock decides how the block goes on: then no state ever comes again. */
bool block_reads_clock(const struct block *);
/* The fingerprint of a warp, including the block's shared memory if that is in the slice, and the count of changes to
 * global memory. */
uint64_t warp_fingerprint(const struct warp_state *);

/* Runs a warp until it stops; its status and the block's fault say why. Records if it has a log. */
void warp_run(struct warp_state *);
/* Ends the current run before static instruction `end`; counts and logs the run. */
void warp_end_run(struct warp_state *, uint32_t end);

/* The static index at which a run that begins at `u` starts: further uops of the same instruction do not count again.
 */
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
/* Where threads are not independent: the active lanes have come to the barrier `at`, the others have not. True: now all
 * live lanes of the warp are there, and arrive as one. False: another split of the warp must run first or, if none can,
 * the block faulted. Lanes that left early often wait in a join after the barrier, at the function's end: they go ahead
 * alone. */
bool paths_gather(struct warp_state *, const struct uop *at);

/* Splits (splits.c). */
/* Makes the live lanes one split at the program's entry, without any joins. */
void splits_start(struct warp_state *);
/* Inserts a split into the list, by its order. There is always room, because each lane is in one split or join only. */
void split_insert(struct warp_state *, struct split);
/* A copy of the current split with these lanes, at `pc`; its order is new, above all others. */
struct split split_of_current(struct warp_state *, const struct uop *pc, lanemask lanes);
struct split split_take(struct warp_state *, uint32_t at);
/* Makes it the running split. False: impossible, with a fault. */
bool split_run(struct warp_state *, const struct split *);
/* Runs the topmost split that can run. False: there is none, and the warp waits. */
bool splits_next(struct warp_state *);
/* The lanes leave the current split and wait at `at`; `waits` and `barrier` say for what. */
void split_wait(struct warp_state *, const struct uop *at, lanemask lanes, enum wait waits, uint32_t barrier);
/* The lanes of split number `i` have executed the instruction at its pc: counts and logs that, and lets them go on
 * after it. */
void split_release(struct warp_state *, uint32_t i, lanemask lanes);
/* Counts and logs a step at `u` of lanes that the loop does not count because they are not the whole current split. */
void split_count(struct warp_state *, const struct uop *u, lanemask active, lanemask executed);
/* To be called when the warp's turn begins. */
void split_turn(struct warp_state *);
/* To be called at a transfer of control to `pc` when w.clock has reached stop_at: gives way if the split spins. Returns
 * where to go on; NULL: the turn is over. */
const struct uop *split_look(struct warp_state *, const struct uop *pc);
/* The current split spins: runs another one. NULL: the turn is over. */
const struct uop *split_spins(struct warp_state *, const struct uop *pc);
/* Moves the current split to the bottom of the list and runs the topmost one that can run, if any. */
void split_give_way(struct warp_state *, const struct uop *pc);
/* Polls and publications (polling.c), as defined above. Turns the uops concerned into UOP_STRONG; needs the slice. */
void polling_mark(struct program *);
/* Turns stores before which first turns end into UOP_STRONG. False: out of memory. */
bool together_mark(struct program *);
void polling_start(struct warp_state *);
void polling_turn(struct warp_state *);
/* To be called after a UOP_STRONG. True: the split hands over after it. */
bool polling_ends(struct warp_state *, const struct uop *, lanemask executed);
/* To be called when the warp's turn is used up. True: all lanes that could run poll in vain. */
bool polling_stuck(const struct warp_state *);
/* Hands over after `at`. NULL: the turn is over. */
const struct uop *polling_hand_over(struct warp_state *, const struct uop *at);
/* Lets lanes at a join go ahead without those they wait for, as described above. False: no lanes wait at a join. */
bool warp_go_ahead(struct warp_state *);
bool block_go_ahead(struct block *);
/* Collectives of independent threads (collective.c): bar.warp.sync, and shfl, vote, match, redux and elect with .sync.
 *
 * "The executing thread waits until all non-exited threads of membermask have executed the instruction with the same
 * qualifiers and the same membermask" (PTX ISA). It need not be the same instruction: lanes may come from both sides of
 * a branch. Each group of lanes with one member mask is served separately, as soon as all its lanes have arrived. */
enum collective_outcome { COLLECTIVE_DONE, COLLECTIVE_ELSEWHERE, COLLECTIVE_STOP };
/* DONE: executed, go on after it. ELSEWHERE: go on at s->pc, with another split or with some lanes of this one. STOP:
 * the warp waits or the block faulted. */
enum collective_outcome collective(struct warp_state *, const struct uop *);
/* Convergence barriers of machine code (BSSY, BSYNC, BREAK of Volta and later). Each lane holds the mask of the lanes
 * that it meets in a register of its own; meeting is a warp barrier with UF_CONVERGENCE on that register. The register
 * of a warp that the hardware has would do for code of compilers, which sets it anew in one arm of a branch only where
 * nobody of the other arm waits at it; a copy for each lane lets both arms use it, and is spilled as any register is.
 *
 * UOP_BREAK: the executed lanes leave their masks, for all lanes that have the same mask. */
void convergence_break(struct warp_state *, const struct uop *, lanemask executed);
/* Lanes that wait to converge go ahead, and leave their masks: those of the inner barrier, if there are several. Called
 * when nothing else in their warp or block can go on, as YIELD lets lanes of a loop pass that others never leave.
 * False: none wait so. The caller chooses the split that runs. */
bool convergence_go_ahead(struct warp_state *);
/* OP_WGMMA (wgmma.c): reads the warp's parts of A and B from shared memory and multiplies. False: the block faulted. */
bool wgmma(struct warp_state *, const struct uop *);
/* Barrier objects (objects.c). A test of a phase: lanes whose phase is not over wait, if the test may suspend its
 * thread (mbarrier.try_wait) or if they would do nothing but repeat it. A successful test is recorded as one that waits
 * for its phase, so the trace does not show how often the loop around it ran. */
enum collective_outcome object_wait(struct warp_state *, const struct uop *);
/* To be called when a phase of an object of the block has ended because the current warp, of this block or another one,
 * executed `u`: releases those that wait for it. */
void objects_serve(struct block *, struct warp_state *current, const struct uop *u);
/* To be called when nothing else can go on: fails the tests that wait for a limited time only. False: there are none.
 */
bool objects_time_out(struct block *);
void object_describe(const struct warp_state *, const struct split *, char *text, size_t size);
/* To be called when lanes have exited: lanes that waited for them may go on. */
void collectives_serve(struct warp_state *);
/* All splits of the warp wait for lanes of it that will never arrive: reports a fault. */
void collective_deadlock(struct warp_state *);

/* Counts and logs that the guard of `u` was true for the `executed` ones of the active lanes. */
void warp_log_guard(struct warp_state *, const struct uop *u, lanemask executed);

/* Barriers (barrier.c). True: the warp may go on at once. False: it waits, or the block faulted. */
bool barrier_arrive(struct warp_state *, const struct uop *, lanemask executed);
/* The same for part of the current split of a warp whose threads are independent. Lanes that have to wait leave the
 * split. False: a fault. */
bool barrier_arrive_in_part(struct warp_state *, const struct uop *, lanemask executed);
void barrier_lanes_exited(struct warp_state *);
void barrier_warp_exited(struct block *);
/* Reports which warps wait where: no warp of the block can run. */
void block_deadlock(struct block *);
/* "barrier 1 (line 12)", "'shfl.sync...' (line 9) with mask 0x0000ffff": describes what a split waits for; returns the
 * length. */
size_t describe_split(const struct warp_state *, const struct split *, char *text, size_t size);

void host_call(struct warp_state *, const struct uop *, lanemask executed);
/* Reads [address, address + bytes) of the generic space as thread `lane` sees it. False: not all of it exists. */
bool read_generic(struct warp_state *, unsigned lane, uint64_t address, void *to, size_t bytes);
/* Host address of [offset, offset+bytes) in a thread's local memory, NULL: outside. */
uint8_t *local_at(struct warp_state *, unsigned lane, uint64_t offset, size_t bytes);

/* Sets the block's fault unless it has one already. `detail` is a printf format. */
void block_fault(struct warp_state *, const struct uop *, enum rp_fault_kind, unsigned lane, const char *detail, ...)
    __attribute__((format(printf, 5, 6)));
/* The calls that a lane of a warp is in now. */
void block_callers(const struct block *, uint32_t warp, unsigned lane, struct callers *);
/* Stops the block for lack of memory, which is no fault of the kernel. */
void block_no_memory(struct block *);
/* " (dot.h:7, in dot at k.cu:20, in norm at k.cu:41)": the source location of an instruction with its two innermost
 * inlined calls; returns the length. */
int describe_source(const struct rp_kernel *, const struct rp_instruction *, char *text, size_t size);
/* The report: one line with kernel, instruction, source line, block, thread, address. */
void fault_report(const struct block *, struct rp_error *);

#define FOR_LANES(l, mask)                                                                                             \
    for (lanemask m_##l = (mask), l; m_##l && (l = (lanemask)__builtin_ctz(m_##l), 1); m_##l &= m_##l - 1)

#endif
