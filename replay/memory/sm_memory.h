/* An SM's side of the memory system: load/store unit, L1s, the near end of the port, instruction caches. Its pointers
 * lead outside only to constant data.
 */
#ifndef REPRISE_REPLAY_MEMORY_SM_MEMORY_H
#define REPRISE_REPLAY_MEMORY_SM_MEMORY_H

#include "replay/memory/growing.h"
#include "replay/memory/level.h"
#include "replay/memory/memory_system.h"
#include "replay/memory/pool.h"

#define NO_ID UINT32_MAX /* no name of a request, no SM */

/* Neighbouring sectors of one request. `sectors` has a bit for each, from that at `address` on; `bytes` as in struct
 * memory_transaction. */
struct request_sectors {
    uint64_t address;
    uint32_t bytes[REQUEST_SECTORS];
    uint8_t sectors;
};

/* Transactions that wait in the LSU, and become one request. */
struct lsu_transaction {
    struct request_sectors of;
    uint8_t kind, repeats, hint, bypass_l1;
};

struct lsu_access {
    struct pool_item item;
    struct lsu_access *next;
    uint64_t arrival, end;         /* end: the last response that is known */
    uint32_t token, pending;       /* pending: requests without a response, and 1 more until the commit */
    struct lsu_transaction *items; /* those from `next_item` on wait; kept when the object is reused */
    uint32_t next_item, item_count, item_room;
    uint8_t l1, group;
    bool reports_taken;
};

enum lsu_state { LSU_UNDECIDED, LSU_SERVED, LSU_LEAVES };

/* Once it has left, what its reply needs is in its first two lines of the host's caches. */
struct lsu_request {
    _Alignas(POOL_ALIGNMENT) struct pool_item item;
    struct lsu_request *waiters;      /* requests that wait for its fetch */
    struct lsu_access *access;        /* NULL: a write-back */
    uint64_t sequence;                /* in the order in which requests left the SM */
    uint64_t response;                /* the latest one of its sectors so far */
    struct lsu_request *next;         /* in its access, in L1's queue, or among the waiters of a fetch */
    uint8_t kind, repeats, l1, state; /* state: enum lsu_state */
    uint8_t hint;
    bool bypass_l1;
    uint8_t fetched, awaited;     /* sectors, a bit each: that L1 keeps, and without a response; of a waiter: sectors
                                     of the fetch that it waits for */
    void *place[REQUEST_SECTORS]; /* in L1, of the sectors that it keeps */
    uint64_t cycle; /* from which it may leave; of a waiter: its response, unless that of the fetch is later */
    struct request_sectors of;
    struct lsu_request *after;   /* in the order in which the LSU passed them on */
    struct lsu_request *written; /* write-backs of L1 that it causes: they leave before it */
};

/* A request that has left the SM. */
struct outgoing {
    struct request_sectors of;
    uint32_t name; /* NO_ID: no reply */
    uint64_t arrival, sequence;
    uint8_t kind, repeats, hint;
};

/* A reply or a credit from the chip. A request may get several replies, each for some of its sectors. */
struct reply {
    uint32_t name;     /* of the request; NO_ID: a credit */
    uint8_t sectors;   /* a bit each */
    uint64_t response; /* at the SM; of a credit: the cycle from which it counts */
};

/* Growing arrays. */
struct outbox {
    struct outgoing *items;
    size_t first, count, room; /* items before `first` have been taken */
};
struct inbox {
    struct reply *items;
    size_t count, room;
    uint64_t sectors; /* of all items */
};

struct sm_l1 {
    struct level level;
    struct lsu_request *first, *last; /* wait for the port */
    uint64_t waiting;
    uint64_t started_at, started; /* requests that started in cycle started_at: their entries in the queue are free from
                                     the next cycle on */
    uint64_t outstanding;         /* MSHR entries in use, where fetches are tracked */
    struct ring fills;            /* fetches whose end is known */
};

/* Requests leave in order, each no earlier than the look-ups of those before it. */
struct departures {
    uint64_t last_start, last_left,
        left;           /* cycles of the last look-up and the last departure; departures in that cycle */
    uint64_t link_free; /* the cycle of the link's clock from which it takes the next packet */
};

struct sm_memory {
    const struct memory_layout *layout;
    unsigned number;
    bool stepped; /* each step is simulated in its cycle (sm_stepped.c); else see sm_analytic.c */
    bool immediate;
    bool used;       /* since it was opened */
    uint64_t origin; /* cycle 0 of the launch, on the memory system's clock */
    /* load/store unit */
    struct lsu_access *current;             /* between begin and commit */
    struct lsu_access *first, *last;        /* held by the LSU, by arrival */
    uint64_t held;                          /* number of accesses held by the LSU */
    struct lsu_request *order, *order_last; /* passed on by the LSU, and neither served nor left */
    uint64_t plain_arrival, plain_count;    /* of an access in an immediate system */
    uint64_t last_arrival;                  /* the earliest cycle in which the LSU takes the last access */
    struct sm_l1 l1[16];
    void *icache[16];
    struct icache_counts icache_counts;
    void *constants;  /* the constant cache */
    uint64_t kernels; /* added to addresses of code and constants: memory_system_count_kernels() */
    struct constant_counts constant_counts;
    /* port */
    struct departures departures;
    uint64_t sequence;
    /* replies and credits to come, in sectors; the arrival at the chip of the first request that causes one */
    uint64_t awaited, awaited_from;
    /* entries of the port's queue in use; `freed` of them are free from cycle freed_at + 1 on */
    uint64_t entries, freed_at, freed;
    struct ring credits;
    struct outbox outbox;
    struct inbox inbox;
    bool replied, failed;
    uint32_t away[MEMORY_GROUPS];   /* requests that have left, without their last reply, by group */
    uint64_t stepped_to;            /* the last simulated cycle + 1 */
    struct dram_counts dram_counts; /* of an immediate system */
    struct port_counts port_counts;
    struct pool accesses, requests;
    struct memory_completion *done; /* queue of completions */
    size_t done_first, done_count, done_room;
};

/* Between launches: does what may have waited for a next step. All accesses are complete. */
void sm_memory_settle(struct sm_memory *);
bool sm_memory_open(struct sm_memory *, const struct memory_layout *, unsigned number, bool short_cuts);
void sm_memory_close(struct sm_memory *);
/* False: out of memory. */
bool inbox_grow(struct inbox *);
/* Moves requests that have left to the end of `to`. */
void sm_memory_send(struct sm_memory *, struct outbox *to);
/* Moves the chip's replies and credits to the SM. */
void sm_memory_receive(struct sm_memory *, struct inbox *from);

#endif
