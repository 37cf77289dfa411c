/* The reference engine: steps every cycle, looks at every warp in every cycle, keeps everything in the plainest form.
 * docs/timing-model.md in code; slow on purpose. Shares with the fast engine the models, the meaning of trace entries
 * and the room that blocks take, and nothing else.
 *
 * A cycle has four steps: blocks that are complete leave; blocks that fit are placed; every sub-core, in the order of
 * its number, issues at most one instruction; the cycle is charged to issue, a stall or idleness.
 */
#ifndef REPRISE_REPLAY_REFERENCE_H
#define REPRISE_REPLAY_REFERENCE_H

#include "replay/engine.h"
#include "replay/meaning.h"
#include "replay/occupancy.h"

struct ref_block;

/* A register that an issued instruction has yet to write. */
struct ref_write {
    rp_register reg;
    uint64_t ready; /* the first cycle in which an instruction that needs it may issue */
    enum stall kind;
};

/* A signal that a control word's barrier has yet to get. */
struct ref_signal {
    uint64_t release; /* the first cycle in which it is there */
    enum stall kind;
};
struct ref_signals {
    struct ref_signal *items;
    size_t count, capacity;
};

struct ref_warp {
    bool ended, waiting; /* waiting: at a barrier that is not complete */
    unsigned barrier;    /* at which it waits */
    unsigned number;     /* in its block */
    unsigned sm, subcore, slot;
    struct ref_block *block;
    struct rp_cursor cursor;
    struct rp_step next; /* the next instruction to issue, unless ended */
    uint64_t placed, first_issue, barrier_until, control_until;
    uint64_t fetched;     /* when the next instruction is at hand */
    uint64_t memory_done; /* when the last memory operation is complete */
    uint64_t completion;  /* when the last result is written */
    struct ref_write *writes;
    size_t write_count, write_capacity;
    struct ref_signals signals[RP_CONTROL_BARRIERS];
    uint64_t returned[MACHINE_UNITS][STALL_COUNT]; /* when the last result of a unit and kind is written */
    uint64_t yields_at;                            /* the cycle in which others go first */
    enum stall blocked;                            /* in this cycle; STALL_COUNT: ready */
    uint64_t blocked_at;                           /* the cycle of `blocked` */
};

struct ref_barrier {
    uint64_t arrivals, arrived; /* how many, and which warps */
    uint64_t expected;          /* warps; 0: all */
};

struct ref_block {
    uint64_t index, completion; /* completion: once live is 0 */
    struct rp_block *trace;
    unsigned sm, warp_count, live; /* live: warps that have not ended */
    uint64_t ended;                /* which have */
    struct ref_warp *warps;
    struct ref_barrier barriers[BARRIERS];
    struct ref_block *next; /* on the same SM */
};

struct ref_subcore {
    struct ref_warp *slots[SCHEDULER_SLOTS];
    unsigned resident;
    void *scheduler, *units[MACHINE_UNITS];
    uint64_t gap; /* cycles of the stall that is going on */
};

struct ref_sm {
    struct room left;
    struct ref_block *blocks;
    struct ref_subcore *subcores;
    uint64_t shared_free; /* when the shared memory takes the next access */
};

struct reference {
    const struct engine_launch *job;
    const struct machine *machine;
    const struct rp_kernel *kernel;
    const struct rp_launch *launch;
    const struct scheduler_model *scheduler;
    struct room block_room;
    struct ref_sm *sms;
    uint64_t now, next_block, resident_blocks;
    unsigned next_sm;
    bool control_words; /* hold instructions back, instead of the scoreboard */
    struct statistics *statistics;
    struct replay_launch *out;
    uint64_t reported; /* warp instructions reported as progress */
};

/* blocks.c */
bool ref_place_blocks(struct reference *, struct rp_error *);
void ref_leave_blocks(struct reference *);
void ref_free_block(struct ref_block *);
/* Moves the warp on to its next instruction, or ends it. */
bool ref_advance(struct reference *, struct ref_warp *, struct rp_error *);

/* barriers.c */
void ref_arrive(struct reference *, struct ref_warp *);
void ref_check_barriers(struct reference *, struct ref_block *);
/* Called when nothing can ever happen again. A launch that was cut short ends here with a warning, others fail. */
bool ref_stuck(struct reference *, struct rp_error *);

/* issue.c */
/* What keeps the warp from issuing now, STALL_COUNT: nothing. */
enum stall ref_blocked(const struct reference *, const struct ref_warp *);
/* Issues the warp's next instruction and moves the warp on. */
bool ref_issue(struct reference *, struct ref_warp *, struct rp_error *);
/* Issues the next one, too, if it may go together with the one that just went to `unit`. */
bool ref_pair(struct reference *, struct ref_warp *, unsigned unit, struct rp_error *);
unsigned ref_unit(const struct reference *, const struct ref_warp *);

/* control_words.c */
struct ref_issued {
    const struct machine_timing *timing;
    uint64_t dispatched, done;
    enum stall kind; /* what waits for its result will be said to wait for */
};
/* What the barriers that the next instruction's control word names hold up, STALL_COUNT: nothing. */
enum stall ref_awaited(const struct reference *, const struct ref_warp *);
/* Carries out the control word of the instruction that is being issued. */
bool ref_obey(struct reference *, struct ref_warp *, const struct ref_issued *, struct rp_error *);

/* memory.c */
/* The cycle in which all memory operands of the warp's next instruction are complete, at least `accepted`: the end of
 * the initiation of an instruction dispatched at `dispatched`. */
uint64_t ref_memory(struct reference *, struct ref_warp *, uint64_t dispatched, uint64_t accepted);

#endif
