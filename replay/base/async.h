/* Barrier objects and asynchronous work of a block, for both engines: which phases have ended, and which work a wait
 * for groups still waits for. An operation on an object takes effect when its instruction issues. The effect of a copy
 * on an object comes in the cycle in which the copy is complete (docs/timing-model.md, "Asynchronous work"). */
#ifndef REPRISE_REPLAY_BASE_ASYNC_H
#define REPRISE_REPLAY_BASE_ASYNC_H

#include "tracefmt/error.h"
#include "tracefmt/reader.h"

#define ASYNC_UNKNOWN UINT64_MAX
#define ASYNC_BULK_MOST (1u << 18) /* bytes of a bulk copy: more than any GPU's shared memory */
#define ASYNC_PIECE_LANES RP_WARP_LANES
#define ASYNC_PIECE_WIDTH 16u /* bytes: bulk copies move pieces of 32 × 16 */

/* ---- instructions ------------------------------------------------------------------------------------------------ */

/* Whether the kernel has barrier objects or asynchronous work. */
bool kernel_is_async(const struct rp_kernel *);
static inline bool async_starts(const struct rp_instruction *in)
{
    return in->async.kind != RP_ASYNC_NONE && in->async.role <= RP_ASYNC_SIGNAL;
}
/* Whether it waits for earlier copies or products before it issues. */
static inline bool async_awaits_groups(const struct rp_instruction *in)
{
    return in->async.kind != RP_ASYNC_NONE && in->async.role >= RP_ASYNC_WAIT;
}
static inline bool is_object(const struct rp_memory_operand *o) { return o->kind == RP_ACCESS_OBJECT; }
static inline bool is_bulk(const struct rp_memory_operand *o)
{
    return o->kind == RP_ACCESS_BULK_LOAD || o->kind == RP_ACCESS_BULK_STORE;
}
/* Whether it tests an object: then it may wait for the end of a phase. */
static inline bool async_tests(const struct rp_instruction *in)
{
    return in->memory_count == 1 && is_object(in->memory) && in->memory->object == RP_OBJECT_TEST;
}
static inline bool async_waits(const struct rp_step *s)
{
    return s->executed && async_tests(s->instruction) && rp_object_waits(s->aux_values[0]);
}
/* Whether it changes objects or groups. */
bool async_acts(const struct rp_instruction *);

/* ---- SMs --------------------------------------------------------------------------------------------------------- */

/* A pending update of an object: takes effect when copies are complete. */
struct async_update {
    void *block;
    uint64_t cycle;  /* in which it takes effect, or ASYNC_UNKNOWN */
    uint64_t number; /* of its instruction, in the order of issue */
    uint64_t address;
    uint64_t arrivals, bytes; /* signed, modulo 2^64 */
    uint32_t rank;            /* in the cluster, of the block that has the object */
    uint8_t what;             /* enum rp_object_operation */
    rp_lanemask lanes;        /* it waits for copies of these lanes */
    unsigned warp;
    bool behind; /* waits for all earlier copies of these lanes; else for the copy of this number */
};
struct async_queue {
    struct async_update *items;
    size_t count, capacity;
    uint64_t next;      /* the earliest cycle of the items; ASYNC_UNKNOWN: none */
    uint64_t number;    /* instructions so far */
    bool out_of_memory; /* out of memory: results are invalid */
};
void async_queue_free(struct async_queue *);

/* ---- blocks ------------------------------------------------------------------------------------------------------ */

struct async_object {
    uint64_t address, phase;                  /* address: offset in shared memory; phase: how many are over */
    uint64_t pending, expected, bytes, early; /* early: arrivals that belong to later phases */
    bool made;
};
struct async_work {
    uint64_t number;     /* of its instruction, in the order of issue */
    uint64_t done, read; /* the cycle in which it is complete, and has read its sources; or ASYNC_UNKNOWN */
    rp_lanemask lanes;
    uint8_t kind;
    bool commit; /* closes a group */
};
struct async_warp {
    struct async_work *items; /* in the order of issue */
    size_t count, capacity;
};
struct async_block {
    uint32_t rank; /* in its cluster */
    struct async_object *objects;
    size_t object_count, object_capacity;
    unsigned warp_count;
    struct async_warp warps[];
};
/* NULL: out of memory. */
struct async_block *async_block_new(unsigned warps);
void async_block_clear(struct async_block *, uint32_t rank); /* as a new one */
void async_block_free(struct async_block *);

/* Whether all phases are over for which the step waits. */
bool async_over(const struct async_block *, const struct rp_launch *, const struct rp_step *);
/* The first cycle in which all work is complete for which the step waits; ASYNC_UNKNOWN: not known yet. */
uint64_t async_groups_done(const struct async_block *, unsigned warp, const struct rp_step *);

/* This warp issues the step at `now`. `block`: the engine's block, as async_known() gets it. `done`, `read`: the cycles
 * in which the work that the step starts is complete and has read its sources; or in which its operations on objects of
 * other blocks of the cluster take effect. *number: identifies the work for async_known(). True: a phase has ended. */
bool async_issue(struct async_block *, struct async_queue *, void *block, unsigned warp, const struct rp_launch *,
                 const struct rp_step *, uint64_t now, uint64_t done, uint64_t read, uint64_t *number);
/* Sets the cycle in which the work of this number is complete, which was ASYNC_UNKNOWN. */
void async_known(struct async_block *, struct async_queue *, const void *block, unsigned warp, uint64_t number,
                 uint64_t done);
/* Takes the next update with a cycle of `now` or before. False: there is none. */
bool async_due(struct async_queue *, uint64_t now, struct async_update *);
/* Applies the update to the block of its rank. True: a phase has ended. */
bool async_update(struct async_block *, struct async_queue *, const struct async_update *);

/* What the step waits for: "for the end of phase 3 of the barrier object at 0x40, at instruction ...". */
void async_describe(const struct rp_kernel *, const struct rp_step *, char *text, size_t size);

/* False: the step copies more than any shared memory holds. */
bool async_check(const struct rp_kernel *, const struct rp_step *, struct rp_error *err);
/* Piece `i` of the `bytes` that one lane of a bulk copy moves from `at`: mask and addresses of lanes that access 16
 * bytes each. 0: there is no such piece. */
rp_lanemask async_piece(uint64_t at, uint64_t bytes, uint64_t i, uint64_t address[RP_WARP_LANES]);

#endif
