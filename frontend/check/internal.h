/* The state of checks. */
#ifndef REPRISE_FRONTEND_CHECK_INTERNAL_H
#define REPRISE_FRONTEND_CHECK_INTERNAL_H

#include "frontend/check/check.h"
#include "frontend/core/access.h"
#include "frontend/core/observe.h"
#include "frontend/core/simd.h"

#define BLOCK_WARPS 32

/* Who accessed a cell last: strong, access, static instruction, warp, lane, packed. */
typedef uint32_t check_agent;
#define AGENT_STRONG (UINT32_C(1) << 31)
#define AGENT_THREADS UINT32_C(0x3ff)
#define AGENT_INSTRUCTIONS (UINT32_C(1) << 19) /* as many can be told apart */
enum { AGENT_LOAD, AGENT_STORE, AGENT_ATOMIC };
static inline uint32_t agent_thread(check_agent a) { return a & AGENT_THREADS; } /* 32 × warp + lane */
static inline uint32_t agent_warp(check_agent a) { return a >> 5 & 31; }
static inline uint32_t agent_instruction(check_agent a) { return a >> 10 & (AGENT_INSTRUCTIONS - 1); }
static inline uint32_t agent_access(check_agent a) { return a >> 29 & 3; }

/* One access in the past: when it was, times 2^32, and who made it. 0: none. */
typedef uint64_t check_past;
static inline check_past past_of(uint32_t when, check_agent agent) { return (uint64_t)when << 32 | agent; }
static inline uint32_t past_when(check_past p) { return (uint32_t)(p >> 32); }
static inline check_agent past_agent(check_past p) { return (uint32_t)p; }

/* A cell is as many bytes as the narrowest access of the kernel to this kind of memory has, at most 4. Of each the last
 * store is kept, and two loads by different threads that were not ordered, so that whoever stores next finds one of
 * another thread. */
enum { PAST_STORE, PAST_LOAD, PAST_SECOND_LOAD, PASTS };
#define CELLS 512 /* of a page */
#define ROW_CELLS 32
/* Cells of a range of memory, in pages that are made when something is to be kept in them. */
struct cells {
    check_past **pages[PASTS];
    uint64_t count;
};

/* Times from `since` on, and those from `low` to before `end`. */
struct window {
    check_past since, low, end;
};
static inline bool within(check_past p, struct window w) { return (p >= w.since) | ((p >= w.low) & (p < w.end)); }
/* Loops over `count` neighbouring cells (scan.simd.c): whether all pasts lie within the window; whether any does;
 * whether none is before `since`, and all are of neighbouring threads from that of `first` on, `shift` cells each; and
 * filling the cells in, so. */
typedef bool scan_fn(const check_past *, uint64_t count, struct window);
typedef bool owned_fn(const check_past *, uint64_t count, check_past first, unsigned shift, check_past since);
typedef void keep_fn(check_past *, uint64_t count, check_past first, unsigned shift);
SIMD_DECLARE(bool, scan_all, (const check_past *, uint64_t count, struct window))
SIMD_DECLARE(bool, scan_any, (const check_past *, uint64_t count, struct window))
SIMD_DECLARE(bool, scan_owned, (const check_past *, uint64_t count, check_past first, unsigned shift, check_past since))
SIMD_DECLARE(void, scan_keep, (check_past *, uint64_t count, check_past first, unsigned shift))

/* The lanes whose address is so far behind that of the lane before them. */
typedef lanemask steps_fn(const uint64_t at[RP_WARP_LANES], uint64_t distance);
SIMD_DECLARE(lanemask, scan_steps, (const uint64_t at[RP_WARP_LANES], uint64_t distance))

/* Cells of lanes of a warp, all in one page and no two the same, of memory that only this block reaches. */
struct scattered {
    const check_past *page[PASTS];
    struct window open, fresh; /* as in struct touch */
    bool strong_store;
    bool ascends; /* so that none is there twice */
    unsigned count;
    uint32_t cell[RP_WARP_LANES]; /* in the page */
    check_past now[RP_WARP_LANES];
};
/* A bit for each: nothing that was stored matters, the first load does not, the second does not; either load is not
 * ordered before this, if it is another thread's. */
struct scattered_pasts {
    lanemask store_over, load_over, second_over, load_fresh, second_fresh;
};
/* Where the cells of all 32 lanes are in the page that begins with `first`. False: they are not all there. */
typedef bool place_fn(const struct lane_addresses *, unsigned shift, uint64_t first, check_past start,
                      struct scattered *);
SIMD_DECLARE(bool, scan_place,
             (const struct lane_addresses *, unsigned shift, uint64_t first, check_past start, struct scattered *))
typedef void scattered_fn(const struct scattered *, struct scattered_pasts *);
SIMD_DECLARE(void, scan_scattered, (const struct scattered *, struct scattered_pasts *))

/* Which block ran from when on, until the next one did. */
struct check_slice {
    uint32_t when, block;
};

/* Cells and written bytes of one allocation. */
struct checked_allocation {
    uint64_t base; /* tells it from one that had the same id */
    uint64_t size;
    struct cells cells;
    uint8_t *written; /* a byte each; NULL: not needed, all is */
};

/* A lane's asynchronous copy into shared memory that it has not waited for. */
struct check_copy {
    const struct uop *u; /* the store */
    uint64_t at;
    uint32_t bytes, lane;
    uint32_t group; /* how many groups the lane had closed before */
};
struct check_copies { /* a warp's */
    struct check_copy *list;
    uint32_t count, room;
    uint32_t closed[RP_WARP_LANES]; /* groups, by lane, in all blocks so far */
};

/* A bulk copy into the block's shared memory that no thread has waited for. */
struct bulk_copy {
    const struct uop *u; /* the store */
    uint32_t thread;
    bool told; /* it has an object, at `object` of shared memory, which was in this phase */
    uint64_t at, bytes, object, phase;
};
struct check_bulk {
    struct bulk_copy *list;
    uint32_t count, room;
};

/* The last access by another block of the cluster. */
struct remote_access {
    bool there;
    uint8_t access;
    uint32_t when, from; /* from: the block's index */
    uint64_t address;
    uint32_t bytes, instruction, thread;
};

/* Lanes of a warp that have come to an aligned barrier without the others. */
struct check_part {
    lanemask lanes, expected; /* expected: those that were there when the first came; 0: there is no such part */
    uint32_t instruction, thread;
    bool ends; /* where the lanes parted, they meet again at the kernel's end: those that are missing have returned */
    bool said;
};
/* Lanes for which others wait at a collective. */
struct check_awaited {
    lanemask lanes; /* but for those that may return instead */
    uint32_t instruction;
};

struct checked_block {
    struct observer observer; /* first */
    struct rp_check *check;
    struct checked_block *next; /* free ones */
    uint8_t *shared_written, *local_written;
    uint8_t *objects;      /* of each 8 bytes of shared memory: enum object_state */
    uint32_t object_count; /* that are made, and not ended */
    size_t shared_bytes, local_bytes;
    struct cells shared;
    uint32_t *quiet; /* by rows of ROW_CELLS of them: of what was ordered then, both loads are later, and no store is */
    uint32_t index;
    uint32_t begun;                          /* when the block began */
    uint32_t barrier;                        /* when the last barrier completed */
    uint32_t slice;                          /* since when it has been running, other blocks not */
    struct check_copies copies[BLOCK_WARPS]; /* where races are looked for */
    uint64_t copy_count;                     /* of all warps */
    uint16_t *copied;                        /* by 4 bytes of shared memory: copies that store there; NULL: none has */
    struct check_bulk bulk;
    struct remote_access remote;
    struct waiting_loads *loads;          /* NULL: none have waited yet */
    uint32_t waiting;                     /* how many of them */
    uint32_t stored;                      /* when a store to its shared memory was kept last */
    struct check_part parts[BLOCK_WARPS]; /* by warp; of barriers that wait */
    struct check_awaited awaited[BLOCK_WARPS];
    uint32_t collective[BLOCK_WARPS], released[BLOCK_WARPS], fenced[BLOCK_WARPS], acquired[BLOCK_WARPS];
};

/* Of which memory a program's stores may be, by its code (stores.c). */
struct store_origins {
    uint64_t program;    /* its identity; 0: of none yet */
    bool anywhere;       /* of any */
    uint8_t *parameters; /* by byte: not 0, what the parameter there points to */
};
/* What the instructions of a program only move (moves.c). */
struct moves {
    uint64_t program;      /* its identity; 0: of none yet */
    uint8_t *instructions; /* as check_moves */
};
/* What a launch has done so far with a buffer. */
enum use { USE_NONE, USE_LOADS /* that were not kept */, USE_STORES /* or may, by its code */ };

/* Why not everything was checked, or-ed. */
enum missed { MISSED_MEMORY = 1, MISSED_INSTRUCTIONS = 2, MISSED_TIME = 4, MISSED_STORE = 8 };

struct rp_check {
    unsigned kinds;
    uint32_t limit;
    struct rp_finding *findings;
    size_t count;
    uint64_t dropped;
    unsigned missed;       /* enum missed */
    struct fault left_out; /* of the last launch, the first; kind RP_FAULT_NONE: there is none */
    /* of the launch */
    const struct grid *grid;
    uint32_t now;                           /* grows with everything that may order, of all launches */
    uint32_t begin;                         /* when the launch began */
    unsigned shared_shift;                  /* bytes of a cell of shared memory: 1 << shared_shift */
    unsigned global_shift;                  /* the same of device memory */
    uint32_t *released, *fenced, *acquired; /* by block: when it did last, see race_fence */
    struct checked_block *free_blocks;
    struct checked_block *current; /* which runs; NULL: none has yet */
    struct check_slice *slices;    /* of the launch */
    size_t slice_count, slice_room;
    struct check_piece *pieces; /* memory for pages (cells.c), `pages_left` of the first one not used yet */
    size_t pages_left;
    check_past *free_pages;                 /* each begins with where the next one is */
    struct checked_allocation *allocations; /* by id */
    uint32_t allocation_count;
    struct store_origins origins; /* of the last program */
    struct moves moves;           /* of the last program that read what was not written */
    uint8_t *use;                 /* by id of an allocation that was there when the launch began: enum use */
    uint32_t use_count;
    scan_fn *all, *any;
    owned_fn *owned;
    keep_fn *keep;
    steps_fn *steps;
    place_fn *place;
    scattered_fn *scattered;
};

static inline unsigned cell_shift(const struct rp_check *c, enum rp_space space)
{
    return space == RP_SPACE_SHARED ? c->shared_shift : c->global_shift;
}

/* Enters a finding, or counts it if it is known. other NULL: there is none. `detail` is what is wrong. */
void check_report(struct rp_check *, const struct block *, struct rp_finding, const char *detail);
/* The place of a thread of this block. */
struct rp_check_place check_place(const struct block *, uint32_t instruction, uint32_t thread, uint8_t access);

/* Where a block is in the grid. */
void check_block_at(const struct grid *, uint32_t index, uint32_t at[3]);

/* The allocation's entry; NULL: no memory. */
struct checked_allocation *check_allocation(struct rp_check *, const struct allocation *);

/* An access, or a part of it: neighbouring lanes that touch neighbouring bytes. Each check takes it in turn. */
struct touch {
    const struct block *block;
    const struct uop *u;
    enum rp_space space;
    const struct allocation *a;
    struct checked_block *of; /* whose shared memory it is, if that is the space */
    bool apart;               /* other blocks access this memory, too */
    uint32_t thread;          /* the first lane's in the block */
    uint32_t lanes;
    uint64_t at;    /* the first lane's address in its space */
    uint64_t bytes; /* of a lane */
    bool loads, stores;
    bool strong;         /* to all that access this memory: its scope is not the block where others access it, too */
    struct cells *cells; /* NULL: races are not looked for, or there is nothing to find; and without, nothing below */
    check_agent agent;   /* of thread 0 */
    bool copies;         /* it is the store of an asynchronous copy */
    struct window open;  /* pasts that no barrier has made an end of */
    struct window fresh; /* pasts that are not ordered before this if another thread's */
};
/* Of rp_finding.memory. */
static inline uint64_t touch_buffer(const struct touch *t)
{
    return t->space == RP_SPACE_GLOBAL && t->a ? t->a->base : 0;
}
/* enum rp_access_kind; of a bulk copy, which has two sides, that of this one. */
static inline uint8_t touch_kind(const struct touch *t)
{
    uint8_t kind = t->u->memory->operand.kind;
    if (kind != RP_ACCESS_BULK_LOAD && kind != RP_ACCESS_BULK_STORE)
        return kind;
    return t->stores ? RP_ACCESS_BULK_STORE : RP_ACCESS_BULK_LOAD;
}
/* Other blocks access memory of this space, too: of shared memory those of its cluster. */
static inline bool reached_by_others(const struct checked_block *cb, enum rp_space space)
{
    const uint32_t *c = cb->check->grid->cluster;
    return space == RP_SPACE_GLOBAL || (space == RP_SPACE_SHARED && c[0] * c[1] * c[2] > 1);
}
/* One lane of it. */
static inline struct touch touch_of_lane(const struct touch *t, uint32_t lane)
{
    struct touch one = *t;
    one.thread += lane;
    one.lanes = 1;
    one.at += lane * t->bytes;
    return one;
}
/* Asynchronous copies are under way whose bytes nobody may touch. */
static inline bool copies_pending(const struct checked_block *cb) { return cb->copy_count || cb->bulk.count; }
/* bulk.c: the store of a bulk copy; barrier objects are used; an access to shared memory while copies are pending. */
void bulk_start(struct checked_block *, const struct touch *);
void bulk_objects(struct checked_block *, const struct warp_state *, const struct uop *, const struct lane_addresses *,
                  lanemask);
void bulk_look(struct checked_block *, const struct touch *);
/* A block begins: its shared memory is not written, but for the system's. */
void check_nothing_written(struct checked_block *, const struct extents *);
/* Bit n: the instruction only moves its element n; 0xff: all that it reads. */
uint8_t check_moves(struct rp_check *, const struct program *, uint32_t instruction);
void check_init(struct checked_block *, const struct touch *);
/* The same for lanes that are anywhere; sets at and lanes of the touch. */
void check_init_access(struct checked_block *, struct touch *, const struct lane_addresses *, lanemask);
/* Whether a load by a warp of memory from `low` to before `end`, whichever lanes make it, has no race and need not be
 * kept: nobody stored there, and two loads are kept already. False: it is not known. */
bool race_quiet(struct checked_block *, const struct touch *, uint64_t low, uint64_t end);
/* Before check_race: what it needs to know of an access, whatever lanes make it. */
void race_prepare(struct checked_block *, struct touch *);
/* Asks for the cells of lanes that are anywhere, which check_race is going to look at. */
void race_prefetch(const struct checked_block *, const struct touch *, const struct lane_addresses *);
void check_race(struct checked_block *, const struct touch *);
/* The same of lanes that access a cell of shared memory each, wherever those are. Returns those that are done; of the
 * others some have one cell, or are to be looked at one by one. */
lanemask check_race_scattered(struct checked_block *, const struct touch *, const struct lane_addresses *, lanemask);
/* The same of two threads that load the same cells, t->thread and the next, if nothing is kept there that matters.
 * False: it does, and nothing was done. */
bool check_race_pair(struct checked_block *, const struct touch *);
/* The check for races of an access that may be one in a race. */
void check_lanes(struct checked_block *, struct touch *, const struct lane_addresses *, lanemask);
/* loads.c: a load of shared memory is kept later, if at all (false: it is not one that may wait); those that wait are
 * kept now, before a store to shared memory or an event. */
static inline bool loads_may_wait(const struct checked_block *cb, const struct touch *t)
{
    return t->space == RP_SPACE_SHARED && !t->stores && cb->stored < cb->barrier; /* else it may be in a race */
}
bool loads_wait(struct checked_block *, const struct touch *, const struct lane_addresses *, lanemask);
void loads_keep(struct checked_block *);
/* remote.c: lanes access shared memory of another block; a block of a cluster ends. */
void remote_access(struct checked_block *, const struct touch *, const struct lane_addresses *, lanemask);
void remote_block_end(struct checked_block *, const struct block *);
/* For launches, where races are looked for. False: no memory. */
bool stores_begin(struct rp_check *, const struct grid *);
/* The launch never stores there, so that this load is in no race; the touch needs no more than its place. If it is a
 * store, or the launch may store there, false. */
bool stores_never(struct rp_check *, const struct touch *);
/* A store that was made without an access of its own: it is kept. */
void race_stored(struct checked_block *, struct touch *);
/* Asynchronous copies (copies.c). Whether this is the store of one, that it is issued; another access, while there are
 * any; groups; barrier objects that arrive behind copies; the beginning and the end of a block. */
bool copies_starts(const struct touch *);
void copies_start(struct checked_block *, const struct touch *);
void copies_look(struct checked_block *, const struct touch *);
/* The access is a race with what this thread's copy stores. */
void copies_report(struct checked_block *, const struct touch *, const struct uop *copy, uint32_t thread,
                   uint8_t access, const char *detail);
void copies_group(struct checked_block *, const struct warp_state *, const struct uop *, lanemask);
void copies_object(struct checked_block *, const struct warp_state *, const struct uop *, lanemask);
void copies_begin(struct checked_block *);
void copies_free(struct checked_block *);
/* order.c. BARRIER, CLUSTER and COLLECTIVE. */
void race_event(struct checked_block *, const struct warp_state *, enum block_event);
/* A fence, or behind a strong access: the warp has seen what others did before theirs, and others may see what it did;
 * stores_too: also what it stored, not only that it loaded. in_block: threads of the block alone. */
void race_fence(struct checked_block *, const struct warp_state *, bool stores_too, bool in_block);
/* Another block runs now; and the block that made an access to memory that blocks share, in this launch. */
void race_begin_slice(struct checked_block *);
uint32_t race_block_of(const struct checked_block *, check_past);
/* Whether something orders what is past before what the thread does now; whether the two are in a race; whether it is a
 * store that is not strong, and that nothing has made others see yet. */
bool race_ordered(const struct checked_block *, check_past, const struct touch *, uint32_t thread);
bool race_conflicts(const struct checked_block *, check_past, const struct touch *, uint32_t thread);
bool race_unfenced(const struct checked_block *, check_past, const struct touch *);
/* Both are strong; of one block, so that their scopes do not matter. */
bool race_strong_in_block(const struct touch *, check_agent);
/* PTX ISA, "Memory Consistency Model", "Strong Operations"; machine code says volatile by its cache operators. */
bool check_strong(const struct rp_memory_operand *);
void sync_event(struct checked_block *, struct warp_state *, enum block_event, const struct uop *, lanemask);
void sync_objects(struct checked_block *, struct warp_state *, const struct uop *, const struct lane_addresses *,
                  lanemask);
/* Lanes store to shared memory of their own block, in which there are objects. */
void sync_store(struct checked_block *, const struct touch *, const struct lane_addresses *, lanemask);
void sync_block_end(struct checked_block *, struct block *);

/* False: no memory. */
bool cells_make(struct cells *, uint64_t count);
void cells_free(struct rp_check *, struct cells *);
/* CELLS zeroed pasts. NULL: no memory. */
check_past *cells_new_page(struct rp_check *);
/* That of all pages, which nobody may use any more. */
void cells_free_memory(struct rp_check *);

#endif
