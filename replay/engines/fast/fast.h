/* The fast engine: the same timing as the reference engine, from event to event.
 *
 * What it does otherwise:
 *  - Static work is done once per kernel: unit, latency, and the registers of every instruction as dense numbers, so
 *    that a warp's scoreboard is an array of the cycles in which its registers are free.
 *  - Nearly all of an instruction's timing is known when it issues. So when a warp has issued, its next instruction is
 *    fetched and the cycle in which it can issue ("wake") is worked out at once: no warp is looked at again before
 * that. What waits for an access whose end is not known yet has no wake, and gets one when the memory system says the
 * end.
 *  - A sub-core keeps its warps as bits of 64-bit masks: ready ones, and a wheel of masks for the cycles to come.
 *  - Bank conflicts and transactions depend on an access's pattern and its base modulo a period: they are remembered.
 *  - Cycles in which nothing can issue are skipped.
 *  - An SM goes on by itself, from event to event, as far as nothing of the chip can matter to it (dispatch.c).
 */
#ifndef REPRISE_REPLAY_ENGINES_FAST_FAST_H
#define REPRISE_REPLAY_ENGINES_FAST_FAST_H

#include "hw-models/unit/pipelined.h"
#include "replay/base/async.h"
#include "replay/base/cluster.h"
#include "replay/base/occupancy.h"
#include "replay/base/trace_semantics.h"
#include "replay/engines/period.h"
#include "replay/engines/report.h"
#include "replay/memory/memory_system.h"

#define NEVER UINT64_MAX
/* A cycle that is not known yet: the largest that a scoreboard entry holds. */
#define UNKNOWN (UINT64_MAX >> PRODUCER_BITS)

/* For what happens once per warp instruction: compilers leave functions alone that are called from two places. */
#define HOT static inline __attribute__((always_inline))

/* ---- static tables ---------------------------------------------------------------------------------------------- */

enum op_flag {
    OP_FREE_EXIT = 1 << 0, /* takes no time */
    OP_CONTROL = 1 << 1,
    OP_FENCE = 1 << 2,
    OP_BARRIER = 1 << 3,      /* at which warps of the block arrive */
    OP_ACCESS = 1 << 4,       /* has memory operands */
    OP_BY_SPACE = 1 << 5,     /* timed by the space that its execution reaches */
    OP_EXTENDED = 1 << 6,     /* set for all on machines with more than the scoreboard, one issue per cycle and a
                               * perfect instruction cache, and with OP_OBSERVED */
    OP_FETCHED = 1 << 7,      /* through an instruction cache that is not perfect; extended, too */
    OP_PLAIN = 1 << 8,        /* an access that is one transaction and takes no time of its own; not with OP_ACCESS */
    OP_MANY = 1 << 9,         /* waits for or writes more registers than stand in the op */
    OP_ORDERED = 1 << 10,     /* an access in a kernel with fences for the block: noted when it is performed for that */
    OP_BLOCK_FENCE = 1 << 11, /* with OP_FENCE: waits until accesses are performed for the block */
    OP_EXIT = 1 << 12,        /* ends lanes */
    OP_OBSERVED = 1 << 13,    /* an observer wants issues, stalls or ends */
    OP_ACTS = 1 << 14,        /* does something to barrier objects or groups of asynchronous work */
    OP_STARTS = 1 << 15,      /* with OP_ACTS: starts such work, which nothing else of the warp waits for */
    OP_TESTS = 1 << 16,       /* with OP_ACCESS: may wait for the end of a phase of an object */
    OP_GROUPS = 1 << 17,      /* waits for groups */
    OP_CLUSTER = 1 << 18,     /* at the barrier of the cluster */
    OP_SPECIAL = OP_CONTROL | OP_BARRIER | OP_ACCESS | OP_PLAIN | OP_EXIT | OP_CLUSTER,
};

/* What a scoreboard entry's lowest bits say: who writes the register. Above them: the cycle from which it is free. So
 * the maximum of entries is the latest one, and among equals the one that counts first as reason for a stall. Of an
 * access whose answer is known it is PRODUCER_MEMORY + enum response_level. */
enum producer { PRODUCER_OTHER, PRODUCER_SHARED, PRODUCER_MEMORY, PRODUCERS };
#define PRODUCER_BITS 3
#define PRODUCER_MASK 7u
static inline enum response_level producer_level(unsigned producer)
{
    return producer > PRODUCER_MEMORY ? (enum response_level)(producer - PRODUCER_MEMORY) : RESPONSE_NONE;
}
static inline uint8_t producer_answered(uint8_t producer, enum response_level level)
{
    return producer == PRODUCER_MEMORY ? (uint8_t)(PRODUCER_MEMORY + level) : producer;
}

/* Most instructions name few registers: those stand in the op, so that their number makes no branch. */
#define OP_WAITS 4

struct op {
    uint32_t wait[OP_WAITS];      /* registers that must be free, filled up with `free_register` */
    uint32_t destination;         /* the first one, `no_register` without any */
    uint32_t registers;           /* index into program.registers: destinations, then sources that are no destination */
    uint16_t destinations, waits; /* counts: destinations, and all of them */
    uint32_t flags;
    uint8_t unit, producer;
    uint16_t counter; /* of OP_PLAIN: where in struct fast_part the counter is that it adds to */
    uint32_t initiation, latency;
};

struct program {
    struct op *ops;
    uint32_t *registers;
    uint32_t register_count; /* entries of a scoreboard: the different registers, and the two below */
    uint32_t free_register;  /* is never written */
    uint32_t no_register;    /* is never waited for */
    uint32_t free_exits;     /* instructions that take no time */
};
struct fast;
struct fast_grid;
/* For the grid's kernel and the chip's machine. With control words no instruction waits for registers. */
bool program_build(struct program *, const struct fast *, const struct fast_grid *, struct rp_error *);
void program_free(struct program *);

/* ---- state ------------------------------------------------------------------------------------------------------ */

struct fast_block;
struct fast_signals;
struct fast_subcore;
struct fast_part;

struct fast_warp {
    uint64_t *scoreboard; /* [register_count] */
    struct rp_cursor cursor;
    struct rp_step next;
    const struct op *op; /* of next */
    uint32_t initiation, latency;
    uint8_t unit, producer; /* of next, resolved */
    bool ended, waiting;
    uint8_t slot, number, barrier;
    struct fast_subcore *subcore;
    struct fast_part *part;
    uint64_t
        wake; /* the first cycle in which the next instruction may issue as far as this warp is concerned; UNKNOWN */
    uint32_t unresolved; /* accesses whose end is not known */
    uint32_t unordered;  /* with OP_ORDERED: those of which it is not known when they are performed for the block */
    uint64_t ordered;    /* when the others are */
    uint64_t placed, first_issue, barrier_until, memory_done, completion;
    uint64_t released;      /* the later of first_issue and barrier_until */
    uint64_t control_until; /* at least the cycle after the last issue */
    uint64_t groups_done;   /* with OP_GROUPS: when what the next instruction waits for is complete */
    uint64_t fetched;       /* when the next instruction is at hand; 0 with a perfect instruction cache, and for what is
                               asynchronous */
    uint64_t earliest;      /* the same as wake without control_until; kept with OP_EXTENDED only */
    struct fast_signals *signals; /* NULL without control words */
    struct fast_block *block;
    struct warp_stream random; /* where memory draws */
    uint64_t issued;           /* with OP_OBSERVED: instructions */
    struct arrival arrival;    /* the last: it is seldom needed */
};

struct fast_barrier {
    uint64_t threads, arrived, expected; /* threads that have arrived, warps that have or wait, threads expected */
    bool parts;                          /* of a warp have arrived before the rest of it */
};

/* Blocks that are on the machine together. */
struct fast_cluster {
    unsigned blocks, unplaced, left; /* of them in all, assigned and not yet placed, and assigned and not yet gone */
    bool awaited;                    /* somebody has arrived at its barrier */
    uint64_t over;                   /* who waits there goes on at this cycle, when the last arrival was */
    struct fast_block *block[RP_CLUSTER_MOST]; /* by rank; NULL: it is not there yet, or has left */
};

struct fast_block {
    uint64_t index, completion;
    struct fast_cluster *cluster; /* NULL: its launch has none */
    uint32_t rank;
    struct fast_sm *sm;
    struct rp_block *trace;
    uint64_t ended, waiting; /* warps, by number */
    uint8_t warp_count, live;
    uint32_t unresolved;     /* accesses of its warps whose end is not known */
    struct fast_warp *warps; /* with the three below this block's own, kept while the block is free */
    uint64_t *scoreboards;
    struct fast_signals *signals; /* with control words, one per warp */
    struct async_block *async;    /* NULL: its kernel has nothing of the kind; kept like these */
    struct fast_part *part;
    struct fast_block *next;  /* of the SM's resident blocks, or of the part's free ones */
    uint32_t active_barriers; /* ids with arrivals */
    struct fast_barrier barriers[BLOCK_BARRIERS];
};

#define WHEEL 256u /* cycles, a power of two, a multiple of 64 */

struct fast_subcore {
    uint64_t ready; /* slots whose wake has come */
    uint64_t busy;  /* units that may not accept, by number */
    uint64_t accepts[MACHINE_UNITS];
    uint64_t uses[MACHINE_UNITS]; /* slots whose next instruction goes to the unit */
    uint64_t caches;              /* and those whose goes to caches, on machines whose LSU may refuse */
    uint64_t refused;             /* those of them that were ready when the LSU refused them the last time */
    uint64_t pending[WHEEL / 64]; /* which entries of the wheel are not empty */
    uint64_t wheel[WHEEL];        /* slots that wake in cycle c, at c modulo WHEEL */
    uint64_t far, far_first;      /* slots that wake later than the wheel reaches, and the first such cycle */
    uint64_t accounted;           /* cycles before this one are charged */
    struct fast_warp *slots[SCHEDULER_SLOTS];
    uint64_t yielding, yields_at; /* the slot that leaves the others the first choice, and in which cycle */
    uint64_t taken;               /* slots with a resident warp, ended or not */
    void *scheduler, *units[MACHINE_UNITS];
    struct pipelined *pipelined[MACHINE_UNITS]; /* units of that model, else NULL */
    uint32_t chip_number;                       /* SM × sub-cores + number */
    uint8_t number;                             /* in the SM */
};

struct memo;

/* One launch, as the whole chip sees it. */
struct fast_grid {
    struct engine_launch of;
    const struct rp_kernel *kernel;
    const struct rp_launch *launch;
    struct program program;
    bool control_words;    /* hold instructions back, instead of the scoreboard */
    bool async;            /* the kernel has barrier objects or asynchronous work */
    bool clusters;         /* it has clusters, if only of one block */
    uint64_t next_cluster; /* to place */
    struct room block_room;
    uint64_t next_block;      /* how many were placed, and which is next without clusters */
    uint64_t seen, stay;      /* blocks before `seen` that are not placed stay so many cycles, at least */
    struct fast_part **parts; /* [SMs]; NULL: the SM has had none of its blocks */
    struct fast_grid *next;   /* the one that came after it */
};

/* What an SM has of a grid. */
struct fast_part {
    const struct fast_grid *grid;
    struct statistics statistics;
    struct fast_block *free;
    unsigned resident;
    uint64_t occupied_since, last_leave;
    uint64_t report_at; /* warp instructions at which progress is reported next */
    uint64_t reported;
};

/* A block that is to be placed. */
struct fast_assigned {
    struct fast_part *part;
    uint64_t index;
    struct fast_cluster *cluster;
    uint32_t rank;
};

/* An access whose end is not known yet, by its token. */
struct fast_access {
    struct fast_warp *warp; /* NULL: free */
    const struct op *op;
    uint64_t done; /* the end of what else the instruction does */
    uint32_t latency;
    uint32_t record; /* of control words: number of the instruction's record, 0 for none */
    uint32_t next;   /* free one */
    uint8_t producer;
    bool unordered; /* its warp counts it so */
    bool starts;    /* it is asynchronous */
    uint64_t name;  /* then: as async_known() is told */
};

#define NO_ACCESS UINT32_MAX

/* Its instruction, for an observer that wants ends. */
struct fast_observed {
    uint64_t number, dispatched;
};

#define MOST_SUBCORES 16u
#define MOST_BLOCKS 64u /* resident on an SM */

struct fast_sm {
    const struct fast *chip;
    struct memo *memo; /* of the thread that runs this SM */
    uint64_t now;      /* the last cycle in which something happened here */
    uint64_t until;    /* it goes on through all cycles before this one; nearer when something leaves for the chip */
    uint64_t stop;     /* the same, and before all else that is not the business of a sub-core */
    unsigned subcore_count;       /* 0: it has had no block yet, and holds nothing */
    uint64_t next[MOST_SUBCORES]; /* per sub-core: the next cycle in which it must be looked at */
    struct fast_subcore *subcores;
    uint64_t next_leave, last_issue, last_leave;
    uint64_t idle_cycles, occupied_cycles; /* of sub-cores without a warp; with a block */
    uint64_t next_place;                   /* the cycle from which it may get a block */
    uint64_t next_room;                    /* the cycle in which it pauses because it has room, NEVER for none */
    bool pauses;                           /* where blocks leave: others may come */
    bool paused;                           /* at `now`, in which nothing has issued yet */
    struct room left;                      /* less what the blocks take that are assigned */
    struct fast_block *first;              /* resident blocks */
    unsigned resident;
    unsigned assigned_count; /* blocks that are placed next */
    uint64_t occupied_since, shared_free;
    uint64_t way_free;        /* when its way to the shared memory of other SMs takes the next access */
    uint64_t shared_end;      /* of the accesses of the instruction that is being issued, those to shared memory */
    struct async_queue tells; /* their next cycle counts in memory_next */
    struct sm_memory *memory;
    uint64_t memory_next;           /* the cycle in which it has to be advanced */
    struct fast_access *accesses;   /* by token */
    struct fast_observed *observed; /* the same; NULL: no observer wants ends */
    uint32_t access_count, free_access;
    uint32_t token;            /* of the access that is being made, NO_ACCESS: none */
    enum response_level level; /* of the access that was made, if its end is known */
    uint64_t taken;            /* when the LSU has taken it, asked for posted ones with OP_ORDERED; or MEMORY_PENDING */
    bool starved;              /* memory ran out in the midst of an instruction */
    struct fast_part *part;    /* of the block that came last; NULL once its launch has ended */
    bool failed;
    /* from here on nothing is set when a period begins */
    struct fast_assigned assigned[MOST_BLOCKS]; /* blocks that are placed next, at `now` */
    struct rp_error error;
};

/* The chip. While SMs run it does not change, but for chip_next and what lies behind `memory`. */
struct fast {
    const struct engine_job *job;
    const struct machine *machine;
    const struct scheduler_model *scheduler;
    const struct unit_model *unit_models[MACHINE_UNITS];
    bool plain_shared, plain_global;     /* an access is one transaction whose time is always the same */
    bool immediate, may_refuse, stepped; /* what the memory system says of itself */
    bool crowded;                        /* SMs together need more than the caches of a computer hold */
    uint64_t sector;                     /* where it matters which bytes of it a write covers, else 0 */
    bool atomics_repeat;                 /* lanes of an atomic at one address take longer */
    uint64_t delay;                      /* of an immediate one */
    bool constants;                      /* the constant cache may miss */
    bool observes, observes_done;        /* an observer wants issues, stalls or ends; ends */
    uint64_t lookahead;                  /* of the memory system; NEVER: SMs have nothing in common */
    bool light;                          /* the chip's part is little: it is done when the SMs' is */
    uint64_t way;                        /* cycles that a request is under way to the chip, at least */
    uint64_t from;                       /* cycles before this one are over for all SMs */
    uint64_t heard;                      /* SMs know of all that the chip does in cycles before this one */
    uint64_t chip_next;                  /* the next cycle in which something happens beyond the SMs */
    struct engine_period period;
    struct fast_grid *grids; /* on the machine, in the order in which they came */
    int64_t grid_count;
    uint64_t together; /* the first cycle in which SMs must not be ahead of one another; NEVER: they may always be */
    bool in_step;      /* all SMs are in the cycle at hand */
    bool clusters;     /* launches in clusters are on the machine, or may come: all SMs go on in step */
    unsigned sm_count;
    struct fast_sm *sms;
    uint64_t *next; /* [sm_count]: the next cycle in which something happens on the SM */
    unsigned next_sm;
    /* kept from period to period */
    struct memory_system *memory;
    struct crew *crew;   /* threads for large launches; NULL: none was yet */
    struct memo **memos; /* one per thread */
    unsigned memo_count;
};

/* Where the warp is, for an observer. */
static inline struct engine_place fast_place(const struct fast_sm *sm, const struct fast_warp *w)
{
    return (struct engine_place){.launch = w->part->grid->of.number,
                                 .warp = w->number,
                                 .block = w->block->index,
                                 .sm = (uint32_t)(sm - sm->chip->sms),
                                 .subcore = w->subcore->number};
}

/* ---- wheel.c ---------------------------------------------------------------------------------------------------- */

/* The warp in the slot wakes at `wake`, which is `now` or later. */
static inline void wheel_add(struct fast_subcore *sc, unsigned slot, uint64_t now, uint64_t wake)
{
    if (wake - now < WHEEL) {
        unsigned at = wake % WHEEL;
        sc->wheel[at] |= 1ull << slot;
        sc->pending[at / 64] |= 1ull << at % 64;
    } else if (wake < UNKNOWN) {
        sc->far |= 1ull << slot;
        sc->far_first = wake < sc->far_first ? wake : sc->far_first;
    }
}
/* Takes it away again; it was put there in this cycle. */
static inline void wheel_remove(struct fast_subcore *sc, unsigned slot, uint64_t wake)
{
    sc->wheel[wake % WHEEL] &= ~(1ull << slot);
    if (!sc->wheel[wake % WHEEL])
        sc->pending[wake % WHEEL / 64] &= ~(1ull << wake % WHEEL % 64);
}
/* Takes it away from wherever it is. */
void wheel_withdraw(struct fast_subcore *, unsigned slot, uint64_t now, uint64_t wake);
/* Brings what has come within the wheel's reach onto it. */
void wheel_bring(struct fast_subcore *, uint64_t now);
/* Moves all that wakes at `now` to ready. Must be called in every cycle in which something wakes. */
HOT void wheel_turn(struct fast_subcore *sc, uint64_t now)
{
    if (sc->far && sc->far_first - now < WHEEL)
        wheel_bring(sc, now);
    unsigned at = now % WHEEL;
    sc->ready |= sc->wheel[at];
    sc->wheel[at] = 0;
    sc->pending[at / 64] &= ~(1ull << at % 64);
}
/* The next cycle after `now` in which something wakes, NEVER for none. */
uint64_t wheel_next(const struct fast_subcore *, uint64_t now);

/* ---- blocks.c --------------------------------------------------------------------------------------------------- */

/* Makes the SM ready for its first block. */
bool fast_sm_open(struct fast_sm *);
/* Places the blocks that were assigned to the SM, in its cycle `now`. */
bool fast_place_blocks(struct fast_sm *, struct rp_error *);
void fast_leave_blocks(struct fast_sm *);
void fast_close_blocks(struct fast_sm *); /* after a failure, too */
void fast_free_blocks(struct fast_part *);
/* The warp has no more instructions. */
void fast_end_warp(struct fast_sm *, struct fast_warp *);
/* When the registers of the next instruction are free, as a scoreboard entry. */
HOT uint64_t registers_free(const struct fast_warp *w)
{
    const struct op *op = w->op;
    const uint64_t *board = w->scoreboard;
    uint64_t a = board[op->wait[0]], b = board[op->wait[1]], c = board[op->wait[2]], d = board[op->wait[3]];
    a = a > b ? a : b;
    c = c > d ? c : d;
    a = a > c ? a : c;
    if (op->flags & OP_MANY) {
        const uint32_t *number = w->part->grid->program.registers + op->registers;
        for (unsigned i = OP_WAITS; i < op->waits; i++)
            a = board[number[i]] > a ? board[number[i]] : a;
    }
    return a;
}

/* ---- barriers.c ------------------------------------------------------------------------------------------------- */

void fast_arrive(struct fast_sm *, struct fast_warp *);
/* The warp has come to a barrier in part: its next step, which may be the end (op NULL), goes on with it or not. */
void fast_arrive_on(struct fast_sm *, struct fast_warp *);
void fast_exit(struct fast_sm *, struct fast_warp *, rp_lanemask lanes);
void fast_check_barriers(struct fast_sm *, struct fast_block *);
/* The warp's next step waits for a phase that is not over: it waits from now on. False: it does not. */
bool fast_await(struct fast_sm *, struct fast_warp *);
/* The warp's next instruction, which issues, does something to barrier objects or groups; `done`, or UNKNOWN: when what
 * it starts is complete. */
void fast_act(struct fast_sm *, struct fast_warp *, uint64_t done);
/* What copies tell objects in cycle `now`. */
void fast_tell(struct fast_sm *, uint64_t now);
/* Nothing can ever happen again on the whole chip. */
bool fast_stuck(struct fast *, struct rp_error *);

/* Phases of the block's objects have ended. */
void fast_release_objects(struct fast_block *);

/* ---- clusters.c -------------------------------------------------------------------------------------------------- */

/* Assigns whole clusters of the launch in cycle `now`, all SMs being in step. */
bool fast_assign_clusters(struct fast *, struct fast_grid *, uint64_t now, struct rp_error *);
void fast_leave_cluster(struct fast_cluster *, uint32_t rank);
/* The warp's next instruction issues, at the barrier of its cluster. */
void fast_cluster_barrier(struct fast_sm *, struct fast_warp *);
/* Lanes have exited: others may have waited for them only. */
void fast_check_cluster(struct fast_cluster *, uint64_t now);
/* In cycle `now` of another SM something happens to warps of this one. */
static inline void fast_sm_come(struct fast_sm *sm, uint64_t now) { sm->now = sm->now < now ? now : sm->now; }
/* Behind it: when it must be looked at next. */
void fast_sm_look(struct fast_sm *);

/* ---- memory.c --------------------------------------------------------------------------------------------------- */

struct memo *memo_new(void);
void memo_free(struct memo *);
/* Makes the accesses of the warp's next instruction. Returns when its result is there, its latency included, or
 * UNKNOWN: then sm->token names the access. */
uint64_t fast_memory(struct fast_sm *, struct fast_warp *, uint64_t dispatched, uint64_t accepted);

/* ---- completion.c ------------------------------------------------------------------------------------------------ */

/* A name for an access that is about to be made. */
uint32_t fast_access_new(struct fast_sm *);
void fast_access_free(struct fast_sm *, uint32_t token);
/* Lets the SM's part of the memory system do what is due, and carries out what it completes. */
void fast_advance_memory(struct fast_sm *, uint64_t now);

/* ---- sm.c -------------------------------------------------------------------------------------------------------- */

/* The first cycle in which what others do may matter to the SM, as far as is known. */
static inline uint64_t fast_sm_horizon(const struct fast_sm *sm)
{
    const struct fast *f = sm->chip;
    return f->lookahead == NEVER ? NEVER : sm_memory_horizon(sm->memory, f->heard, f->lookahead);
}
/* In this cycle there is something to do beside the sub-cores' work. */
static inline void fast_sm_stop(struct fast_sm *sm, uint64_t cycle) { sm->stop = cycle < sm->stop ? cycle : sm->stop; }
/* Something has left the SM, perhaps: it must not go on beyond what may come of it. */
static inline void fast_sm_limit(struct fast_sm *sm)
{
    uint64_t horizon = fast_sm_horizon(sm);
    sm->until = horizon < sm->until ? horizon : sm->until;
    fast_sm_stop(sm, horizon);
}
/* Lets the SM go on through all cycles before sm->until. It stops early, before anything issues in that cycle, where
 * blocks have left and others may come (`paused`). Returns the next cycle in which something happens on the SM;
 * `failed` and `error` say how it went. */
uint64_t fast_sm_run(struct fast_sm *, struct memo *);
/* In cycle `now` blocks leave whose time has come, and the SM pauses if others may come now. */
void fast_sm_leave(struct fast_sm *, uint64_t now);
/* The next cycle in which something happens on the SM, NEVER for none. */
uint64_t fast_sm_next(const struct fast_sm *);

/* ---- prefetch.c -------------------------------------------------------------------------------------------------- */

/* Before fast_sm_run(): changes nothing but the time that this takes. */
void fast_prefetch(const struct fast_sm *);
/* Compilers number registers as code goes on: those of the instructions that come soon. */
HOT void fast_prefetch_board(const struct fast_warp *w, const struct op *op)
{
    __builtin_prefetch(&w->scoreboard[op->destination + 16], 1);
}

/* ---- together.c -------------------------------------------------------------------------------------------------- */

/* In cycle `now`, to which all SMs have come: in cycles before the one returned they may be ahead of one another. */
uint64_t fast_together(const struct fast *, uint64_t now);

/* ---- dispatch.c -------------------------------------------------------------------------------------------------- */

/* From the first cycle of the period to its last. */
bool fast_run_period(struct fast *, uint64_t *cycles, struct rp_error *);

/* ---- grids.c ----------------------------------------------------------------------------------------------------- */

/* Takes launches that are ready, as many as the machine runs at once. */
bool fast_take_launches(struct fast *, uint64_t now, struct rp_error *);
/* The cycle in which one may come because a copy of the host ends; NEVER: none. */
uint64_t fast_wakes(const struct fast *);
/* Lets those go whose last block has left, `now` or before; their ends are told as of their last blocks. */
void fast_end_launches(struct fast *, uint64_t now);
void fast_free_grids(struct fast *);
/* The first launch with blocks to place: others wait behind it. NULL: none. */
struct fast_grid *fast_first_waiting(const struct fast *);
/* A block of the grid will be placed on the SM: its number, its cluster and its rank there. */
bool fast_assign(struct fast *, struct fast_grid *, struct fast_sm *, const struct fast_assigned *, struct rp_error *);

#endif
