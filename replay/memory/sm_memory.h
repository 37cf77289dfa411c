/* An SM's side of the memory system: load/store unit, L1s, the near end of the port, instruction caches. Nothing in
 * here points out of the SM but for what never changes.
 */
#ifndef REPRISE_REPLAY_MEMORY_SM_MEMORY_H
#define REPRISE_REPLAY_MEMORY_SM_MEMORY_H

#include "replay/memory/growing.h"
#include "replay/memory/level.h"
#include "replay/memory/memory_system.h"
#include "replay/memory/pool.h"

#define NOBODY UINT32_MAX

/* A transaction that the LSU has yet to hand on. */
struct lsu_transaction {
    uint64_t address;
    uint32_t bytes;
    uint8_t kind, repeats, hint, beside_l1;
};

struct lsu_access {
    struct pool_item item;
    struct lsu_access *next;
    uint64_t arrival, end;         /* end: of what is known, an answer */
    uint32_t token, pending;       /* pending: transactions whose end is not known, and 1 until it is committed */
    struct lsu_transaction *items; /* those from `next_item` on are yet to be handed on; stays with the object */
    uint32_t next_item, item_count, item_room;
    uint8_t l1;
    bool tells_taken;
};

enum lsu_state { LSU_UNDECIDED, LSU_SERVED, LSU_LEAVES };

struct lsu_request {
    struct pool_item item;
    struct lsu_request *waiters; /* for what it fetches */
    struct lsu_access *access;   /* NULL: nobody waits for it */
    uint64_t sequence;           /* in the order in which requests left the SM */
    uint64_t address,
        cycle;   /* cycle: from which it may leave; of a waiter: the answer, if what it waits for comes before */
    void *place; /* in L1, of what it fetches */
    uint8_t kind, repeats, l1, state; /* state: enum lsu_state */
    uint8_t hint;
    bool beside_l1, fetches;
    uint32_t bytes;
    struct lsu_request *next;    /* in its access, in L1's queue, or among those that wait for the same fetch */
    struct lsu_request *after;   /* in the order in which the LSU handed on */
    struct lsu_request *written; /* what it makes L1 write back: leaves before it */
};

/* A request that has left. */
struct outgoing {
    uint64_t address, arrival, sequence;
    uint32_t name; /* NOBODY: no reply */
    uint32_t bytes;
    uint8_t kind, repeats, hint;
};

/* The chip's word. */
struct reply {
    uint32_t name;   /* NOBODY: there is room for another request */
    uint64_t answer; /* at the SM; of room: the cycle from which it is there */
};

/* Growing arrays. */
struct outbox {
    struct outgoing *items;
    size_t first, count, room; /* those before `first` are gone */
};
struct inbox {
    struct reply *items;
    size_t count, room;
};

struct sm_l1 {
    struct level level;
    struct lsu_request *first, *last; /* wait for the port */
    uint64_t waiting;
    uint64_t started_at, started; /* how many started in which cycle: their places are free from the next one on */
    uint64_t outstanding;         /* sectors, where fetches are tracked */
    struct ring fills;            /* sorted: when they come, as far as known */
};

/* What leaves leaves in order, and no earlier than the look-ups of what is before it. */
struct departures {
    uint64_t last_start, last_left, left; /* last look-up; last leave; how many left then */
    uint64_t link_free;                   /* from when the link takes another packet, in cycles of its clock */
};

struct sm_memory {
    const struct memory_layout *layout;
    bool stepped; /* accesses and requests are looked at in the cycle in which they move on; else all at once */
    bool immediate;
    bool used;       /* since it was opened */
    uint64_t origin; /* the launch's cycle 0 */
    /* load/store unit */
    struct lsu_access *current;             /* between begin and commit */
    struct lsu_access *first, *last;        /* held by the LSU, by arrival */
    uint64_t held;                          /* instructions */
    struct lsu_request *order, *order_last; /* handed on, and not yet served or gone */
    uint64_t plain_arrival, plain_count;    /* of an immediate access */
    uint64_t last_arrival;                  /* when the LSU takes the last access, at the earliest */
    struct sm_l1 l1[16];
    void *icache[16];
    struct icache_counts icache_counts;
    void *constants;  /* the constant cache */
    uint64_t kernels; /* added to addresses of code and constants: memory_system_count_kernels() */
    struct constant_counts constant_counts;
    /* port */
    struct departures departures;
    uint64_t sequence;
    uint64_t awaited, awaited_from;   /* replies and credits on their way; the arrival of the first request for them */
    uint64_t places, freed_at, freed; /* places taken, and how many of them are free from the cycle after freed_at on */
    struct ring credits;
    struct outbox outbox;
    struct inbox inbox;
    bool replied, failed;
    uint64_t stepped_to;            /* the cycle last stepped, + 1 */
    struct dram_counts dram_counts; /* when immediate */
    struct port_counts port_counts;
    struct pool accesses, requests;
    struct memory_completion *done; /* a queue */
    size_t done_first, done_count, done_room;
};

bool sm_memory_open(struct sm_memory *, const struct memory_layout *, bool short_cuts);
void sm_memory_close(struct sm_memory *);
/* False: memory ran out. */
bool inbox_grow(struct inbox *);
/* Moves what has left to the end of `to`, and what the chip has told to the SM. */
void sm_memory_send(struct sm_memory *, struct outbox *to);
void sm_memory_hear(struct sm_memory *, struct inbox *told);

#endif
