/* The reference engine: it steps every cycle, looks at every warp in every cycle, and keeps all state in its simplest
 * form. It is docs/timing-model.md in code, and slow on purpose. With the fast engine it shares only the models, the
 * meaning of trace entries (trace_semantics.h) and the resources of blocks (occupancy.h).
 *
 * A cycle has five steps. The memory system does what is due. Blocks that are complete leave. Blocks that fit are
 * placed. Every sub-core, in the order of its number, issues at most one instruction. The cycle is charged to issue, a
 * stall or idleness.
 */
#ifndef REPRISE_REPLAY_ENGINES_REFERENCE_REFERENCE_H
#define REPRISE_REPLAY_ENGINES_REFERENCE_REFERENCE_H

#include "replay/base/async.h"
#include "replay/base/cluster.h"
#include "replay/base/occupancy.h"
#include "replay/base/trace_semantics.h"
#include "replay/engines/period.h"
#include "replay/engines/report.h"
#include "replay/memory/memory_system.h"

struct ref_block;

/* A launch on the machine. */
struct ref_grid {
    struct engine_launch of;
    struct room block_room;
    bool clusters;         /* the launch has clusters, perhaps of one block */
    bool meets;            /* several blocks may meet at its barrier */
    uint64_t next_cluster; /* to place */
    /* Blocks placed so far, which without clusters is also the index of the next one; blocks on SMs. */
    uint64_t next_block, resident;
    struct statistics *statistics; /* of->out's */
    uint64_t reported;             /* warp instructions reported as progress */
    struct ref_grid *next;         /* the launch that was taken next */
};

#define UNKNOWN UINT64_MAX /* a cycle that the memory system has not reported yet */

/* A register that an issued instruction will write. */
struct ref_write {
    rp_register reg;
    uint64_t ready; /* the first cycle in which an instruction that needs it may issue, or UNKNOWN */
    uint32_t token;
    enum stall kind;
    enum response_level level; /* of memory, once it is ready */
};

/* A signal that a barrier of control words waits for. */
struct ref_signal {
    uint64_t response; /* the latest known response (response.h): when the signal is there, and its level */
    unsigned awaits;   /* instructions that must be done before it, and whose ends are not known yet */
    uint64_t number;   /* its instruction in its warp's order of issue */
    unsigned unit;
    enum stall kind;
};
struct ref_signals {
    struct ref_signal *items;
    size_t count, capacity;
};

/* An instruction that has issued and whose end is not known yet. Its index in `in_flight` is its token. */
struct ref_in_flight {
    struct ref_warp *warp; /* NULL: none */
    uint64_t number;       /* in its warp's order of issue */
    uint64_t dispatched;
    uint64_t known;   /* it is done in this cycle or later */
    uint32_t latency; /* after the last of its transactions */
    unsigned unit;
    enum stall kind;
    bool result;    /* writes registers */
    bool unordered; /* it counts in `unordered` of its warp */
    bool starts;    /* asynchronous: only waits for groups wait for it */
    uint64_t name;  /* of the asynchronous work: its number for async_known() */
};

struct ref_warp {
    bool ended, waiting; /* waiting: at a barrier that is not complete */
    unsigned in_flight;  /* instructions in flight that are not asynchronous */
    unsigned copies;     /* asynchronous instructions in flight */
    unsigned unordered;  /* of both: those not known yet to be performed for the block */
    uint64_t issued;     /* instructions */
    unsigned barrier;    /* where it waits, or waited last: a number, AT_OBJECT or AT_CLUSTER */
    rp_lanemask arrived; /* at the barrier of the cluster, which is not complete */
    struct arrival arrival;
    unsigned number; /* in its block */
    unsigned sm, subcore, slot;
    struct ref_block *block;
    struct rp_cursor cursor;
    struct rp_step next; /* the next instruction to issue, unless ended */
    uint64_t placed, first_issue, barrier_until, control_until;
    uint64_t fetched;     /* when the fetch of the next instruction ends */
    uint64_t memory_done; /* when the last memory operation is complete */
    uint64_t ordered;     /* when the last memory operation is performed for the block */
    uint64_t completion;  /* when the last result is written */
    struct ref_write *writes;
    size_t write_count, write_capacity;
    struct ref_signals signals[RP_CONTROL_BARRIERS];
    uint64_t returned[MACHINE_UNITS][STALL_COUNT]; /* the last result of a unit and kind, as a response */
    uint64_t yields_at;                            /* the cycle in which the scheduler prefers other warps */
    struct warp_stream random;                     /* of sampled latencies */
    enum stall blocked;                            /* why it may not issue in cycle `blocked_at`; STALL_COUNT: it may */
    uint64_t blocked_at;                           /* the cycle in which `blocked` was computed */
};

struct ref_barrier {
    uint64_t threads;  /* that have arrived */
    uint64_t arrived;  /* a bit for each warp that has arrived or waits */
    uint64_t expected; /* threads; 0: all of the block */
    bool of_launch;    /* it opens for all blocks of the launch at once */
};

/* Blocks that are on the machine together. */
struct ref_cluster {
    unsigned blocks, unplaced, left;          /* blocks: all; not placed yet; not placed yet or on the machine */
    bool awaited;                             /* a warp has arrived at the barrier */
    uint64_t over;                            /* the cycle in which the last complete barrier releases its warps */
    struct ref_block *block[RP_CLUSTER_MOST]; /* by rank; NULL: it has left */
};

struct ref_block {
    struct ref_grid *grid;
    struct ref_cluster *cluster; /* NULL: its launch has none */
    uint32_t rank;
    uint64_t index;
    struct rp_block *trace;
    unsigned sm, warp_count, live; /* live: warps that have not ended */
    uint64_t ended;                /* a bit for each warp that has ended */
    struct ref_warp *warps;
    struct ref_barrier barriers[BLOCK_BARRIERS];
    struct async_block *async; /* NULL: its kernel has no barrier objects or asynchronous work */
    struct ref_block *next;    /* on the same SM */
};

struct ref_subcore {
    struct ref_warp *slots[SCHEDULER_SLOTS];
    unsigned resident, slot_count; /* slot_count: those from here on never had a warp */
    void *scheduler, *units[MACHINE_UNITS];
    uint64_t gap; /* cycles of the current stall */
};

struct ref_sm {
    struct room left;
    uint64_t next_place; /* the cycle from which it may get a block */
    struct ref_block *blocks;
    struct ref_subcore *subcores;
    unsigned first_subcore;     /* with which the search for those of the last block's warps began */
    uint64_t shared_free;       /* the cycle from which shared memory takes another access */
    uint64_t cluster_port_free; /* the same of the port to the shared memory of other SMs */
    struct async_queue updates;
};

struct reference {
    const struct engine_job *job;
    const struct machine *machine;
    const struct scheduler_model *scheduler;
    struct engine_period period;
    struct ref_grid *grids; /* on the machine, in the order in which they came */
    int64_t grid_count;
    struct ref_sm *sms;
    struct ref_in_flight *in_flight;
    size_t in_flight_room;
    uint64_t now;
    uint64_t dispatched; /* of the issuing instruction with accesses */
    uint64_t accepted;   /* the cycle in which the accesses of the issuing instruction arrive */
    uint64_t shared_end; /* the end of the shared memory accesses of the issuing instruction */
    unsigned next_sm;
    struct statistics of_machine; /* counts of the whole machine */
};

/* blocks.c */
/* Takes launches that are ready, as many as the machine runs at once. */
bool ref_take_launches(struct reference *, struct rp_error *);
/* Ends the launches whose last block has left. */
void ref_end_launches(struct reference *);
/* The first launch with blocks to place; others wait for it. NULL: none. */
struct ref_grid *ref_first_waiting(const struct reference *);
bool ref_place_blocks(struct reference *, struct rp_error *);
/* Places the launch's next block on the SM. */
bool ref_place_block(struct reference *, struct ref_grid *, const struct ref_block *, struct rp_error *);
void ref_leave_blocks(struct reference *);
void ref_free_block(struct ref_block *);
/* Advances the warp to its next instruction, or ends it. */
bool ref_advance(struct reference *, struct ref_warp *, struct rp_error *);

/* clusters.c */
/* Places whole clusters of the launch. */
bool ref_place_clusters(struct reference *, struct ref_grid *, struct rp_error *);
/* Whether the next one will have room once `dispatch_interval` is over. */
bool ref_cluster_has_room(struct reference *, const struct ref_grid *);
void ref_leave_cluster(struct ref_block *);
/* The warp's next instruction issues, at the barrier of its cluster. */
void ref_cluster_barrier(struct reference *, struct ref_warp *);
/* Lanes have exited: completes the barrier if the other lanes waited only for these. */
void ref_check_cluster(struct reference *, struct ref_cluster *);
/* The block whose object the update is for; NULL: it has left. */
struct ref_block *ref_updated_block(const struct async_update *);

/* barriers.c */
void ref_arrive(struct reference *, struct ref_warp *);
/* The warp's next step does not continue the arrival before it, or there is no next step. */
void ref_arrived(struct reference *, struct ref_warp *);
void ref_exit(struct reference *, struct ref_warp *, rp_lanemask lanes);
void ref_check_barriers(struct reference *, struct ref_block *);
/* If the next step of the warp waits for a phase that is not over, the warp waits from now on. */
void ref_await(struct reference *, struct ref_warp *);
/* Phases of barrier objects of the block have ended: releases the warps that wait for them. */
void ref_release_objects(struct reference *, struct ref_block *);
/* Nothing can happen any more. A launch that was cut short ends here with a warning; others fail. */
bool ref_stuck(struct reference *, struct rp_error *);

/* issue.c */
/* The reason why the next instruction waits for registers in this cycle, STALL_COUNT: it does not. *level: the level of
 * the response, if it waits for memory and the response is known. */
enum stall ref_pending(const struct ref_warp *, uint64_t cycle, enum response_level *level);
/* Why the warp may not issue now, STALL_COUNT: it may. */
enum stall ref_blocked(const struct reference *, const struct ref_warp *);
/* Issues the warp's next instruction and advances the warp. second: in the same cycle as the one before it. */
bool ref_issue(struct reference *, struct ref_warp *, bool second, struct rp_error *);
/* Issues the next instruction, too, if it may pair with the one that went to `unit`. */
bool ref_pair(struct reference *, struct ref_warp *, unsigned unit, struct rp_error *);
unsigned ref_unit(const struct reference *, const struct ref_warp *);

/* control_words.c */
struct ref_issued {
    const struct machine_timing *timing;
    uint64_t dispatched, done; /* done: UNKNOWN for one in flight */
    uint32_t token;
    enum stall kind;           /* the stall reason of instructions that wait for its result */
    enum response_level level; /* of memory, unless it is in flight */
};
/* Why the next instruction waits for the barriers that its control word names; as ref_pending(). */
enum stall ref_awaited(const struct ref_warp *, uint64_t cycle, enum response_level *level);
/* Carries out the control word of the issuing instruction. */
bool ref_apply_control_word(struct reference *, struct ref_warp *, const struct ref_issued *, struct rp_error *);
/* The end of the instruction in flight, and its level, are known now. */
void ref_signal_known(struct ref_warp *, const struct ref_in_flight *, uint64_t response);

/* in_flight.c */
#define NO_TOKEN UINT32_MAX
/* Returns the token of a copy of it; NO_TOKEN: out of memory. */
uint32_t ref_put_in_flight(struct reference *, const struct ref_in_flight *);
/* Advances the memory system by this cycle, and carries out completions. */
bool ref_memory_cycle(struct reference *, struct rp_error *);
/* The location of the warp, for an observer. */
struct engine_location ref_location(const struct ref_warp *);

/* memory.c */
/* Makes the accesses of the warp's next instruction. It is dispatched at `dispatched`, and its unit has accepted it at
 * `accepted`, the end of its initiation. *known: the cycle in which all accesses with known ends are complete, at least
 * `accepted`. True: all ends are known; *level: the level of the last response. False: the memory system will report
 * the others under `token`. *taken: for posted accesses, when the LSU has taken them, or UNKNOWN; else NULL. */
bool ref_memory(struct reference *, struct ref_warp *, uint64_t dispatched, uint64_t accepted, uint32_t token,
                uint64_t *known, enum response_level *level, uint64_t *taken);

#endif
