/* The state of checks. */
#ifndef REPRISE_FRONTEND_CHECK_INTERNAL_H
#define REPRISE_FRONTEND_CHECK_INTERNAL_H

#include "frontend/check/check.h"
#include "frontend/core/access.h"
#include "frontend/core/lanes/simd.h"
#include "frontend/core/observe.h"

#define BLOCK_WARPS 32

/* The last access to a cell, packed: strong, access, static instruction, warp, lane. */
typedef uint32_t check_agent;
#define AGENT_STRONG (UINT32_C(1) << 31)
#define AGENT_THREADS UINT32_C(0x3ff)
#define AGENT_INSTRUCTIONS (UINT32_C(1) << 19) /* the most instructions that can be distinguished */
enum { AGENT_LOAD, AGENT_STORE, AGENT_ATOMIC };
static inline uint32_t agent_thread(check_agent a) { return a & AGENT_THREADS; } /* 32 × warp + lane */
static inline uint32_t agent_warp(check_agent a) { return a >> 5 & 31; }
static inline uint32_t agent_instruction(check_agent a) { return a >> 10 & (AGENT_INSTRUCTIONS - 1); }
static inline uint32_t agent_access(check_agent a) { return a >> 29 & 3; }

/* A past access: its time × 2^32, plus its agent. 0: none. */
typedef uint64_t check_past;
static inline check_past past_of(uint32_t when, check_agent agent) { return (uint64_t)when << 32 | agent; }
static inline uint32_t past_when(check_past p) { return (uint32_t)(p >> 32); }
static inline check_agent past_agent(check_past p) { return (uint32_t)p; }

/* A cell has as many bytes as the kernel's narrowest access to this kind of memory, at most 4. It keeps the last store,
 * and two loads by different threads that were not ordered: so the next store finds a load by another thread. */
enum { PAST_STORE, PAST_LOAD, PAST_SECOND_LOAD, PASTS };
#define CELLS 512 /* per page */
#define ROW_CELLS 32
/* The cells of a memory range, in pages that are allocated when a cell is first used. */
struct cells {
    check_past **pages[PASTS];
    uint64_t count;
};

/* A window of time: everything from `since` on, and everything from `low` to before `end`. */
struct window {
    check_past since, low, end;
};
static inline bool within(check_past p, struct window w) { return (p >= w.since) | ((p >= w.low) & (p < w.end)); }
/* Loops over `count` neighbouring cells (scan.simd.c). all: all pasts lie within the window. any: some past does.
 * ascending: no past is before `since`, and all are by consecutive threads from `first`'s on, `shift` cells each. fill:
 * stores such pasts. */
typedef bool scan_fn(const check_past *, uint64_t count, struct window);
typedef bool owned_fn(const check_past *, uint64_t count, check_past first, unsigned shift, check_past since);
typedef void keep_fn(check_past *, uint64_t count, check_past first, unsigned shift);
SIMD_DECLARE(bool, scan_all, (const check_past *, uint64_t count, struct window))
SIMD_DECLARE(bool, scan_any, (const check_past *, uint64_t count, struct window))
SIMD_DECLARE(bool, scan_owned, (const check_past *, uint64_t count, check_past first, unsigned shift, check_past since))
SIMD_DECLARE(void, scan_keep, (check_past *, uint64_t count, check_past first, unsigned shift))

/* The lanes whose address is `distance` behind the address of the lane before them. */
typedef lanemask steps_fn(const uint64_t at[RP_WARP_LANES], uint64_t distance);
SIMD_DECLARE(lanemask, scan_steps, (const uint64_t at[RP_WARP_LANES], uint64_t distance))

/* The cells of lanes of a warp, all in one page and all different, of memory that only this block accesses. */
struct scattered {
    const check_past *page[PASTS];
    struct window open, fresh; /* as in struct touch */
    bool strong_store;
    bool ascends; /* the cells ascend, so they are all different */
    unsigned count;
    uint32_t cell[RP_WARP_LANES]; /* index in the page */
    check_past now[RP_WARP_LANES];
};
/* Lanes, a bit each: whose past store does not matter; whose first past load does not matter; whose second does not;
 * and whose past load is not ordered before this access, if it is by another thread. */
struct scattered_pasts {
    lanemask store_over, load_over, second_over, load_fresh, second_fresh;
};
/* Finds the cells of all 32 lanes in the page that begins with `first`. False: not all are there. */
typedef bool place_fn(const struct lane_addresses *, unsigned shift, uint64_t first, check_past start,
                      struct scattered *);
SIMD_DECLARE(bool, scan_place,
             (const struct lane_addresses *, unsigned shift, uint64_t first, check_past start, struct scattered *))
typedef void scattered_fn(const struct scattered *, struct scattered_pasts *);
SIMD_DECLARE(void, scan_scattered, (const struct scattered *, struct scattered_pasts *))

/* The block that ran from `when` on, until the next slice. */
struct check_slice {
    uint32_t when, block;
};

/* What an allocation holds by the types of kernels' parameters, or-ed: numbers and pointers; structures; anything, such
 * as bytes, vectors, or what structures and names without types point to. */
enum holds { HOLDS_NUMBERS = 1, HOLDS_STRUCTURES = 2, HOLDS_OTHERS = 4 };
/* The types of a program's parameters (holds.c). */
struct parameter_types {
    uint64_t program; /* its identity; 0: none yet */
    uint8_t *holds;   /* by parameter: what it points to */
};

/* The cells and the written bytes of one allocation. */
struct checked_allocation {
    uint64_t base; /* distinguishes it from an earlier allocation with the same id */
    uint64_t size;
    struct cells cells;
    uint8_t *written; /* by byte: the bits that were written; NULL: not needed, all were */
    uint8_t *wide;   /* by word of 8 bytes: how many of these the last store of a kernel there had, at most 2; NULL with
                        `written` */
    uint32_t *moved; /* by word of 4 bytes: where its undefined bits are from (moved.c); NULL: no store had any */
    uint8_t holds;   /* enum holds */
};

/* A lane's asynchronous copy into shared memory that it has not waited for. */
struct check_copy {
    const struct uop *u; /* the uop that stores */
    uint64_t at;
    uint32_t bytes, lane;
    uint32_t group; /* how many groups the lane had closed before */
};
struct check_copies { /* of a warp */
    struct check_copy *list;
    uint32_t count, room;
    uint32_t closed[RP_WARP_LANES]; /* groups closed so far, by lane, in all blocks */
};

/* A bulk copy into the block's shared memory that no thread has waited for. */
struct bulk_copy {
    const struct uop *u; /* the uop that stores */
    uint32_t thread;
    bool has_object; /* it completes at the object at `object` of shared memory, which was in this phase */
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
    uint32_t when, from; /* from: index of that block */
    uint64_t address;
    uint32_t bytes, instruction, thread;
};

/* What a thread does while it has a lock (locks.c). Times: accesses of the section are from `begin` on, and before
 * `end`; the first fence behind `begin`, of any scope, and of a scope beyond the block. */
struct lock_section {
    uint64_t at, free, taken; /* address of the lock; its values before and in the section */
    uint32_t space, block, thread;
    uint32_t begin, end, fenced_in_block, fenced;
    bool bare; /* something was accessed before `fenced` */
};
#define LOCK_SECTIONS 256 /* bare sections of a launch that are kept; the latest */
#define HELD_LOCKS 64     /* locks of a warp that are kept; of more, the oldest are forgotten */
struct held_locks {
    uint32_t count;
    struct lock_section list[HELD_LOCKS];
};

/* Lanes of a warp that have come to an aligned barrier without the others. */
struct check_part {
    lanemask lanes, expected; /* expected: the lanes that were live when the first came; 0: unused */
    uint32_t instruction, thread;
    bool ends; /* the diverged lanes meet again only at the kernel's end: the missing lanes have returned */
    bool reported;
};
/* Lanes for which others wait at a collective. */
struct check_awaited {
    lanemask lanes; /* without those that may return instead */
    uint32_t instruction;
};

/* PLAIN: of machine code before sm_90 (plain_objects.c). */
enum object_state { OBJECT_NONE, OBJECT_MADE, OBJECT_ENDED, OBJECT_PLAIN };

struct checked_block {
    struct observer observer; /* first */
    struct rp_check *check;
    struct checked_block *next;               /* list of free ones */
    uint8_t *shared_written, *local_written;  /* by byte: the bits that were written (init.c) */
    struct undefined *undefined[BLOCK_WARPS]; /* by warp: its registers; NULL: none were undefined yet */
    uint8_t *objects;                         /* per 8 bytes of shared memory: enum object_state */
    uint32_t object_count;                    /* objects that were initialised and not invalidated */
    size_t shared_bytes, local_bytes;
    struct cells shared;
    uint32_t *
        quiet; /* by row of ROW_CELLS cells: a time since which each cell has kept two loads and no store; 0: unknown */
    uint32_t index;
    uint32_t begun;                          /* time of the block's beginning */
    uint32_t barrier;                        /* time when the last barrier completed */
    uint32_t slice;                          /* time since when this block has been running without others in between */
    struct check_copies copies[BLOCK_WARPS]; /* used if races are checked */
    uint64_t copy_count;                     /* of all warps */
    uint16_t *copied; /* by word of 4 bytes of shared memory: copies that store there; NULL: none ever did */
    struct check_bulk bulk;
    struct remote_access remote;
    struct waiting_loads *loads;          /* NULL: there were none yet */
    uint32_t waiting;                     /* number of waiting loads */
    uint32_t stored;                      /* time of the last store to its shared memory that was kept */
    struct check_part parts[BLOCK_WARPS]; /* by warp, for barriers that are waiting */
    struct check_awaited awaited[BLOCK_WARPS];
    uint32_t collective[BLOCK_WARPS], released[BLOCK_WARPS], fenced[BLOCK_WARPS], acquired[BLOCK_WARPS];
    uint32_t seen[BLOCK_WARPS];           /* strict: time of the last atomic that saw what others did; see race_seen */
    struct held_locks *held[BLOCK_WARPS]; /* strict; NULL: none ever */
};

/* The memory that a program's stores may go to, according to its code (stores.c). */
struct store_origins {
    uint64_t program;    /* identity of the program; 0: none yet */
    bool anywhere;       /* stores may go to any memory */
    uint8_t *parameters; /* by byte: nonzero if the memory to which a parameter there points may be stored to */
};
/* How a launch has used a buffer so far. */
enum use { USE_NONE, USE_LOADS /* that were not kept */, USE_STORES /* or may store, by its code */ };

/* Reasons why checks are incomplete, or-ed. */
enum missed { MISSED_MEMORY = 1, MISSED_INSTRUCTIONS = 2, MISSED_TIME = 4, MISSED_STORE = 8 };

/* See sample.c. */
struct check_sample {
    struct observer observer; /* first */
    const struct rp_check *check;
    struct observer *own, *under; /* of the check; of the block before, or NULL */
    struct block *block;          /* NULL: there is none */
    uint64_t left;                /* accesses that are still looked at */
};

/* What the checks do, and the same with a clock (timed.c). */
extern const struct observer_calls check_calls, check_timed_calls;

struct rp_check {
    unsigned kinds;
    uint32_t limit;
    struct rp_finding *findings;
    size_t count, room, kept;  /* kept: without those that are suppressed */
    struct rp_finding *beyond; /* those beyond the limit, without texts: each counts once */
    size_t beyond_count, beyond_room;
    struct rp_finding *joined; /* races that are part of a finding by an instruction that they share, without texts */
    size_t joined_count, joined_room;
    rp_check_found_fn *complete, *added; /* NULL: nobody is told */
    void *found_user;
    bool muted;
    bool timed;
    uint64_t nanoseconds; /* in check_timed_calls */
    struct check_sample sample;
    unsigned missed;         /* enum missed */
    uint64_t left_out_count; /* accesses of the launch */
    /* of the launch */
    const struct grid *grid;
    uint32_t launch;       /* its number: times may start again, this does not */
    uint32_t now;          /* the current time: grows with every event that may order accesses, over all launches */
    uint32_t begin;        /* time when the launch began */
    bool plain_objects;    /* the code arrives at barrier objects in plain memory */
    uint8_t *spins;        /* spins_find() */
    unsigned shared_shift; /* shared memory: a cell has 1 << shared_shift bytes */
    unsigned global_shift; /* device memory: likewise */
    uint32_t *released, *fenced, *acquired; /* by block: time of its last release, fence, acquire; see race_fence */
    uint32_t *seen;                         /* by block, see race_seen */
    struct lock_section sections[LOCK_SECTIONS]; /* the latest of section_count, in a ring */
    uint64_t section_count;
    struct checked_block *free_blocks;
    struct checked_block *current; /* the running block; NULL: none yet */
    struct check_slice *slices;    /* of the launch */
    size_t slice_count, slice_room;
    struct check_piece *pieces; /* memory for pages (cells.c); the first piece has `pages_left` unused pages */
    size_t pages_left;
    check_past *free_pages;                 /* each begins with a pointer to the next */
    struct checked_allocation *allocations; /* by allocation id */
    uint32_t allocation_count;
    struct store_origins origins;         /* of the last program */
    struct parameter_types types;         /* of the last program */
    struct moved_reads *moved;            /* moved.c; NULL: none yet */
    struct trials *trials;                /* undefined.c; NULL: none yet */
    struct origin_memory *undefined_from; /* origins.c; NULL: nothing unwritten was read yet */
    uint8_t *use;                         /* by id of the allocations that existed when the launch began: enum use */
    uint32_t use_count;
    scan_fn *all, *any;
    owned_fn *owned;
    keep_fn *keep;
    steps_fn *steps;
    place_fn *place;
    scattered_fn *scattered;
};

/* Of two times. */
static inline uint32_t later(uint32_t a, uint32_t b) { return a > b ? a : b; }
static inline unsigned cell_shift(const struct rp_check *c, enum rp_space space)
{
    return space == RP_SPACE_SHARED ? c->shared_shift : c->global_shift;
}

/* Adds a finding, or counts it if it is known. other NULL: there is only one location. `detail` says what is wrong. */
void check_report(struct rp_check *, const struct block *, struct rp_finding, const char *detail);
/* A finding that is complete, without a place in the list; and its way into the list, if it is not there yet. */
struct rp_finding check_make(struct rp_check *, const struct block *, struct rp_finding, const char *detail);
void check_add_made(struct rp_check *, struct rp_finding);
/* What makes the finding one, without texts. */
struct rp_finding check_key_of(const struct rp_finding *);
/* Whether two findings of a kernel are one. */
bool check_same(const struct rp_kernel *, const struct rp_finding *, const struct rp_finding *);
/* The source location of an instruction, with a thread of this block. */
struct rp_check_location check_location(const struct block *, uint32_t instruction, uint32_t thread, uint8_t access);

/* callers.c. check_callers: the calls that the location's thread is in now. check_callers_key: equal ones have it in
 * common; 0: there are none. check_callee: the function that a call of PTX names, which the caller frees. */
void check_callers(const struct block *, const struct rp_check_location *, struct callers *);
uint64_t check_callers_key(const struct callers *);
char *check_callee(const char *text);

/* A block's coordinates in the grid. */
void check_block_at(const struct grid *, uint32_t index, uint32_t at[3]);

/* The allocation's entry; NULL: out of memory. */
struct checked_allocation *check_allocation(struct rp_check *, const struct allocation *);

/* An access, or the part of it by neighbouring lanes to neighbouring bytes. Each check handles it in turn. */
struct touch {
    const struct block *block;
    const struct uop *u;
    enum rp_space space;
    const struct allocation *a;
    struct checked_block *of; /* the block whose shared memory is accessed */
    bool apart;               /* other blocks access this memory, too */
    uint32_t thread;          /* the first lane's number in the block */
    uint32_t lanes;
    uint64_t at;    /* the first lane's address in its space */
    uint64_t bytes; /* per lane */
    bool loads, stores;
    bool strong;         /* with a scope that includes all blocks that access this memory */
    bool uncached;       /* volatile or strong: it needs no fence behind the atomic that saw what is before */
    struct cells *cells; /* NULL: no check for races is needed, and the fields below are not set */
    check_agent agent;   /* of thread 0 */
    bool copies;         /* it is the store of an asynchronous copy */
    struct window open;  /* pasts since the last barrier that orders them */
    struct window fresh; /* pasts that are not ordered before this access, if by another thread */
};
/* The value of rp_finding.memory. */
static inline uint64_t touch_buffer(const struct touch *t)
{
    return t->space == RP_SPACE_GLOBAL && t->a ? t->a->base : 0;
}
/* enum rp_access_kind; of the two sides of a bulk copy, this one's. */
static inline uint8_t touch_kind(const struct touch *t)
{
    uint8_t kind = t->u->memory->operand.kind;
    if (kind != RP_ACCESS_BULK_LOAD && kind != RP_ACCESS_BULK_STORE)
        return kind;
    return t->stores ? RP_ACCESS_BULK_STORE : RP_ACCESS_BULK_LOAD;
}
/* Whether other blocks access memory of this space, too: for shared memory, the blocks of its cluster. */
static inline bool reached_by_others(const struct checked_block *cb, enum rp_space space)
{
    const uint32_t *c = cb->check->grid->cluster;
    return space == RP_SPACE_GLOBAL || (space == RP_SPACE_SHARED && c[0] * c[1] * c[2] > 1);
}
/* The part of the access by one lane. */
static inline struct touch touch_of_lane(const struct touch *t, uint32_t lane)
{
    struct touch one = *t;
    one.thread += lane;
    one.lanes = 1;
    one.at += lane * t->bytes;
    return one;
}
/* Whether asynchronous copies are in flight whose bytes must not be accessed. */
static inline bool copies_pending(const struct checked_block *cb) { return cb->copy_count || cb->bulk.count; }
/* bulk.c: the store of a bulk copy; an operation on barrier objects; an access to shared memory while copies are
 * pending. */
void bulk_start(struct checked_block *, const struct touch *);
void bulk_objects(struct checked_block *, const struct warp_state *, const struct uop *, const struct lane_addresses *,
                  lanemask);
void bulk_look(struct checked_block *, const struct touch *);
/* A block begins: its shared memory is unwritten, except for the system's parts. */
void check_nothing_written(struct checked_block *, const struct grid *);
/* Undefined bytes that may be padding of a structure: its alignment, at most 16, and their places in it; 0: they are
 * not. gap: the first is close behind something written. */
struct padding {
    unsigned alignment, holes;
    bool gap;
};
/* A load of a lane that brought undefined bits to registers or to memory. */
struct origin {
    const struct uop *u;             /* the first load; and what it read */
    uint64_t at, memory;             /* memory: as in struct rp_finding */
    uint32_t thread, bytes, missing; /* missing: bytes with undefined bits */
    uint8_t space, access;
    bool found;
    uint32_t block;
    uint32_t moved;         /* the number of what an earlier block or launch has moved there; 0: none */
    const struct uop *from; /* the last load, and what it read */
    uint8_t from_space;
    struct padding padding;
    uint64_t from_at;
    uint32_t from_bytes;
    uint32_t next; /* another load from which the same bits are; 0: none */
};
/* origins.c. An origin has a number, 0: none; old ones are forgotten. origins_loaded: a lane loads undefined bits, with
 * undefined_before; 0 if that was found already. origins_carried: the lane of the touch stores some to the word at
 * `at`. origins_used: they decide something, which is a finding; origins_used_at_once: those of this access do. */
const struct origin *origins_find(struct rp_check *, uint32_t number);
/* Sets the number of what was moved (moved.c). */
void origins_set_moved(struct rp_check *, uint32_t number, uint32_t moved);
/* The origin of bits that depend on those of both: of the loads of each instruction, one is kept. */
uint32_t origins_join(struct rp_check *, uint32_t, uint32_t);
uint32_t origins_loaded(struct checked_block *, const struct touch *, unsigned missing, struct padding,
                        uint32_t before);
void origins_carried(struct checked_block *, const struct touch *, uint64_t at, uint32_t origin);
void origins_used(struct checked_block *, const struct block *, uint32_t number);
void origins_used_at_once(struct checked_block *, const struct touch *, unsigned missing);
void origins_free(struct rp_check *);
enum { ORIGIN_DETAIL = 160 };
/* The finding that it is if they decided something, without its texts; and what is wrong. */
struct rp_finding origins_finding(const struct block *, const struct origin *, char detail[ORIGIN_DETAIL]);
/* moved.c: undefined bits that kernels have moved to device memory, where the host or another launch may use them. A
 * number stands for the read that they are from, 0: none. moved_to: a lane of the touch stores bits of this origin to
 * the word at `at`; like_padding: they may be padding by what was loaded and stored with them. moved_at: the number of
 * the word there, and MOVED_LIKE_PADDING. moved_used: they are used now, which is a finding. */
#define MOVED_LIKE_PADDING (UINT32_C(1) << 31)
#define MOVED_NUMBER (MOVED_LIKE_PADDING - 1)
#define MOVED_UNSAID                                                                                                   \
    MOVED_NUMBER /* the number of reads that are no findings, such as those that were found already                    \
                  */
void moved_to(struct checked_block *, const struct touch *, uint64_t at, uint32_t origin, bool like_padding);
uint32_t moved_at(struct rp_check *, const struct allocation *, uint64_t offset);
void moved_used(struct rp_check *, uint32_t number);
/* The host copies from one allocation to another. */
void moved_copied(struct rp_check *, const struct allocation *, uint64_t offset, const struct allocation *from,
                  uint64_t from_offset, uint64_t bytes);
void moved_free(struct rp_check *);
/* holds.c: a launch begins. False: out of memory. */
bool holds_begin(struct rp_check *, const struct grid *);
/* init.c: the state of each byte of the allocation: its bits that some instruction, or the host, has written. NULL: all
 * bytes are written. */
uint8_t *written_of(struct rp_check *, const struct allocation *);
uint8_t *wide_of(struct rp_check *, const struct allocation *);
/* host.c: whether an unwritten byte may be padding of a structure: it follows the written first byte of its word of 4,
 * as in a structure of a char and an int; or the last bytes of its word of 8 are unwritten, all behind the first word
 * of 4, and less than that word was stored, as in a structure of a bool and a pointer; or the word of 8 or 16 before or
 * behind its own was stored as one, as in a structure of an int and a double, or of a double2 and a double. Of the
 * bytes before `begin` nothing is known. wide NULL: what was stored as one is not known. */
bool is_padding(const uint8_t *written, const uint8_t *wide, uint64_t begin, uint64_t at);
enum { MOST_BYTES = 64 }; /* of a lane's access whose bits are followed */
/* What a lane stores, by byte: its undefined bits, and where they are from. changed: undefined bits of some byte were
 * combined with others. */
struct stored_bits {
    uint8_t bits[MOST_BYTES];
    uint32_t origins[MOST_BYTES];
    bool changed;
};
/* undefined.c. `bits`: as many bytes as the access has per lane; 1: undefined. undefined_loaded: a lane loads them.
 * undefined_before: the origin that the load's register had some time before, perhaps of the same load.
 * undefined_to_store: the lanes that store undefined bits. undefined_stored: what a lane stores; false: all of it is
 * defined. undefined_put_back: it has stored that where it had loaded it from, and may go on to use the register in the
 * place of another load. */
void undefined_loaded(struct checked_block *, struct warp_state *, const struct uop *, unsigned lane,
                      const uint8_t *bits, uint32_t origin);
uint32_t undefined_before(const struct checked_block *, const struct warp_state *, const struct uop *, unsigned lane);
lanemask undefined_to_store(const struct checked_block *, const struct warp_state *, const struct uop *);
bool undefined_stored(const struct checked_block *, const struct warp_state *, const struct uop *, unsigned lane,
                      struct stored_bits *);
void undefined_put_back(const struct checked_block *, const struct warp_state *, const struct uop *, unsigned lane);
void undefined_clear(struct undefined *);
void undefined_free(struct undefined *);
/* Called before each uop of a warp that has undefined bits in registers. */
void check_values(struct observer *, struct warp_state *, const struct uop *, lanemask);
void check_init(struct checked_block *, const struct touch *);
/* The same for lanes at arbitrary addresses; sets at and lanes of the touch. */
void check_init_access(struct checked_block *, struct warp_state *, struct touch *, const struct lane_addresses *,
                       lanemask);
/* Whether a load of memory from `low` to before `end`, by any lanes of the warp, is in no race and need not be kept,
 * because there was no store and two loads are kept already. False: unknown. */
bool race_quiet(struct checked_block *, const struct touch *, uint64_t low, uint64_t end);
/* To be called before check_race: sets the fields of the touch that do not depend on lanes. */
void race_prepare(struct checked_block *, struct touch *);
/* Prefetches the cells that check_race will need for lanes at arbitrary addresses. */
void race_prefetch(const struct checked_block *, const struct touch *, const struct lane_addresses *);
void check_race(struct checked_block *, const struct touch *);
/* The check for lanes that access one cell of shared memory each, at arbitrary addresses. Returns the lanes that it has
 * handled; the others share cells or need the check one by one. */
lanemask check_race_scattered(struct checked_block *, const struct touch *, const struct lane_addresses *, lanemask);
/* The check for two threads, t->thread and the next, that load the same cells, if no past there matters. False: some
 * does, and nothing was done. */
bool check_race_pair(struct checked_block *, const struct touch *);
/* together.c: whether lanes store different values to one place. Sees the first pair of an instruction's execution. */
void check_together(struct checked_block *, const struct touch *, struct warp_state *, const struct lane_addresses *,
                    lanemask);
/* The check for races, for an access that may be in one. */
void check_lanes(struct checked_block *, struct touch *, const struct lane_addresses *, lanemask);
/* loads.c: a load of shared memory may be kept later (false: it may not wait); waiting loads are kept before a store to
 * shared memory or an event. */
static inline bool loads_may_wait(const struct checked_block *cb, const struct touch *t)
{
    return t->space == RP_SPACE_SHARED && !t->stores && cb->stored < cb->barrier; /* otherwise it may be in a race */
}
bool loads_wait(struct checked_block *, const struct touch *, const struct lane_addresses *, lanemask);
void loads_keep(struct checked_block *);
/* remote.c: lanes access shared memory of another block; a block of a cluster ends. */
void remote_access(struct checked_block *, const struct touch *, const struct lane_addresses *, lanemask);
void remote_block_end(struct checked_block *, const struct block *);
/* Called by launches that check for races. False: out of memory. */
bool stores_begin(struct rp_check *, const struct grid *);
/* Whether this is a load from memory to which the launch never stores, which is in no race; only the touch's address is
 * needed. False: it is a store, or the launch may store there. */
bool stores_never(struct rp_check *, const struct touch *);
/* Keeps a store that was made without an access of its own. */
void race_stored(struct checked_block *, struct touch *);
/* Asynchronous copies (copies.c): whether this is the store of one, which is issued now; any other access while there
 * are copies; groups; barrier objects that arrive after copies; the beginning and the end of a block. */
bool copies_starts(const struct touch *);
void copies_start(struct checked_block *, const struct touch *);
void copies_look(struct checked_block *, const struct touch *);
/* The access races with the store of this thread's copy. */
void copies_report(struct checked_block *, const struct touch *, const struct uop *copy, uint32_t thread,
                   uint8_t access, const char *detail);
void copies_group(struct checked_block *, const struct warp_state *, const struct uop *, lanemask);
void copies_object(struct checked_block *, const struct warp_state *, const struct uop *, lanemask);
/* Lanes arrive at a barrier object when their copies are complete. */
void copies_arrive(struct checked_block *, const struct warp_state *, lanemask);
void copies_begin(struct checked_block *);
void copies_free(struct checked_block *);
/* order.c. BARRIER, CLUSTER and COLLECTIVE. */
void race_event(struct checked_block *, const struct warp_state *, enum block_event);
/* A fence, or the point after a strong access: the warp has seen what others did before theirs, and others may see what
 * it did. stores_too: also its stores, not only its loads. in_block: only for threads of the block. */
void race_fence(struct checked_block *, const struct warp_state *, bool stores_too, bool in_block);
/* strict: an atomic without a fence may have seen what others did; that counts for uncached accesses behind it. */
void race_seen(struct checked_block *, const struct warp_state *, bool in_block);
/* Accesses from now on are later than those before. False: times are exhausted. */
bool race_tick(struct checked_block *);
/* Time since when what others did may be visible to an access of the warp; of those of other blocks. */
uint32_t race_acquired(const struct checked_block *, const struct touch *, uint32_t warp);
uint32_t race_acquired_from_others(const struct checked_block *, const struct touch *);
/* race_begin_slice: another block runs now. race_block_of: the block that made a past access to memory that blocks
 * share, in this launch. */
void race_begin_slice(struct checked_block *);
uint32_t race_block_of(const struct checked_block *, check_past);
/* race_ordered: whether anything orders the past access before what the thread does now. race_conflicts: whether the
 * two are in a race. race_unfenced: whether it is a store that is not strong, and that nothing has made visible to
 * others yet. */
bool race_ordered(const struct checked_block *, check_past, const struct touch *, uint32_t thread);
bool race_conflicts(const struct checked_block *, check_past, const struct touch *, uint32_t thread);
bool race_unfenced(const struct checked_block *, check_past, const struct touch *);
/* Whether both are strong, within one block, so that their scopes do not matter. */
bool race_strong_in_block(const struct rp_check *, const struct touch *, check_agent);
/* locks.c, strict. locks_access: before lanes make an access; locks_taken: after it was checked, before it is made.
 * locks_fence: lanes have executed a fence. locks_unfenced: whether the thread has a lock that the past access's
 * thread, of this block, had without a fence behind it. */
void locks_access(struct checked_block *, struct warp_state *, const struct touch *, const struct lane_addresses *,
                  lanemask);
void locks_taken(struct checked_block *, struct warp_state *, const struct touch *, const struct lane_addresses *,
                 lanemask);
void locks_fence(struct checked_block *, const struct warp_state *, lanemask, bool in_block);
bool locks_unfenced(const struct checked_block *, check_past, uint32_t block, uint32_t thread);
void locks_block_begin(struct checked_block *);
void locks_free(struct checked_block *);
/* PTX ISA, "Memory Consistency Model", "Strong Operations"; machine code says volatile by its cache operators. */
bool check_strong(const struct rp_check *, const struct rp_memory_operand *);
void sync_event(struct checked_block *, struct warp_state *, enum block_event, const struct uop *, lanemask);
void sync_objects(struct checked_block *, struct warp_state *, const struct uop *, const struct lane_addresses *,
                  lanemask);
/* Lanes store to shared memory of their own block, in which there are objects. */
void sync_store(struct checked_block *, const struct touch *, const struct lane_addresses *, lanemask);
void sync_block_end(struct checked_block *, struct block *);

/* plain_objects.c. plain_objects_used: whether the code arrives at such objects; the others are called only then.
 * plain_objects_poll: whether all lanes of a load test objects. plain_objects_store: lanes make a plain store to shared
 * memory; plain_objects_arrive: they execute an OP_ARRIVE. */
bool plain_objects_used(const struct program *);
bool plain_objects_poll(const struct checked_block *, const struct touch *, const struct lane_addresses *, lanemask);
void plain_objects_store(struct checked_block *, struct warp_state *, const struct touch *,
                         const struct lane_addresses *, lanemask);
void plain_objects_arrive(struct checked_block *, const struct warp_state *, const struct touch *,
                          const struct lane_addresses *, lanemask);

/* spins.c. *spins: a byte for each uop, 1 for loads of machine code that wait for a flag in shared memory; NULL: there
 * are none. The caller frees it. False: out of memory. */
bool spins_find(const struct program *, uint8_t **spins);

/* False: out of memory. */
bool cells_make(struct cells *, uint64_t count);
void cells_free(struct rp_check *, struct cells *);
/* CELLS zeroed pasts. NULL: out of memory. */
check_past *cells_new_page(struct rp_check *);
/* Frees the memory of all pages, which must be unused. */
void cells_free_memory(struct rp_check *);

#endif
