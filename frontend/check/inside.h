/* The state of checks. */
#ifndef REPRISE_FRONTEND_CHECK_INSIDE_H
#define REPRISE_FRONTEND_CHECK_INSIDE_H

#include "frontend/check/check.h"
#include "frontend/core/access.h"
#include "frontend/core/observe.h"

#define BLOCK_WARPS 32

/* Who accessed a cell last, and when: static instruction, warp, lane, strong, packed. */
typedef uint64_t check_agent;
#define AGENT_STRONG (UINT64_C(1) << 63)
static inline check_agent agent_of(const struct uop *u, uint32_t warp, unsigned lane, bool strong)
{
    return (strong ? AGENT_STRONG : 0) | (uint64_t)u->memory->operand.kind << 48 | (uint64_t)u->index << 16 |
           warp << 5 | lane;
}
static inline uint32_t agent_thread(check_agent a) { return (uint32_t)a & 0x3ff; } /* 32 × warp + lane */
static inline uint32_t agent_warp(check_agent a) { return (uint32_t)a >> 5 & 31; }
static inline uint32_t agent_instruction(check_agent a) { return (uint32_t)(a >> 16); }
static inline uint8_t agent_access(check_agent a) { return (uint8_t)(a >> 48 & 0x7f); }

/* One access in the past. `when` 0: none. */
struct past {
    check_agent agent;
    uint32_t when, block;
};

/* A cell is as many bytes as the narrowest access of the kernel has, at most 4. Of each the last store is kept, and two
 * loads by different threads that were not ordered, so that whoever stores next finds one of another thread. Field by
 * field: accesses mostly are of neighbouring cells that are alike. */
enum { PAST_STORE, PAST_LOAD, PAST_SECOND_LOAD, PASTS };
#define CELLS 512 /* of a page */
struct cell_page {
    uint32_t when[PASTS][CELLS], block[PASTS][CELLS];
    check_agent agent[PASTS][CELLS];
};
/* Cells of a range of memory, in pages that are made when they are touched. */
struct cells {
    struct cell_page **pages;
    uint64_t count;
};

/* Cells and written bytes of one allocation. */
struct checked_allocation {
    uint64_t base; /* tells it from one that had the same id */
    uint64_t size;
    uint64_t launch; /* the number of the launch for which cells are */
    struct cells cells;
    uint8_t *written; /* a byte each; NULL: not needed, all is */
};

struct checked_block {
    struct observer observer; /* first */
    struct rp_check *check;
    struct checked_block *next; /* free ones */
    uint8_t *shared_written, *local_written;
    uint8_t *objects; /* of each 8 bytes of shared memory: enum object_state */
    size_t shared_bytes, local_bytes;
    struct cells shared;
    uint32_t index;
    uint32_t barrier; /* when the last barrier completed */
    uint32_t collective[BLOCK_WARPS], released[BLOCK_WARPS], acquired[BLOCK_WARPS];
};

struct rp_check {
    unsigned kinds;
    uint32_t limit;
    struct rp_finding *findings;
    size_t count;
    uint64_t dropped;
    bool incomplete;
    /* of the launch */
    const struct grid *grid;
    uint64_t launch;               /* its number, from 1 */
    uint32_t now;                  /* grows with everything that may order */
    unsigned cell_shift;           /* bytes of a cell: 1 << cell_shift */
    uint32_t *released, *acquired; /* by block: when it did last */
    struct checked_block *free_blocks;
    struct checked_allocation *allocations; /* by id */
    uint32_t allocation_count;
};

/* Enters a finding, or counts it if it is known. other NULL: there is none. `detail` is what is wrong. */
void check_report(struct rp_check *, const struct block *, struct rp_finding, const char *detail);
/* The place of a thread of this block. */
struct rp_check_place check_place(const struct block *, uint32_t instruction, uint32_t thread, uint8_t access);

/* The allocation's entry; NULL: no memory. */
struct checked_allocation *check_allocation(struct rp_check *, const struct allocation *);

/* An access, or a part of it: neighbouring lanes that touch neighbouring bytes. Each check takes it in turn. */
struct touch {
    const struct block *block;
    const struct uop *u;
    enum rp_space space;
    const struct allocation *a;
    uint32_t thread; /* the first lane's in the block */
    uint32_t lanes;
    uint64_t at;    /* the first lane's address in its space */
    uint64_t bytes; /* of a lane */
    bool loads, stores, strong;
};
/* One lane of it. */
static inline struct touch touch_of_lane(const struct touch *t, uint32_t lane)
{
    struct touch one = *t;
    one.thread += lane;
    one.lanes = 1;
    one.at += lane * t->bytes;
    return one;
}
/* Without its first lanes. */
static inline struct touch touch_of_lanes(const struct touch *t, uint32_t from)
{
    struct touch rest = *t;
    rest.thread += from;
    rest.lanes -= from;
    rest.at += from * t->bytes;
    return rest;
}
void check_init(struct checked_block *, const struct touch *);
void check_race(struct checked_block *, const struct touch *);
void race_event(struct checked_block *, const struct warp_state *, enum block_event);
void sync_event(struct checked_block *, struct warp_state *, enum block_event, const struct uop *, lanemask);
void sync_objects(struct checked_block *, struct warp_state *, const struct uop *, const struct lane_addresses *,
                  lanemask);
void sync_block_end(struct checked_block *, struct block *);

void cells_free(struct cells *);
/* As if nothing had been accessed. */
void cells_clear(struct cells *);

#endif
