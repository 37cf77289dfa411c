/* The reference engine: steps every cycle, looks at every warp in every cycle, keeps everything in the plainest form.
 * docs/timing-model.md in code; slow on purpose. Shares with the fast engine the models, the meaning of trace entries
 * and the room that blocks take, and nothing else.
 *
 * A cycle has five steps: the memory system does what is due; blocks that are complete leave; blocks that fit are
 * placed; every sub-core, in the order of its number, issues at most one instruction; the cycle is charged to issue, a
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
    bool clusters;                 /* it has clusters, if only of one block */
    uint64_t next_cluster;         /* to place */
    uint64_t next_block, resident; /* blocks: how many were placed, and which is next without clusters; those on SMs */
    struct statistics *statistics; /* of->out's */
    uint64_t reported;             /* warp instructions reported as progress */
    struct ref_grid *next;         /* the one that came after it */
};

#define UNKNOWN UINT64_MAX /* a cycle that the memory system has not reported yet */

/* A register that an issued instruction will write. */
struct ref_write {
    rp_register reg;
    uint64_t ready; /* the first cycle in which an instruction that needs it may issue, or UNKNOWN */
    uint32_t flight;
    enum stall kind;
    enum response_level level; /* of memory, once it is ready */
};

/* A signal that a barrier of control words waits for. */
struct ref_signal {
    uint64_t
        answer; /* the latest known response (response.h): the cycle from which the signal is there, and its level */
    unsigned awaits; /* instructions that must be done before it, and whose ends are not known yet */
    uint64_t number; /* its instruction in its warp's order of issue */
    unsigned unit;
    enum stall kind;
};
struct ref_signals {
    struct ref_signal *items;
    size_t count, capacity;
};

/* An issued instruction of which it is not known when it is done. */
struct ref_flight {
    struct ref_warp *warp; /* NULL: none */
    uint64_t number;       /* in its warp's order of issue */
    uint64_t dispatched;
    uint64_t known;   /* it is not done before */
    uint32_t latency; /* behind the last of its transactions */
    unsigned unit;
    enum stall kind;
    bool result;    /* writes registers */
    bool unordered; /* its warp counts it so */
    bool starts;    /* what it does is asynchronous: nothing of the warp waits for it but waits for groups */
    uint64_t name;  /* then: as async_known() is told */
};

struct ref_warp {
    bool ended, waiting; /* waiting: at a barrier that is not complete */
    unsigned flights;    /* instructions in flight */
    unsigned copies;     /* asynchronous ones */
    unsigned unordered;  /* those of them of which it is not known when they are performed for the block */
    uint64_t issued;     /* instructions */
    unsigned barrier;    /* at which it waits, or did; AT_OBJECT, AT_CLUSTER */
    rp_lanemask arrived; /* at the barrier of the cluster, which is not complete */
    struct arrival arrival;
    unsigned number; /* in its block */
    unsigned sm, subcore, slot;
    struct ref_block *block;
    struct rp_cursor cursor;
    struct rp_step next; /* the next instruction to issue, unless ended */
    uint64_t placed, first_issue, barrier_until, control_until;
    uint64_t fetched;     /* when the next instruction is at hand */
    uint64_t memory_done; /* when the last memory operation is complete */
    uint64_t ordered;     /* when the last memory operation is performed for the block */
    uint64_t completion;  /* when the last result is written */
    struct ref_write *writes;
    size_t write_count, write_capacity;
    struct ref_signals signals[RP_CONTROL_BARRIERS];
    uint64_t returned[MACHINE_UNITS][STALL_COUNT]; /* the last result of a unit and kind, an answer */
    uint64_t yields_at;                            /* the cycle in which others go first */
    struct warp_stream random;                     /* where memory draws */
    enum stall blocked;                            /* in this cycle; STALL_COUNT: ready */
    uint64_t blocked_at;                           /* the cycle of `blocked` */
};

struct ref_barrier {
    uint64_t threads;  /* that have arrived */
    uint64_t arrived;  /* warps that have, or that wait */
    uint64_t expected; /* threads; 0: all of the block */
};

/* Blocks that are on the machine together. */
struct ref_cluster {
    unsigned blocks, unplaced, left; /* of them in all, yet to be placed, and on the machine or yet to be placed */
    bool awaited;                    /* somebody has arrived at its barrier */
    uint64_t over;                   /* who waits there goes on at this cycle, when the last arrival was */
    struct ref_block *block[RP_CLUSTER_MOST]; /* by rank; NULL: it has left */
};

struct ref_block {
    struct ref_grid *grid;
    struct ref_cluster *cluster; /* NULL: its launch has none */
    uint32_t rank;
    uint64_t index;
    struct rp_block *trace;
    unsigned sm, warp_count, live; /* live: warps that have not ended */
    uint64_t ended;                /* which have */
    struct ref_warp *warps;
    struct ref_barrier barriers[BLOCK_BARRIERS];
    struct async_block *async; /* NULL: its kernel has nothing of the kind */
    struct ref_block *next;    /* on the same SM */
};

struct ref_subcore {
    struct ref_warp *slots[SCHEDULER_SLOTS];
    unsigned resident;
    void *scheduler, *units[MACHINE_UNITS];
    uint64_t gap; /* cycles of the stall that is going on */
};

struct ref_sm {
    struct room left;
    uint64_t next_place; /* the cycle from which it may get a block */
    struct ref_block *blocks;
    struct ref_subcore *subcores;
    uint64_t shared_free; /* when the shared memory takes the next access */
    uint64_t way_free;    /* the same of the way to the shared memory of other SMs */
    struct async_queue tells;
};

struct reference {
    const struct engine_job *job;
    const struct machine *machine;
    const struct scheduler_model *scheduler;
    struct engine_period period;
    struct ref_grid *grids; /* on the machine, in the order in which they came */
    int64_t grid_count;
    struct ref_sm *sms;
    struct ref_flight *flights;
    size_t flight_count;
    uint64_t now;
    uint64_t accepted;   /* when the accesses of the instruction that is being issued arrive */
    uint64_t shared_end; /* of the accesses of the instruction that is being issued, those to shared memory */
    unsigned next_sm;
    struct statistics of_machine; /* what no launch has to itself */
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
/* Moves the warp on to its next instruction, or ends it. */
bool ref_advance(struct reference *, struct ref_warp *, struct rp_error *);

/* clusters.c */
/* Places whole clusters of the launch. */
bool ref_place_clusters(struct reference *, struct ref_grid *, struct rp_error *);
/* Whether the next one will have room once `dispatch_interval` is over. */
bool ref_cluster_has_room(struct reference *, const struct ref_grid *);
void ref_leave_cluster(struct ref_block *);
/* The warp's next instruction issues, at the barrier of its cluster. */
void ref_cluster_barrier(struct reference *, struct ref_warp *);
/* Lanes have exited: others may have waited for them only. */
void ref_check_cluster(struct reference *, struct ref_cluster *);
/* The block whose object the update is for; NULL: it has left. */
struct ref_block *ref_updated_block(const struct async_update *);

/* barriers.c */
void ref_arrive(struct reference *, struct ref_warp *);
/* The warp's next step does not go on with the arrival before it, or there is none. */
void ref_arrived(struct reference *, struct ref_warp *);
void ref_exit(struct reference *, struct ref_warp *, rp_lanemask lanes);
void ref_check_barriers(struct reference *, struct ref_block *);
/* If the warp's next step waits for a phase that is not over, it waits from now on. */
void ref_await(struct reference *, struct ref_warp *);
/* Phases of the block's objects have ended. */
void ref_release_objects(struct reference *, struct ref_block *);
/* Called when nothing can ever happen again. A launch that was cut short ends here with a warning, others fail. */
bool ref_stuck(struct reference *, struct rp_error *);

/* issue.c */
/* What the next instruction has to wait for in this cycle by registers, STALL_COUNT: nothing; *level: who answers, if
 * that is memory and known. */
enum stall ref_pending(const struct ref_warp *, uint64_t cycle, enum response_level *level);
/* What keeps the warp from issuing now, STALL_COUNT: nothing. */
enum stall ref_blocked(const struct reference *, const struct ref_warp *);
/* Issues the warp's next instruction and moves the warp on. second: in the same cycle as the one before it. */
bool ref_issue(struct reference *, struct ref_warp *, bool second, struct rp_error *);
/* Issues the next one, too, if it may go together with the one that just went to `unit`. */
bool ref_pair(struct reference *, struct ref_warp *, unsigned unit, struct rp_error *);
unsigned ref_unit(const struct reference *, const struct ref_warp *);

/* control_words.c */
struct ref_issued {
    const struct machine_timing *timing;
    uint64_t dispatched, done; /* done: UNKNOWN for one in flight */
    uint32_t flight;
    enum stall kind;           /* what waits for its result will be said to wait for */
    enum response_level level; /* of memory, unless it is in flight */
};
/* The same by the barriers that its control word names. */
enum stall ref_awaited(const struct ref_warp *, uint64_t cycle, enum response_level *level);
/* Carries out the control word of the instruction that is being issued. */
bool ref_obey(struct reference *, struct ref_warp *, const struct ref_issued *, struct rp_error *);
/* The end of the instruction in flight, and its level, are known now. */
void ref_signal_known(struct ref_warp *, const struct ref_flight *, uint64_t answer);

/* in_flight.c */
#define NO_FLIGHT UINT32_MAX
/* NO_FLIGHT: out of memory. */
uint32_t ref_take_off(struct reference *, const struct ref_flight *);
/* What the memory system does in this cycle. */
bool ref_memory_cycle(struct reference *, struct rp_error *);
/* Where the warp is, for an observer. */
struct engine_place ref_place(const struct ref_warp *);

/* memory.c */
/* Makes the accesses of the warp's next instruction. It is dispatched at `dispatched`, and its unit has accepted it at
 * `accepted`, the end of its initiation. *known: the cycle in which all accesses with known ends are complete, at least
 * `accepted`. True: all ends are known; *level: the level of the last response. False: the memory system will report
 * the others under `token`. *taken: for posted accesses, when the LSU has taken them, or UNKNOWN; else NULL. */
bool ref_memory(struct reference *, struct ref_warp *, uint64_t dispatched, uint64_t accepted, uint32_t token,
                uint64_t *known, enum response_level *level, uint64_t *taken);

#endif
