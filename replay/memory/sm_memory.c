/* An SM's side of the memory system.
 *
 * An access is processed in one of two ways, with the same result. If no queue is bounded, the SM's side of an access
 * follows from earlier accesses, and is computed at its commit (sm_analytic.c). Else the LSU holds the access until its
 * arrival, and each step is simulated in its cycle (sm_stepped.c). The second way defines the behaviour.
 */
#include "replay/memory/sm_requests.h"

#include <stdlib.h>
#include <string.h>

/* ---- ends of accesses -------------------------------------------------------------------------------------------- */

bool sm_memory_put_completion(struct sm_memory *s, const struct lsu_access *a, bool taken, uint64_t response)
{
    if (!array_grow((void **)&s->done, &s->done_room, s->done_first + s->done_count, sizeof *s->done)) {
        s->failed = true;
        return false;
    }
    s->done[s->done_first + s->done_count++] =
        (struct memory_completion){.token = a->token,
                                   .taken = taken,
                                   .level = response_level(response),
                                   .cycle = response_cycle(response) - s->origin};
    return true;
}

bool sm_memory_completed(struct sm_memory *s, struct memory_completion *c)
{
    if (!s->done_count)
        return false;
    *c = s->done[s->done_first++];
    if (!--s->done_count)
        s->done_first = 0;
    return true;
}

bool sm_memory_grow_outbox(struct sm_memory *s, size_t count)
{
    bool grown = array_grow((void **)&s->outbox.items, &s->outbox.room, count, sizeof *s->outbox.items);
    s->failed |= !grown;
    return grown;
}

/* ---- accesses ---------------------------------------------------------------------------------------------------- */

bool sm_memory_accepts(const struct sm_memory *s) { return s->held < s->layout->lsu_queue; }

void sm_memory_begin(struct sm_memory *s, unsigned subcore, uint64_t arrival, uint32_t token, unsigned group)
{
    s->used = true;
    s->plain_arrival = arrival;
    s->plain_count = 0;
    if (s->immediate)
        return;
    struct lsu_access *a = s->current = pool_take(&s->accesses);
    if (!a) {
        s->failed = true;
        return;
    }
    a->next = NULL;
    a->arrival = arrival + s->origin;
    a->end = response_of(a->arrival, RESPONSE_NONE);
    a->token = token;
    a->group = (uint8_t)group;
    a->pending = 1;
    a->reports_taken = false;
    a->next_item = a->item_count = 0;
    a->l1 = (uint8_t)(subcore / s->layout->l1_subcores);
}

void sm_memory_wait(struct sm_memory *s, uint64_t cycles)
{
    if (s->plain_count)
        return;
    s->plain_arrival += cycles;
    if (!s->current)
        return;
    s->current->arrival += cycles;
    s->current->end = response_of(s->current->arrival, RESPONSE_NONE);
}

void sm_memory_add_all(struct sm_memory *s, const struct memory_transactions *all)
{
    struct lsu_access *a = s->current;
    bool first = !s->plain_count && all->count, looks_in_l1 = !all->bypass_l1 && s->layout->l1.keeps;
    s->plain_count += all->count;
    if (s->immediate)
        s->dram_counts.writes += all->kind == CACHE_READ ? 0 : all->count;
    if (s->immediate || !a)
        return;
    if (first && !s->layout->immediate)
        a->arrival = s->last_arrival = later(a->arrival, s->last_arrival);
    if (s->stepped)
        sm_memory_add_stepped(s, a, all);
    else
        sm_memory_add_analytic(s, a, all, looks_in_l1);
}

void sm_memory_add(struct sm_memory *s, const struct memory_transaction *t)
{
    const int64_t here = 0;
    const uint8_t repeats = t->repeats ? t->repeats : 1;
    sm_memory_add_all(
        s, &(struct memory_transactions){t->address, &here, &repeats, &t->bytes, 1, t->kind, t->hint, t->bypass_l1});
}

void sm_memory_count(struct sm_memory *s, enum cache_kind kind, uint64_t transactions)
{
    s->dram_counts.accesses += transactions;
    s->port_counts.requests += transactions;
    s->dram_counts.writes += kind == CACHE_READ ? 0 : transactions;
}

uint64_t sm_memory_commit(struct sm_memory *s, uint64_t *taken, enum response_level *level)
{
    struct lsu_access *a = s->current;
    bool waits = !s->immediate && (!a || (s->stepped && a->item_count));
    s->current = NULL;
    if (taken)
        *taken = waits ? MEMORY_PENDING : s->immediate ? s->plain_arrival : a->arrival - s->origin;
    if (s->immediate) {
        s->dram_counts.accesses += s->plain_count;
        s->port_counts.requests += s->plain_count;
        *level = s->plain_count ? RESPONSE_DRAM : RESPONSE_NONE;
        return s->plain_arrival + (s->plain_count ? s->layout->delay : 0);
    }
    if (!a)
        return MEMORY_PENDING;
    if (waits) {
        a->reports_taken = taken;
        sm_memory_hold(s, a);
        return MEMORY_PENDING;
    }
    if (--a->pending)
        return MEMORY_PENDING;
    uint64_t end = response_cycle(a->end) - s->origin;
    *level = response_level(a->end);
    pool_give(&s->accesses, a);
    return end;
}

/* ---- replies and credits ----------------------------------------------------------------------------------------- */

bool inbox_grow(struct inbox *box)
{
    return array_grow((void **)&box->items, &box->room, box->count, sizeof *box->items);
}

void sm_memory_send(struct sm_memory *s, struct outbox *to)
{
    struct outbox *from = &s->outbox;
    if (!to->count) {
        struct outbox empty = *to;
        *to = *from;
        *from = empty;
        return;
    }
    for (size_t i = 0; i < from->count; i++) {
        if (!array_grow((void **)&to->items, &to->room, to->count, sizeof *to->items)) {
            s->failed = true;
            break;
        }
        to->items[to->count++] = from->items[i];
    }
    from->count = 0;
}

void sm_memory_receive(struct sm_memory *s, struct inbox *from)
{
    struct inbox *to = &s->inbox;
    s->awaited -= from->sectors;
    s->replied |= from->count > 0;
    from->sectors = 0;
    if (!to->count) {
        struct inbox empty = *to;
        *to = *from;
        *from = empty;
        return;
    }
    for (size_t i = 0; i < from->count; i++) {
        if (to->count == to->room && !inbox_grow(to)) {
            s->failed = true;
            break;
        }
        to->items[to->count++] = from->items[i];
    }
    from->count = 0;
}

bool sm_memory_replied(const struct sm_memory *s) { return s->replied; }
uint32_t sm_memory_away(const struct sm_memory *s, unsigned group) { return s->away[group]; }

uint64_t sm_memory_horizon(const struct sm_memory *s, uint64_t from, uint64_t lookahead)
{
    if (!s->awaited)
        return MEMORY_NEVER;
    from += s->origin;
    return later(from, s->awaited_from) - s->origin + lookahead;
}

/* The last response completes the request and those that wait for its fetch. */
HOT void complete_request(struct sm_memory *s, struct lsu_request *r, uint64_t response)
{
    for (struct lsu_request *w = r->waiters, *next; w; w = next) {
        next = w->next;
        served(s, w->access, later(w->cycle, response));
        pool_give(&s->requests, w);
    }
    s->away[r->access->group]--;
    served(s, r->access, response);
    pool_give(&s->requests, r);
}

/* Most replies are processed here: requests are for one sector, all L1s are direct-mapped, and none depends on when
 * fetches end. It is a function of its own so that the compiler keeps its variables in registers. */
static __attribute__((noinline)) void complete_plain(struct sm_memory *s)
{
    for (const struct reply *reply = s->inbox.items, *end = reply + s->inbox.count; reply < end; reply++) {
        struct lsu_request *r = pool_at(&s->requests, reply->name);
        if (r->fetched)
            direct_mapped_filled(r->place[0], r->item.id, reply->response);
        complete_request(s, r, reply->response);
    }
}

static void fill_l1(struct sm_memory *s, const struct lsu_request *r, unsigned sector, uint64_t response)
{
    struct sm_l1 *l1 = &s->l1[r->l1];
    level_filled(&l1->level, r->place[sector], r->item.id, response);
    if (s->layout->l1.tracks &&
        !ring_add(&l1->fills,
                  (struct due){.cycle = response_cycle(response), .order = r->sequence, .place = r->place[sector]}))
        s->failed = true;
}

/* Sectors of a fetch are there: completes the requests that wait for no other sector of it. */
static void answer_waiters(struct sm_memory *s, struct lsu_request *r, uint32_t sectors, uint64_t response)
{
    for (struct lsu_request **at = &r->waiters, *w; (w = *at);) {
        if (w->awaited & sectors)
            w->cycle = later(w->cycle, response);
        w->awaited &= (uint8_t)~sectors;
        if (w->awaited) {
            at = &w->next;
            continue;
        }
        *at = w->next;
        served(s, w->access, w->cycle);
        pool_give(&s->requests, w);
    }
}

static void receive(struct sm_memory *s, const struct reply *reply)
{
    if (reply->name == NO_ID) {
        if (!ring_add(&s->credits, (struct due){.cycle = reply->response, .entries = sectors_in(reply->sectors)}))
            s->failed = true;
        return;
    }
    struct lsu_request *r = pool_at(&s->requests, reply->name);
    for (uint32_t m = reply->sectors & r->fetched; m; m &= m - 1)
        fill_l1(s, r, (unsigned)__builtin_ctz(m), reply->response);
    answer_waiters(s, r, reply->sectors, reply->response);
    r->awaited &= (uint8_t)~reply->sectors;
    r->response = later(r->response, reply->response);
    if (!r->awaited)
        complete_request(s, r, r->response);
}

static void receive_all(struct sm_memory *s)
{
    const struct memory_layout *l = s->layout;
    if (s->l1[0].level.direct && !l->l1.tracks && l->port_queue == MEMORY_ANY && l->request_sectors == 1)
        complete_plain(s);
    else
        for (size_t i = 0; i < s->inbox.count; i++)
            receive(s, &s->inbox.items[i]);
}

uint64_t sm_memory_advance(struct sm_memory *s, uint64_t now)
{
    if (s->inbox.count)
        receive_all(s);
    s->inbox.count = 0;
    s->replied = false;
    if (!s->stepped)
        return MEMORY_NEVER;
    now += s->origin;
    if (s->stepped_to <= now) {
        sm_memory_step(s, now);
        s->stepped_to = now + 1;
    }
    uint64_t next = sm_memory_next_step(s, now);
    return next == MEMORY_NEVER ? next : next - s->origin;
}

/* ---- opening ----------------------------------------------------------------------------------------------------- */

bool sm_memory_open(struct sm_memory *s, const struct memory_layout *l, unsigned number, bool short_cuts)
{
    bool immediate = short_cuts && l->immediate;
    *s = (struct sm_memory){.layout = l,
                            .number = number,
                            .immediate = immediate,
                            .stepped = !immediate && (!short_cuts || !l->sm_unbounded),
                            .accesses = {.size = sizeof(struct lsu_access)},
                            .requests = {.size = sizeof(struct lsu_request)}};
    for (uint32_t i = 0; i < l->l1_count; i++)
        if (!level_open(&s->l1[i].level, RESPONSE_L1, &l->l1, l->l1.part))
            return false;
    const struct machine_part *icache = &l->machine->icache;
    for (uint32_t i = 0; i < l->icache_count; i++) {
        if (!(s->icache[i] = machine_part_state(icache)))
            return false;
        ((const struct instruction_cache_model *)icache->model)->reset(s->icache[i], icache->options);
    }
    const struct machine_part *constants = &l->machine->constants;
    if (!(s->constants = machine_part_state(constants)))
        return false;
    ((const struct instruction_cache_model *)constants->model)->reset(s->constants, constants->options);
    return true;
}

void sm_memory_close(struct sm_memory *s)
{
    for (uint32_t i = 0; s->layout && i < s->layout->l1_count; i++) {
        level_close(&s->l1[i].level);
        free(s->l1[i].fills.items);
    }
    for (uint32_t i = 0; s->layout && i < s->layout->icache_count; i++)
        free(s->icache[i]);
    free(s->constants);
    free(s->credits.items);
    free(s->outbox.items);
    free(s->inbox.items);
    free(s->done);
    for (uint32_t i = 0; i < s->accesses.block_count * POOL_BLOCK; i++)
        free(((struct lsu_access *)pool_at(&s->accesses, i))->items);
    pool_end(&s->accesses);
    pool_end(&s->requests);
}
