/* The fast engine: the same timing as the reference engine, from event to event.
 *
 * How it differs from the reference engine:
 *  - Static work is done once per kernel: the unit, the latency and the registers of every instruction. Registers get
 *    dense numbers, so a warp's scoreboard is an array of the cycles in which its registers are free. Registers that
 *    are not in use at the same time share an entry (entries.c).
 *  - Nearly all of an instruction's timing is known when it issues. So when a warp has issued, the engine fetches its
 *    next instruction and computes at once the cycle in which that can issue ("wake"). No warp is looked at before its
 *    wake. An instruction that waits for an access whose end is unknown has no wake. It gets one when the memory system
 *    reports the end.
 *  - A sub-core keeps its warps as bits of 64-bit masks: a mask of ready warps, and a wheel of masks for the cycles to
 *    come.
 *  - Bank conflicts and transactions depend on an access's pattern and its base modulo a period: they are memoized.
 *  - Cycles in which nothing can issue are skipped.
 *  - An SM runs by itself, from event to event, as long as no response can reach it (dispatch.c).
 */
#ifndef REPRISE_REPLAY_ENGINES_FAST_FAST_H
#define REPRISE_REPLAY_ENGINES_FAST_FAST_H

#include "hw-models/scheduler/gto.h"
#include "hw-models/unit/pipelined.h"
#include "replay/base/async.h"
#include "replay/base/cluster.h"
#include "replay/base/occupancy.h"
#include "replay/base/trace_semantics.h"
#include "replay/engines/period.h"
#include "replay/engines/report.h"
#include "replay/memory/memory_system.h"

#define NEVER UINT64_MAX
#define HOST_LINE 64u /* bytes of a line of the host's caches */
/* A cycle that is not known yet: the largest that a scoreboard entry holds. */
#define UNKNOWN (UINT64_MAX >> PRODUCER_BITS)

/* For functions that run once per warp instruction: compilers do not inline a function with two callers by themselves.
 */
#define HOT static inline __attribute__((always_inline))

/* ---- static tables ---------------------------------------------------------------------------------------------- */

enum op_flag {
    OP_FREE_EXIT = 1 << 0, /* takes no time */
    OP_CONTROL = 1 << 1,
    OP_FENCE = 1 << 2,
    OP_BARRIER = 1 << 3,      /* a barrier of the block */
    OP_ACCESS = 1 << 4,       /* has memory operands */
    OP_BY_SPACE = 1 << 5,     /* timed by the space that its execution reaches */
    OP_EXTENDED = 1 << 6,     /* all instructions have it with control words, dual issue, an instruction cache that can
                                 miss, or OP_OBSERVED; else those of barrier objects and groups */
    OP_FETCHED = 1 << 7,      /* comes through an instruction cache that can miss; extended, too */
    OP_PLAIN = 1 << 8,        /* an access that is one transaction and takes no time of its own; not with OP_ACCESS */
    OP_MANY = 1 << 9,         /* waits for or writes more registers than the op holds */
    OP_ORDERED = 1 << 10,     /* an access in a kernel with block fences: noted when it is performed for the block */
    OP_BLOCK_FENCE = 1 << 11, /* with OP_FENCE: waits until accesses are performed for the block */
    OP_EXIT = 1 << 12,        /* ends lanes */
    OP_OBSERVED = 1 << 13,    /* an observer wants issues, stalls or ends */
    OP_ACTS = 1 << 14,        /* changes barrier objects or groups of asynchronous work */
    OP_STARTS = 1 << 15,  /* with OP_ACTS: starts asynchronous work, for whose registers nothing in the warp waits */
    OP_TESTS = 1 << 16,   /* with OP_ACCESS: may wait for the end of a phase of an object */
    OP_GROUPS = 1 << 17,  /* waits for groups */
    OP_CLUSTER = 1 << 18, /* at the barrier of the cluster */
    OP_CACHES = 1 << 19,  /* with OP_ACCESS: may go to caches, on machines whose LSU may refuse */
    OP_SHARED = 1 << 20,  /* with OP_ACCESS: is one access to the block's shared memory */
    OP_LEAVES = 1 << 21,  /* another than the next instruction may follow it, and no shared entry is in use behind it */
    OP_GUARDED = 1 << 22,
    OP_AUX = 1 << 23,    /* has aux values */
    OP_ATOMIC = 1 << 24, /* with OP_SHARED: the operand is atomic */
    OP_SPECIAL = OP_CONTROL | OP_BARRIER | OP_ACCESS | OP_PLAIN | OP_EXIT | OP_CLUSTER,
};

/* A scoreboard entry has the kind of the producer of the register in its lowest bits, and above them the cycle from
 * which the register is free. So the maximum of several entries is the latest one; of equal cycles it is the kind that
 * has precedence as the reason for a stall. An access whose response is known has the kind PRODUCER_MEMORY + enum
 * response_level. */
enum producer { PRODUCER_OTHER, PRODUCER_SHARED, PRODUCER_MEMORY, PRODUCERS };
#define PRODUCER_BITS 3
#define PRODUCER_MASK 7u
static inline enum response_level producer_level(unsigned producer)
{
    return producer > PRODUCER_MEMORY ? (enum response_level)(producer - PRODUCER_MEMORY) : RESPONSE_NONE;
}
static inline uint8_t producer_served(uint8_t producer, enum response_level level)
{
    return producer == PRODUCER_MEMORY ? (uint8_t)(PRODUCER_MEMORY + level) : producer;
}

/* Most instructions name few registers. The op holds these, so that the scoreboard check needs no branch on their
 * number. */
#define OP_WAITS 4

struct op {
    uint32_t wait[OP_WAITS];      /* entries of registers that must be free, filled up with FREE_ENTRY */
    uint32_t destination;         /* the first one's entry, NO_ENTRY without any */
    uint32_t registers;           /* index into program.registers: destinations, then sources that are no destination */
    uint16_t destinations, waits; /* counts: destinations, and all of them */
    uint32_t flags;
    uint8_t unit, producer;
    uint16_t counter; /* with OP_PLAIN or OP_SHARED: the offset in struct fast_part of its counter of transactions */
    uint32_t initiation, latency;
    uint16_t accesses; /* memory operands */
    uint16_t width;    /* with OP_SHARED: the operand's, in bytes per lane */
};

/* Entries of a scoreboard that are no register's: one that is never written, and one that is never waited for. */
enum { FREE_ENTRY, NO_ENTRY, FIRST_ENTRY };

/* What the instructions of a kernel do with a register: entries.c. */
struct register_use {
    uint32_t first, last; /* instructions that name it */
    uint32_t region;      /* that all of these are in; 0: none yet, SEVERAL: more than one */
    uint32_t entry;       /* that it has in scoreboards */
    bool pending;         /* no instruction waits for its last result */
};

struct program {
    struct op *ops;            /* [2][op_count]: with shared entries, and with an entry for each register */
    uint32_t op_count;         /* instructions */
    uint32_t *registers;       /* entries of scoreboards, as the ops name them */
    uint32_t register_count;   /* different registers */
    uint32_t shared_entries;   /* entries that registers share come first in a scoreboard, then one for each register */
    uint32_t entry_count;      /* entries of a scoreboard: a multiple of what a line of the host's caches holds */
    struct register_use *uses; /* [register_count] */
    uint32_t free_exits;       /* instructions that take no time */
};
struct fast;
struct fast_grid;
/* For the grid's kernel and the chip's machine. With control words no instruction waits for registers. */
bool program_build(struct program *, const struct fast *, const struct fast_grid *, struct rp_error *);
void program_free(struct program *);

/* ---- entries.c -------------------------------------------------------------------------------------------------- */

/* Gives the registers of the kernel entries of a scoreboard. Ops name registers by their numbers before, in `used`
 * items of program.registers; afterwards by entries, and the second half of the ops is there. False: out of memory. */
bool entries_share(struct program *, const struct rp_kernel *, uint32_t registers, uint32_t used);

/* ---- state ------------------------------------------------------------------------------------------------------ */

struct fast_block;
struct fast_signals;
struct fast_subcore;
struct fast_part;

/* What nearly every issue touches comes first: four lines of the host's caches. */
struct fast_warp {
    _Alignas(HOST_LINE) uint64_t *scoreboard; /* [entry_count] */
    const struct op *ops;                     /* of its kernel: with shared entries or without */
    struct rp_cursor cursor;
    struct rp_step next;
    const struct op *op; /* of next */
    uint32_t initiation, latency;
    uint8_t unit, producer; /* of next, after its space is resolved */
    bool ended, waiting;
    uint8_t slot, number, barrier;
    struct fast_subcore *subcore;
    struct fast_part *part;
    uint64_t wake;     /* the first cycle in which the next instruction may issue, sub-core and unit aside; UNKNOWN */
    uint64_t awaited;  /* registers_free() when `wake` was computed, and when the instruction issues */
    uint64_t released; /* the later of first_issue and barrier_until */
    uint64_t control_until; /* at least the cycle after the last issue */
    uint64_t first_issue, barrier_until;
    uint64_t fetched; /* when the fetch of the next instruction ends; 0 with a perfect instruction cache */
    uint64_t memory_done, completion;
    struct fast_signals *signals; /* NULL without control words */
    struct fast_block *block;
    uint32_t unresolved; /* accesses whose end is not known */
    uint32_t unordered;  /* with OP_ORDERED: accesses of which it is not known when they are performed for the block */
    uint64_t ordered;    /* when all other accesses are performed for the block */
    uint64_t placed;
    uint64_t groups_done;      /* with OP_GROUPS: when the groups that the next instruction waits for are complete */
    uint64_t earliest;         /* the same as wake without control_until; kept with OP_EXTENDED only */
    struct warp_stream random; /* where memory is sampled */
    uint64_t issued;           /* with OP_OBSERVED: instructions */
    struct arrival arrival;    /* the last member, as it is hardly ever used */
};

struct fast_barrier {
    uint64_t threads, arrived, expected; /* threads that have arrived; a bit for each warp that has arrived or waits;
                                            threads expected, 0: all of the block */
    bool parts;                          /* some lanes of a warp have arrived before its other lanes */
    bool of_launch;                      /* it opens for all blocks of the launch at once */
};

/* Blocks that are on the machine together. */
struct fast_cluster {
    unsigned blocks, unplaced, left; /* of the cluster; assigned and not yet placed; assigned and not yet gone */
    bool awaited;                    /* a warp has arrived */
    uint64_t over;                   /* the cycle in which the last complete barrier releases its warps */
    struct fast_block *block[RP_CLUSTER_MOST]; /* by rank; NULL: it is not placed yet, or has left */
};

struct fast_block {
    uint64_t index, completion;
    struct fast_cluster *cluster; /* NULL: its launch has none */
    uint32_t rank;
    struct fast_sm *sm;
    struct rp_block *trace;
    uint64_t ended, waiting; /* warps, by number */
    uint8_t warp_count, live;
    uint8_t number;          /* among the resident blocks of the SM */
    uint32_t unresolved;     /* accesses of its warps whose end is not known */
    struct fast_warp *warps; /* this and the next three belong to the block, and are kept while it is free */
    uint64_t *scoreboards;
    struct fast_signals *signals; /* with control words, one per warp */
    struct async_block *async;    /* NULL: its kernel has no barrier objects or asynchronous work */
    struct fast_part *part;
    struct fast_block *next;  /* of the SM's resident blocks, or of the part's free ones */
    uint32_t active_barriers; /* ids with arrivals */
    struct fast_barrier barriers[BLOCK_BARRIERS];
};

#define WHEEL 256u /* cycles, a power of two, a multiple of 64 */

/* What every step touches comes first. */
struct fast_subcore {
    _Alignas(HOST_LINE) uint64_t ready; /* slots whose wake has come */
    uint64_t busy;                      /* units that may not accept, by number */
    uint64_t pending[WHEEL / 64];       /* which entries of the wheel are not empty */
    uint64_t far, far_first;            /* slots that wake later than the wheel reaches, and the first such cycle */
    uint64_t accounted;                 /* cycles before this one are charged */
    uint64_t yielding, yields_at;       /* mask of the slot that yields to the others, and the cycle in which it does */
    uint64_t caches;       /* slots whose next instruction accesses caches, on machines whose LSU may refuse */
    uint64_t refused;      /* slots of `caches` that were ready when the LSU last refused */
    uint64_t shared_units; /* by number: other sub-cores have the same instance */
    void *scheduler;
    struct gto *gto; /* the same, if it is of that model; else NULL */
    uint64_t accepts[MACHINE_UNITS];
    uint64_t uses[MACHINE_UNITS];               /* slots whose next instruction goes to the unit */
    struct pipelined *pipelined[MACHINE_UNITS]; /* units of that model, else NULL */
    void *units[MACHINE_UNITS];
    uint64_t taken;       /* slots with a resident warp, ended or not */
    uint32_t chip_number; /* SM × sub-cores + number */
    uint8_t number;       /* in the SM */
    struct fast_warp *slots[SCHEDULER_SLOTS];
    uint64_t wheel[WHEEL]; /* slots that wake in cycle c, at c modulo WHEEL */
};

struct memo;

/* Instructions that a warp issues first, and the least number of cycles in which it does. */
struct first_run {
    uint32_t start, length;
    uint64_t cycles;
};

/* One launch, as the whole chip sees it. */
struct fast_grid {
    struct engine_launch of;
    const struct rp_kernel *kernel;
    const struct rp_launch *launch;
    struct program program;
    bool control_words;    /* control words decide when instructions issue, instead of the scoreboard */
    bool async;            /* the kernel has barrier objects or asynchronous work */
    bool clusters;         /* it has clusters, if only of one block */
    bool meets;            /* several blocks may meet at the launch's barrier */
    uint64_t next_cluster; /* to place */
    struct room block_room;
    uint64_t next_block;        /* blocks assigned so far; without clusters also the next block's index */
    uint64_t seen, stay;        /* blocks before `seen` that are not placed stay at least `stay` cycles each */
    struct first_run first_run; /* of the last new block that was looked at */
    struct fast_part **parts;   /* [SMs]; NULL: the SM has had none of its blocks */
    struct fast_grid *next;     /* the launch that was taken next */
};

/* The part of a grid that one SM runs. */
struct fast_part {
    struct fast_grid *grid;
    struct statistics statistics;
    struct fast_block *free;
    unsigned resident;
    uint64_t occupied_since, last_leave;
    uint64_t report_at; /* warp instructions at which progress is reported next */
    uint64_t reported;
};

/* The counter at this offset. */
HOT uint64_t *part_counter(struct fast_part *part, uint16_t offset) { return (uint64_t *)((char *)part + offset); }

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
    uint64_t done; /* the end of the instruction's other accesses */
    uint32_t latency;
    uint32_t record; /* of control words: number of the instruction's record, 0 for none */
    uint32_t next;   /* free one */
    uint8_t producer;
    bool unordered; /* counted in the warp's `unordered` */
    bool starts;    /* it is asynchronous */
    uint64_t name;  /* with `starts`: its name for async_known() */
};

#define NO_ACCESS UINT32_MAX

/* The instruction of an access, by token, for an observer that wants ends of instructions. */
struct fast_observed {
    uint64_t number, dispatched;
};

#define MOST_SUBCORES 16u /* a multiple of 4 */
#define MOST_BLOCKS 64u   /* resident on an SM */

/* What the chip asks of all SMs again and again comes first: a line of the host's caches. */
struct fast_sm {
    _Alignas(HOST_LINE) const struct fast *chip;
    uint64_t now;         /* the last cycle in which something happened here */
    uint64_t until;       /* it runs all cycles before this one; made earlier when a request leaves for the chip */
    uint64_t next_place;  /* the cycle from which it may get a block */
    uint64_t next_room;   /* the cycle in which it pauses because it has room, NEVER for none */
    uint64_t leaves_from; /* while it pauses, and other threads run SMs: no resident block leaves it before */
    uint64_t pauses_from; /* while it is due after a pause: it does not pause again before */
    bool pauses;          /* it pauses when a block leaves, as other blocks wait */
    bool paused;          /* it has stopped at `now`, in which nothing has issued yet */
    bool failed;
    unsigned assigned_count;      /* blocks that are placed next */
    struct memo *memo;            /* of the thread that runs this SM */
    uint64_t stop;                /* the earlier of `until` and the next event outside the sub-cores */
    unsigned first_subcore;       /* with which the search for those of the last block's warps began */
    unsigned subcore_count;       /* 0: it has had no block yet, and holds nothing */
    uint64_t next[MOST_SUBCORES]; /* per sub-core: the next cycle in which it must be looked at; NEVER: there is none */
    struct fast_subcore *subcores;
    uint32_t refused; /* sub-cores that issue nothing, with instructions that the LSU has refused; a bit each */
    uint64_t next_leave, last_issue, last_leave;
    uint64_t idle_cycles, occupied_cycles; /* sub-core cycles without a warp; SM cycles with a block */
    struct room left;                      /* room beside the resident and the assigned blocks */
    struct fast_block *first;              /* resident blocks */
    uint64_t numbers;                      /* of resident blocks, a bit each */
    unsigned resident;
    uint64_t occupied_since, shared_free;
    uint64_t cluster_port_free; /* the cycle from which its port to the shared memory of other SMs is free */
    uint64_t shared_end;        /* when the shared memory accesses of the issuing instruction end */
    uint64_t dispatched;        /* of the issuing instruction, which has accesses not only to shared memory; */
    uint64_t arrival;           /* when it reaches the LSU, */
    bool reaches_lsu;           /* and whether it has: its first transactions have been made */
    struct async_queue updates; /* updates of barrier objects to come; memory_next is not after the first */
    struct sm_memory *memory;
    uint64_t memory_next;           /* the cycle in which it has to be advanced */
    struct fast_access *accesses;   /* by token */
    struct fast_observed *observed; /* the same; NULL: no observer wants ends */
    uint32_t access_count, free_access;
    uint32_t token;            /* of the current access; NO_ACCESS: none */
    enum response_level level; /* of the current access, if its end is known */
    uint64_t taken;            /* of a posted access with OP_ORDERED: when the LSU has taken it, or MEMORY_PENDING */
    bool out_of_memory;        /* memory ran out in the midst of an instruction */
    struct fast_part *part;    /* of the block that was assigned last; NULL once its launch has ended */
    /* begin_sm() does not reset the members below */
    struct fast_assigned assigned[MOST_BLOCKS]; /* blocks that are placed next, at `now` */
    struct rp_error error;
};

/* The chip. It is constant while SMs run, except chip_next and the state of `memory`. */
struct fast {
    const struct engine_job *job;
    const struct machine *machine;
    const struct scheduler_model *scheduler;
    const struct unit_model *unit_models[MACHINE_UNITS];
    bool plain_shared, plain_global;     /* an access is one transaction whose time is always the same */
    bool immediate, may_refuse, stepped; /* properties of the memory system */
    bool crowded;                        /* the state of all SMs is larger than the caches of a host */
    uint64_t sector;                     /* size of a sector if it matters which of its bytes a write covers, else 0 */
    bool atomics_repeat;                 /* lanes of an atomic at one address take longer */
    uint64_t shared_period;              /* of the model of shared memory */
    uint64_t delay;                      /* of an access to an immediate memory system */
    bool constants;                      /* the constant cache may miss */
    bool observes, observes_done;        /* an observer wants issues, stalls or ends; ends */
    uint64_t lookahead;                  /* of the memory system; NEVER: SMs share nothing */
    bool shared;                         /* several threads run SMs */
    bool light;                          /* the chip has little work: it runs after the SMs, not beside them */
    uint64_t chip_delay;                 /* least cycles from an SM to the chip */
    uint64_t from;                       /* cycles before this one are over for all SMs */
    uint64_t most_ahead;                 /* cycles that an SM may be ahead of `from` */
    uint64_t delivered;                  /* the chip's responses before this cycle have been delivered to the SMs */
    uint64_t chip_next;                  /* the next cycle in which something happens beyond the SMs */
    struct engine_period period;
    struct fast_grid *grids; /* on the machine, in the order in which they came */
    int64_t grid_count;
    uint64_t launches;  /* taken so far */
    uint64_t step_from; /* the first cycle in which SMs must be in step; NEVER: none */
    bool in_step;       /* all SMs are in the current cycle */
    bool clusters;      /* launches in clusters, or whose blocks meet, are on the machine, or may come: all SMs run in
                           step */
    unsigned sm_count;
    struct fast_sm *sms;
    uint64_t *next; /* [sm_count]: the next cycle in which something happens on the SM */
    unsigned next_sm;
    /* kept from period to period */
    struct memory_system *memory;
    struct round_pool *round_pool; /* the threads for large launches; NULL: none were needed yet */
    struct memo **memos;           /* one per thread */
    unsigned memo_count;
};

/* The warp's location, for an observer. */
static inline struct engine_location fast_location(const struct fast_sm *sm, const struct fast_warp *w)
{
    return (struct engine_location){.launch = w->part->grid->of.number,
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
/* Removes the slot, which is on the wheel at `wake`. */
static inline void wheel_remove(struct fast_subcore *sc, unsigned slot, uint64_t wake)
{
    sc->wheel[wake % WHEEL] &= ~(1ull << slot);
    if (!sc->wheel[wake % WHEEL])
        sc->pending[wake % WHEEL / 64] &= ~(1ull << wake % WHEEL % 64);
}
/* Removes the slot from the wheel or from `far`. */
void wheel_withdraw(struct fast_subcore *, unsigned slot, uint64_t now, uint64_t wake);
/* Moves the slots of `far` whose wake is within the wheel's reach onto the wheel. */
void wheel_bring(struct fast_subcore *, uint64_t now);
/* Moves the slots that wake at `now` to `ready`. Must be called in every cycle in which a slot wakes. */
HOT void wheel_turn(struct fast_subcore *sc, uint64_t now)
{
    if (sc->far && sc->far_first - now < WHEEL)
        wheel_bring(sc, now);
    unsigned at = now % WHEEL;
    sc->ready |= sc->wheel[at];
    sc->wheel[at] = 0;
    sc->pending[at / 64] &= ~(1ull << at % 64);
}
/* The next cycle from `from` on in which something wakes, NEVER for none. Nothing wakes in the rest of the word of
 * `pending` that `from` is in. */
uint64_t wheel_beyond(const struct fast_subcore *, uint64_t from);
/* The next cycle after `now` in which something wakes, NEVER for none. */
HOT uint64_t wheel_next(const struct fast_subcore *sc, uint64_t now)
{
    uint64_t from = now + 1, bits = sc->pending[from % WHEEL / 64] >> from % 64;
    if (!bits)
        return wheel_beyond(sc, from);
    uint64_t wake = from + (unsigned)__builtin_ctzll(bits);
    return wake < sc->far_first ? wake : sc->far_first;
}

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
/* The cycle in which the registers of the next instruction are free, as a scoreboard entry. */
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

/* The warp, whose last instruction was `last` (UINT32_MAX: none), goes on with instruction `next`, which is not the one
 * behind it, or its op is not known. Returns the op of `next`. (entries.c) */
const struct op *fast_jump(struct fast_sm *, struct fast_warp *, uint32_t last, uint32_t next);

/* ---- barriers.c ------------------------------------------------------------------------------------------------- */

void fast_arrive(struct fast_sm *, struct fast_warp *);
/* Some lanes of the warp have come to a barrier. If the warp's next step brings more lanes to it, the warp goes on;
 * else, or if the warp has ended (op NULL), the lanes so far arrive. */
void fast_arrive_on(struct fast_sm *, struct fast_warp *);
void fast_exit(struct fast_sm *, struct fast_warp *, rp_lanemask lanes);
void fast_check_barriers(struct fast_sm *, struct fast_block *);
/* If the warp's next step needs the end of a phase that is not over, the warp waits from now on. False: it need not. */
bool fast_await(struct fast_sm *, struct fast_warp *);
/* The warp's next instruction, which issues, changes barrier objects or groups. `done`: when the work that it starts is
 * complete, or UNKNOWN. */
void fast_act(struct fast_sm *, struct fast_warp *, uint64_t done);
/* Carries out the updates of barrier objects that are due in cycle `now`. */
void fast_apply_updates(struct fast_sm *, uint64_t now);
/* Blocks are left, but no event is. This is an error, unless the recording ended early: then all blocks end. */
bool fast_stuck(struct fast *, struct rp_error *);

/* Phases of the block's barrier objects have ended: releases the warps that waited for them. */
void fast_release_objects(struct fast_block *);

/* ---- clusters.c -------------------------------------------------------------------------------------------------- */

/* Assigns whole clusters of the launch in cycle `now`, all SMs being in step. */
bool fast_assign_clusters(struct fast *, struct fast_grid *, uint64_t now, struct rp_error *);
void fast_leave_cluster(struct fast_cluster *, uint32_t rank);
/* The warp's next instruction, which issues, arrives or waits at the barrier of its cluster. */
void fast_cluster_barrier(struct fast_sm *, struct fast_warp *);
/* Releases the cluster's barrier if every live lane has arrived. Call it when lanes exit, too. */
void fast_check_cluster(struct fast_cluster *, uint64_t now);
/* Brings the SM to cycle `now`, in which another SM changes its warps. */
static inline void fast_sm_come(struct fast_sm *sm, uint64_t now) { sm->now = sm->now < now ? now : sm->now; }
/* After that change: makes the chip look at the SM in time. */
void fast_sm_look(struct fast_sm *);

/* ---- memory.c --------------------------------------------------------------------------------------------------- */

struct memo *memo_new(void);
void memo_free(struct memo *);
/* Makes the accesses of the warp's next instruction. Returns the cycle of its result, latency included, or UNKNOWN:
 * then sm->token names the access. */
uint64_t fast_memory(struct fast_sm *, struct fast_warp *, uint64_t dispatched, uint64_t accepted);

/* ---- completion.c ------------------------------------------------------------------------------------------------ */

/* A token for a new access. */
uint32_t fast_access_new(struct fast_sm *);
void fast_access_free(struct fast_sm *, uint32_t token);
/* Advances the SM's part of the memory system to `now`, and carries out completions. */
void fast_advance_memory(struct fast_sm *, uint64_t now);

/* ---- sm.c -------------------------------------------------------------------------------------------------------- */

/* The SM's horizon: the first cycle in which a response can reach it, as far as is known. */
static inline uint64_t fast_sm_horizon(const struct fast_sm *sm)
{
    const struct fast *f = sm->chip;
    return f->lookahead == NEVER ? NEVER : sm_memory_horizon(sm->memory, f->delivered, f->lookahead);
}
/* Something outside the sub-cores happens in this cycle. */
static inline void fast_sm_stop(struct fast_sm *sm, uint64_t cycle) { sm->stop = cycle < sm->stop ? cycle : sm->stop; }
/* The SM may have sent a request: it must not run past the first cycle in which a response can come. */
static inline void fast_sm_limit(struct fast_sm *sm)
{
    uint64_t horizon = fast_sm_horizon(sm);
    sm->until = horizon < sm->until ? horizon : sm->until;
    fast_sm_stop(sm, horizon);
}
/* Runs the SM through all cycles before sm->until. Where blocks have left and others may come, it stops early, before
 * anything issues in that cycle (`paused`). Returns the next cycle in which something happens on the SM. If `failed` is
 * set, `error` says why. */
uint64_t fast_sm_run(struct fast_sm *, struct memo *);
/* Removes the blocks that are complete in cycle `now`. The SM pauses if others may come. */
void fast_sm_leave(struct fast_sm *, uint64_t now);
/* The next cycle in which something happens on the SM, NEVER for none. */
uint64_t fast_sm_next(const struct fast_sm *);

/* ---- prefetch.c -------------------------------------------------------------------------------------------------- */

/* Call it before fast_sm_run(). It affects nothing but the run time of the replay. */
void fast_prefetch(const struct fast_sm *);

/* ---- leaving.c --------------------------------------------------------------------------------------------------- */

/* The first cycle in which the block can leave, within now .. enough. */
uint64_t fast_first_leave(const struct fast *, const struct fast_block *, uint64_t now, uint64_t enough);
/* The least number of cycles for which a block stays that is not placed yet, by its first warp; counted up to `most`.
 * 0: the trace is damaged; the error is reported when the block is placed. */
uint64_t fast_shortest_stay(const struct fast *, struct fast_grid *, uint64_t index, uint64_t most);
/* The SM has processed all replies of the chip. Returns the first cycle, within sm->now .. enough, in which a resident
 * block can leave it. */
uint64_t fast_leaves_from(const struct fast_sm *, uint64_t enough);
/* The SM goes on after a pause at sm->now. Returns the first cycle in which it can pause again, at most `enough`. */
uint64_t fast_pauses_from(const struct fast_sm *, uint64_t enough);

/* ---- overlap.c --------------------------------------------------------------------------------------------------- */

/* All SMs are in cycle `now`. Before the cycle returned, they may be ahead of one another. */
uint64_t fast_step_from(const struct fast *, uint64_t now);

/* ---- dispatch.c -------------------------------------------------------------------------------------------------- */

/* Runs the period from its first cycle to its last; *cycles: its length. */
bool fast_run_period(struct fast *, uint64_t *cycles, struct rp_error *);

/* ---- grids.c ----------------------------------------------------------------------------------------------------- */

/* Takes launches that are ready, as many as the machine runs at once. */
bool fast_take_launches(struct fast *, uint64_t now, struct rp_error *);
/* The cycle in which a launch may become ready because a copy of the host ends; NEVER: none. */
uint64_t fast_wakes(const struct fast *);
/* Ends the launches whose last block left in cycle `now` or before. Each ends in the cycle in which that block left. */
void fast_end_launches(struct fast *, uint64_t now);
void fast_free_grids(struct fast *);
/* The first launch with blocks to place; later launches wait for it. NULL: none. */
struct fast_grid *fast_first_waiting(const struct fast *);
/* Assigns a block of the grid to the SM, which places it next. */
bool fast_assign(struct fast *, struct fast_grid *, struct fast_sm *, const struct fast_assigned *, struct rp_error *);

#endif
