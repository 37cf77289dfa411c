/* Barrier objects and asynchronous work of a block, for both engines: which phases are over, and what a wait for groups
 * still waits for. What an operation on an object does, it does at the issue of its instruction; what copies tell
 * objects takes place in the cycle in which they are complete (docs/timing-model.md, "Asynchronous work"). */
#ifndef REPRISE_REPLAY_BASE_ASYNC_H
#define REPRISE_REPLAY_BASE_ASYNC_H

#include "tracefmt/error.h"
#include "tracefmt/reader.h"

#define ASYNC_UNKNOWN UINT64_MAX
#define ASYNC_BULK_MOST (1u << 18) /* bytes of a bulk copy: more than any GPU's shared memory */
#define ASYNC_PIECE_LANES RP_WARP_LANES
#define ASYNC_PIECE_WIDTH 16u /* bytes: bulk copies move pieces of 32 × 16 */

/* ---- of an instruction ------------------------------------------------------------------------------------------- */

/* The kernel has barrier objects or asynchronous work. */
bool kernel_is_async(const struct rp_kernel *);
static inline bool async_starts(const struct rp_instruction *in)
{
    return in->async.kind != RP_ASYNC_NONE && in->async.role <= RP_ASYNC_TELL;
}
/* It issues only when copies or products before it are complete. */
static inline bool async_awaits_groups(const struct rp_instruction *in)
{
    return in->async.kind != RP_ASYNC_NONE && in->async.role >= RP_ASYNC_WAIT;
}
static inline bool is_object(const struct rp_memory_operand *o) { return o->kind == RP_ACCESS_OBJECT; }
static inline bool is_bulk(const struct rp_memory_operand *o)
{
    return o->kind == RP_ACCESS_BULK_LOAD || o->kind == RP_ACCESS_BULK_STORE;
}
/* It may wait for the end of a phase. */
static inline bool async_tests(const struct rp_instruction *in)
{
    return in->memory_count == 1 && is_object(in->memory) && in->memory->object == RP_OBJECT_TEST;
}
static inline bool async_waits(const struct rp_step *s)
{
    return s->executed && async_tests(s->instruction) && rp_object_waits(s->aux_values[0]);
}
/* It does something to objects, or to groups. */
bool async_acts(const struct rp_instruction *);

/* ---- of an SM ---------------------------------------------------------------------------------------------------- */

/* What will happen to an object when copies are complete. */
struct async_tell {
    void *block;
    uint64_t cycle;  /* ASYNC_UNKNOWN as yet */
    uint64_t number; /* of its instruction, in the order of issue */
    uint64_t address;
    uint64_t arrivals, bytes; /* signed, modulo 2^64 */
    uint32_t rank;            /* of the block in the cluster whose object it is */
    uint8_t what;             /* enum rp_object_operation */
    rp_lanemask lanes;        /* whose copies it waits for */
    unsigned warp;
    bool behind; /* it comes behind all earlier copies of these lanes; else with the copy of this number */
};
struct async_queue {
    struct async_tell *items;
    size_t count, capacity;
    uint64_t next;   /* the first cycle of them, ASYNC_UNKNOWN for none */
    uint64_t number; /* instructions so far */
    bool starved;    /* memory ran out: the figures are worth nothing */
};
void async_queue_free(struct async_queue *);

/* ---- of a block -------------------------------------------------------------------------------------------------- */

struct async_object {
    uint64_t address, phase;                  /* offset in shared memory; phases that are over */
    uint64_t pending, expected, bytes, early; /* early: arrivals beyond what the phase waits for */
    bool made;
};
struct async_work {
    uint64_t number;     /* of its instruction */
    uint64_t done, read; /* when it is complete, and when it has read its sources; or ASYNC_UNKNOWN */
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
void async_block_clear(struct async_block *, uint32_t rank); /* as new */
void async_block_free(struct async_block *);

/* All phases that the step waits for are over. */
bool async_over(const struct async_block *, const struct rp_launch *, const struct rp_step *);
/* The first cycle in which all that the step waits for is complete, as far as it is known; or ASYNC_UNKNOWN. */
uint64_t async_groups_done(const struct async_block *, unsigned warp, const struct rp_step *);

/* The step issues at `now`, by this warp of the block whose engine calls it `block`. `done` and `read`: of what it
 * starts, or of what it does to objects of other blocks of its cluster. True: a phase has ended. *number: under which
 * async_known() will name it. */
bool async_issue(struct async_block *, struct async_queue *, void *block, unsigned warp, const struct rp_launch *,
                 const struct rp_step *, uint64_t now, uint64_t done, uint64_t read, uint64_t *number);
/* It is known now when what was started under this number is complete. */
void async_known(struct async_block *, struct async_queue *, const void *block, unsigned warp, uint64_t number,
                 uint64_t done);
/* Takes the next tell whose cycle has come; NULL: there is none. */
bool async_due(struct async_queue *, uint64_t now, struct async_tell *);
/* Carries it out; the block is the one of rank `rank`. True: a phase has ended. */
bool async_tell(struct async_block *, struct async_queue *, const struct async_tell *);

/* "for the end of phase 3 of the barrier object at 0x40, at instruction ...": the wait of the step. */
void async_describe(const struct rp_kernel *, const struct rp_step *, char *text, size_t size);

/* False: the step copies more than any shared memory holds; err says so. */
bool async_check(const struct rp_kernel *, const struct rp_step *, struct rp_error *err);
/* Piece `i` of what one lane of a bulk copy moves, `bytes` from `at`: the mask and addresses of lanes that access 16
 * bytes each. 0: there is no such piece. */
rp_lanemask async_piece(uint64_t at, uint64_t bytes, uint64_t i, uint64_t address[RP_WARP_LANES]);

#endif
