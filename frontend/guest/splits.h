/* The inside of the lock-step engine: what lockstep.c, which runs guests, and stepping.c, which executes an instruction
 * of each core at a time, share. */
#ifndef REPRISE_FRONTEND_GUEST_SPLITS_H
#define REPRISE_FRONTEND_GUEST_SPLITS_H

#include "frontend/guest/lanes.h"
#include "frontend/guest/lockstep.h"
#include "frontend/guest/record.h"
#include "frontend/operation/flags.h"

#define LANES RP_WARP_LANES

#define GUEST_UNKNOWN UINT32_MAX

/* Splits that wait, each in a slot. */
struct guest_waiting {
    uint8_t *slot_at;    /* by uop: 1 + the slot of those that wait there, or 0 */
    uint32_t at[LANES];  /* uop; UOP_NOWHERE: the slot is free, or waits for the barrier */
    uint64_t key[LANES]; /* the greatest runs first: depth of the stack, then the program's order; 0: it cannot run */
    unsigned best;       /* the slot with the greatest key, LANES if all are 0; GUEST_UNKNOWN: it must be searched */
    lanemask lanes[LANES];
    uint64_t since[LANES];         /* the group's steps when it began to wait */
    uint32_t used, barrier, spins; /* slots: in use; waiting for all cores; coming back to the same state */
    uint32_t unlogged;             /* of `barrier`: slots whose arrival is not in the trace yet */
    uint32_t behind[LANES];        /* where slots that wait for the barrier go on */
    uint32_t variant[LANES];       /* and their instruction of the table */
};

/* The state to which the running split may come back: then it spins. States are kept at growing distances, as a loop
 * may be longer than the last distance (Brent, "An improved Monte Carlo factorization algorithm", 1980). */
struct guest_spin {
    lanemask spinners; /* have been spinning: a state of theirs is kept at once */
    lanemask runs;     /* the split that is watched */
    uint32_t at;       /* where it had that state; UOP_NOWHERE: none is kept */
    bool stored;       /* somebody of the group has stored since */
    lanemask lanes;
    uint64_t next;     /* the group's steps at which another state is kept */
    uint64_t distance; /* 0: the first state will be kept */
    unsigned differs;  /* the register by which the last state differed */
    uint8_t registers[GUEST_WINDOW_BYTES];
    lanemask codes[4]; /* the condition codes */
};

struct guest_engine;
struct guest_warp {
    struct guest_group g;
    const struct guest_engine *engine;
    const uint32_t *stack_pointer; /* by lane */
    uint32_t stack_top;            /* where the stack of lane 0 begins */
    uint32_t stack_pitch;          /* how much lower that of the next lane does */
    struct guest_waiting waiting;  /* all splits but the one that runs */
    uint64_t overdue;              /* the steps at which to look for a split that has waited too long */
    uint32_t random;               /* state of its random stream, which is the same in each run */
    uint32_t run_start;            /* the instruction at which the current run began */
    uint64_t steps;                /* instructions executed */
    uint64_t together; /* instructions that all cores that live have executed since `apart` was brought up to date */
    uint64_t apart[LANES];    /* by lane: the others */
    const struct uop *branch; /* the branch that is about to be carried out, if its lanes have been compared: `taken` */
    lanemask taken;
    bool news;    /* somebody has stored since a split began to spin */
    bool changed; /* in this turn it has stored, made a call, or run to the turn's end */
    struct guest_spin spin;
    uint32_t recent[LANES];     /* by lane: instructions since `apart` was brought up to date, but those of all cores
                                 * together: half the memory is written for a run of instructions */
} __attribute__((aligned(64))); /* a line of the cache: what is loaded as vectors lies in as few as it can */

struct guest_engine {
    struct guest_machine *machine;
    const struct guest_program *program;
    struct guest_run_options options;
    guest_compare_fn compare[CMP_HS + 1];
    lanemask (*find)(const uint32_t at[LANES], uint32_t wanted);
    void (*add_few)(uint32_t count[LANES], lanemask, uint32_t);
    void (*add)(uint64_t count[LANES], lanemask, uint64_t);
    uint32_t group_count;
    uint32_t turn, random; /* instructions of a group in this round; state of the random stream that this is from */
    struct guest_warp *groups;
    uint8_t *windows, *slot_at;
    struct guest_changes *changes; /* of each group */
    struct guest_recorder recorder;
};

/* Cores at the program's entry, without a recorder. False: machine.err says why. guest_engine_close also when it
 * failed. */
bool guest_engine_open(struct guest_engine *, struct guest_machine *, const struct guest_program *,
                       const struct guest_run_options *);
void guest_engine_close(struct guest_engine *);

/* These lanes wait at a uop, with those that wait there already. */
void guest_wait(struct guest_warp *, uint32_t at, lanemask);
static inline void guest_take_slot(struct guest_waiting *q, unsigned slot, uint32_t at)
{
    q->used |= 1u << slot;
    q->at[slot] = at;
    q->slot_at[at] = (uint8_t)(slot + 1);
}
static inline void guest_free_slot(struct guest_waiting *q, unsigned slot)
{
    if (q->at[slot] != UOP_NOWHERE)
        q->slot_at[q->at[slot]] = 0;
    q->best = q->best == slot ? GUEST_UNKNOWN : q->best;
    q->used &= ~(1u << slot);
    q->barrier &= ~(1u << slot);
    q->spins &= ~(1u << slot);
    q->at[slot] = UOP_NOWHERE;
    q->key[slot] = 0;
}
/* Where all lanes of the current split go, if they go to one place; else UOP_NOWHERE, and they wait at theirs. */
uint32_t guest_transfer(struct guest_warp *, const struct guest_engine *, const struct uop *);
/* Executes an environment call. Its lanes then wait at the next instruction. */
void guest_environment_call(struct guest_warp *, const struct uop *);
/* All cores that have not exited wait at the barrier: they go on. False: some do not wait. */
bool guest_open_barrier(struct guest_engine *);
void guest_trap(struct guest_warp *, const struct uop *);

/* Brings the counts of single cores up to date: before fewer cores live. */
void guest_settle(struct guest_warp *);
/* Where a core is, for reports. */
struct guest_core *guest_core_at(struct guest_warp *, const struct uop *, unsigned lane);
/* Registers and instructions of a settled group's lane. */
void guest_registers_out(struct guest_warp *, unsigned lane, struct guest_core *);

/* The lanes that execute a uop: those in which its guard holds. */
static inline lanemask guest_executed(const struct guest_warp *w, const struct uop *u)
{
    return u->flags & UF_GUARDED ? w->g.w.active & guard(&w->g.w, u) : w->g.w.active;
}

/* Lanes that a UOP_BRANCH takes to its target. */
static inline lanemask guest_taken(const struct guest_warp *w, const struct guest_engine *e, const struct uop *u)
{
    const lanemask executed = guest_executed(w, u);
    return u->compare == CMP_TRUE
               ? executed
               : executed & e->compare[u->compare](operand_at(&w->g.w, u->a), operand_at(&w->g.w, u->b));
}

#endif
