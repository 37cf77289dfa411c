/* What both ways through an SM's memory share: requests that leave, and the ends of accesses. */
#ifndef REPRISE_REPLAY_MEMORY_SM_REQUESTS_H
#define REPRISE_REPLAY_MEMORY_SM_REQUESTS_H

#include "replay/memory/sm_memory.h"

/* For what happens once per transaction. */
#define HOT static inline __attribute__((always_inline))

static inline uint64_t later(uint64_t a, uint64_t b) { return a > b ? a : b; }
static inline uint64_t earlier(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* ---- of sm_memory.c ---------------------------------------------------------------------------------------------- */

/* Puts a completion into the SM's queue. False: out of memory, and s->failed is set. */
bool sm_memory_tell(struct sm_memory *s, const struct lsu_access *a, bool taken, uint64_t answer);
/* Room in the outbox for one more than `count`. False: out of memory, and s->failed is set. */
bool sm_memory_grow_outbox(struct sm_memory *s, size_t count);

/* ---- the two ways ------------------------------------------------------------------------------------------------ */

/* Transactions of the current access. `looks`: they look in L1. */
void sm_memory_add_at_once(struct sm_memory *s, struct lsu_access *a, const struct memory_transactions *all,
                           bool looks);
void sm_memory_add_stepped(struct sm_memory *s, struct lsu_access *a, const struct memory_transactions *all);
/* The LSU holds an access until its arrival. */
void sm_memory_hold(struct sm_memory *s, struct lsu_access *a);
/* All that is done in this cycle, and the next cycle in which something may be; MEMORY_NEVER: none. */
void sm_memory_step(struct sm_memory *s, uint64_t now);
uint64_t sm_memory_next_step(const struct sm_memory *s, uint64_t now);

/* ---- requests ---------------------------------------------------------------------------------------------------- */

static inline void complete_access(struct sm_memory *s, struct lsu_access *a)
{
    if (sm_memory_tell(s, a, false, a->end))
        pool_give(&s->accesses, a);
}

/* One of its transactions is served. */
static inline void served(struct sm_memory *s, struct lsu_access *a, uint64_t answer)
{
    a->end = later(a->end, answer);
    if (!--a->pending)
        complete_access(s, a);
}

HOT void put_out(struct sm_memory *s, const struct memory_transaction *t, uint32_t name, uint64_t arrival)
{
    if (s->outbox.count < s->outbox.room || sm_memory_grow_outbox(s, s->outbox.count))
        s->outbox.items[s->outbox.count++] =
            (struct outgoing){t->address, arrival, s->sequence++, name, t->bytes, t->kind, t->repeats, t->hint};
}

/* So many requests have left, of which the first arrives then; so many replies and credits will come of them. */
static inline void note_leaving(struct sm_memory *s, uint64_t requests, uint64_t words, uint64_t arrival)
{
    s->port_counts.requests += requests;
    s->awaited_from = s->awaited ? s->awaited_from : arrival;
    s->awaited += words;
}

/* A request leaves in this cycle; the reply will give its name. */
static inline void leave(struct sm_memory *s, const struct memory_transaction *t, uint32_t name, uint64_t cycle)
{
    uint64_t arrival = cycle + s->layout->port_latency;
    put_out(s, t, name, arrival);
    note_leaving(s, 1, (name != NOBODY) + (s->layout->port_queue != MEMORY_ANY), arrival);
}

/* The request's end is that of what fetches its sector, or `answer` if that is later. */
static inline void join_fetch(struct sm_memory *s, struct lsu_request *r, uint32_t fetch, uint64_t answer)
{
    struct lsu_request *from = pool_at(&s->requests, fetch);
    r->cycle = answer;
    r->next = from->waiters;
    from->waiters = r;
}

#endif
