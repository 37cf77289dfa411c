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

/* One access in the past. `when` 0: none. Of shared memory `block` is not used. */
struct past {
    check_agent agent;
    uint32_t when, block;
};
/* Of as many bytes as the narrowest access of the kernel to the space has: the last store, and two loads by different
 * threads that were not ordered, so that whoever stores next finds one of another thread. */
struct cell {
    struct past store, load[2];
};

#define CELLS 512 /* of a page */
struct cell_page {
    struct cell at[CELLS];
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

/* One access of a lane; each check takes it in turn. */
struct touch {
    const struct block *block;
    const struct uop *u;
    enum rp_space space;
    const struct allocation *a;
    uint32_t thread; /* in its block */
    uint64_t at;     /* in its space */
    uint64_t bytes;
    bool loads, stores, strong;
};
void check_init(struct checked_block *, const struct touch *);
void check_race(struct checked_block *, const struct touch *);
void race_event(struct checked_block *, const struct warp_state *, enum block_event);
void sync_event(struct checked_block *, struct warp_state *, enum block_event, const struct uop *, lanemask);
void sync_block_end(struct checked_block *, struct block *);

void cells_free(struct cells *);
/* As if nothing had been accessed. */
void cells_clear(struct cells *);

#endif
