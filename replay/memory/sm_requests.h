/* Shared by sm_analytic.c and sm_stepped.c: requests that leave, and the ends of accesses. */
#ifndef REPRISE_REPLAY_MEMORY_SM_REQUESTS_H
#define REPRISE_REPLAY_MEMORY_SM_REQUESTS_H

#include "replay/memory/sm_memory.h"

/* Functions that are called once per transaction. */
#define HOT static inline __attribute__((always_inline))

static inline uint64_t later(uint64_t a, uint64_t b) { return a > b ? a : b; }
static inline uint64_t earlier(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* ---- sm_memory.c ------------------------------------------------------------------------------------------------- */

/* Adds a completion to the SM's queue. `taken`: the LSU has passed the access on; else it is complete. False: out of
 * memory, and s->failed is set. */
bool sm_memory_put_completion(struct sm_memory *s, const struct lsu_access *a, bool taken, uint64_t response);
/* Makes room in the outbox for one more than `count` requests. False: out of memory, and s->failed is set. */
bool sm_memory_grow_outbox(struct sm_memory *s, size_t count);

/* ---- sm_analytic.c, sm_stepped.c --------------------------------------------------------------------------------- */

/* Add transactions of the current access. `looks_in_l1`: they do not bypass L1, and it keeps data. */
void sm_memory_add_analytic(struct sm_memory *s, struct lsu_access *a, const struct memory_transactions *all,
                            bool looks_in_l1);
void sm_memory_add_stepped(struct sm_memory *s, struct lsu_access *a, const struct memory_transactions *all);
/* The LSU holds an access until its arrival. */
void sm_memory_hold(struct sm_memory *s, struct lsu_access *a);
/* Simulates this cycle. */
void sm_memory_step(struct sm_memory *s, uint64_t now);
/* The next cycle in which sm_memory_step() may do something that cannot wait for the step after it; MEMORY_NEVER:
 * none. */
uint64_t sm_memory_next_step(const struct sm_memory *s, uint64_t now);

/* ---- requests ---------------------------------------------------------------------------------------------------- */

static inline void complete_access(struct sm_memory *s, struct lsu_access *a)
{
    if (sm_memory_put_completion(s, a, false, a->end))
        pool_give(&s->accesses, a);
}

/* The response to one transaction of the access. */
static inline void served(struct sm_memory *s, struct lsu_access *a, uint64_t response)
{
    a->end = later(a->end, response);
    if (!--a->pending)
        complete_access(s, a);
}

HOT struct request_sectors one_sector(uint64_t address, uint32_t bytes)
{
    return (struct request_sectors){address, {bytes}, 1};
}
HOT unsigned sectors_in(uint32_t mask) { return (unsigned)__builtin_popcount(mask); }

HOT void put_out(struct sm_memory *s, const struct outgoing *o)
{
    if (s->outbox.count == s->outbox.room && !sm_memory_grow_outbox(s, s->outbox.count))
        return;
    struct outgoing *to = &s->outbox.items[s->outbox.count++];
    *to = *o;
    to->sequence = s->sequence++;
}

/* Notes that requests have left. `replies`: the replies and credits that they cause, in sectors; `arrival`: of the
 * first request. */
static inline void note_leaving(struct sm_memory *s, uint64_t requests, uint64_t replies, uint64_t arrival)
{
    s->port_counts.requests += requests;
    s->awaited_from = s->awaited ? s->awaited_from : arrival;
    s->awaited += replies;
}

/* A request leaves in this cycle; its arrival is computed. */
static inline void leave(struct sm_memory *s, struct outgoing *o, uint64_t cycle)
{
    o->arrival = cycle + s->layout->port_latency;
    put_out(s, o);
    unsigned times = (o->name != NO_ID) + (s->layout->port_queue != MEMORY_ANY);
    note_leaving(s, 1, times * sectors_in(o->of.sectors), o->arrival);
}

/* The request waits for a fetch in flight: its response is that of the fetch, or `response` if that is later. */
static inline void join_fetch(struct sm_memory *s, struct lsu_request *r, uint32_t fetch, uint64_t response)
{
    struct lsu_request *from = pool_at(&s->requests, fetch);
    r->cycle = response;
    r->next = from->waiters;
    from->waiters = r;
}

#endif
