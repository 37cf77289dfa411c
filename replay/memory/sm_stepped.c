/* Accesses where some queue is bounded: the LSU holds an access until its arrival, and each step is simulated in its
 * cycle. This defines the behaviour of the SM's side; sm_analytic.c computes the same in fewer steps. */
#include <stdlib.h>

#include "replay/memory/sm_requests.h"

static struct lsu_request *new_request(struct sm_memory *s, struct lsu_access *a, const struct memory_transaction *t)
{
    struct lsu_request *r = pool_take(&s->requests);
    if (!r) {
        s->failed = true;
        return NULL;
    }
    r->next = r->after = r->written = r->waiters = NULL;
    r->access = a;
    r->address = t->address;
    r->kind = t->kind;
    r->repeats = t->repeats ? t->repeats : 1;
    r->hint = t->hint;
    r->bytes = t->bytes;
    r->bypass_l1 = t->bypass_l1;
    r->fetches = false;
    r->state = LSU_UNDECIDED;
    r->l1 = a ? a->l1 : 0;
    return r;
}

/* A transaction waits for a fetch of its sector in flight. */
static void wait_for(struct sm_memory *s, struct lsu_access *a, uint32_t fetch, uint64_t response)
{
    struct lsu_request *w = new_request(s, a, &(struct memory_transaction){0});
    if (w)
        join_fetch(s, w, fetch, response);
}

/* Write-backs of a replaced line, one for each dirty sector. */
static struct lsu_request *write_back(struct sm_memory *s, uint64_t victim, uint32_t sectors, uint64_t cycle)
{
    struct lsu_request *first = NULL, **at = &first;
    uint64_t sector = s->layout->l1.shape.sector;
    for (uint32_t m = sectors; m; m &= m - 1) {
        struct memory_transaction t = {
            victim + (unsigned)__builtin_ctz(m) * sector, CACHE_WRITE, true, 1, CACHE_HINT_NONE, CACHE_ALL_BYTES};
        if (!(*at = new_request(s, NULL, &t)))
            return first;
        (*at)->cycle = cycle;
        at = &(*at)->after;
    }
    return first;
}

/* An entry of the port's queue becomes free in this cycle; it can be taken in the next one. */
static void free_entry(struct sm_memory *s, uint64_t now)
{
    if (s->freed_at != now) {
        s->entries -= s->freed;
        s->freed = 0;
        s->freed_at = now;
    }
    s->freed++;
}

/* Looks up the first request of L1's queue. False: L1 refuses. */
static bool look_up_now(struct sm_memory *s, struct sm_l1 *l1, uint64_t now)
{
    struct lsu_request *r = l1->first;
    struct cache_look_up request = {.address = r->address,
                                    .kind = r->kind,
                                    .fetch = r->item.id,
                                    .may_not_fetch = l1->outstanding >= s->layout->l1.mshrs,
                                    .hint = CACHE_HINT_OF_L1(r->hint),
                                    .bytes = r->bytes};
    struct cache_finding found = level_look_up(&l1->level, &request, r->repeats, now);
    if (found.refused)
        return false;
    if (l1->level.listener)
        level_report(&l1->level, s->number, r->address, r->kind, found.served, request.cycle);
    l1->first = r->next;
    l1->waiting--;
    l1->started = l1->started_at == now ? l1->started + 1 : 1;
    l1->started_at = now;
    r->written = found.written ? write_back(s, found.victim, found.written, request.cycle) : NULL;
    r->fetches = found.fetches;
    r->place = found.place;
    r->cycle = request.cycle;
    r->kind = found.reads ? CACHE_READ : r->kind;
    r->state = found.served ? LSU_SERVED : LSU_LEAVES;
    l1->outstanding += found.fetches && s->layout->l1.tracks;
    if (!found.served)
        return true;
    free_entry(s, now);
    if (found.from == CACHE_NO_FETCH)
        served(s, r->access, found.cycle);
    else
        wait_for(s, r->access, found.from, found.cycle);
    return true;
}

static void start_waiting(struct sm_memory *s, struct sm_l1 *l1, uint64_t now)
{
    while (l1->first && *level_port(&l1->level, l1->first->address) <= now && look_up_now(s, l1, now))
        ;
}

static void put_last(struct sm_memory *s, struct lsu_request *r)
{
    *(s->order ? &s->order_last->after : &s->order) = r;
    s->order_last = r;
}

/* The fetch to this place is complete: its MSHR entry is free. */
static void release(struct sm_memory *s, struct sm_l1 *l1, void *place, uint64_t now)
{
    struct cache_finding found = {.written = 0};
    l1->outstanding--;
    if (l1->level.kind->model->released)
        l1->level.kind->model->released(l1->level.state, place, &found);
    if (!found.written)
        return;
    l1->level.counts.written_back += (unsigned)__builtin_popcount(found.written);
    struct lsu_request *r = new_request(s, NULL, &(struct memory_transaction){0}); /* carries the write-backs */
    if (!r)
        return;
    r->state = LSU_SERVED;
    r->cycle = now;
    r->written = write_back(s, found.victim, found.written, now);
    put_last(s, r);
}

static bool l1_full(const struct sm_memory *s, const struct sm_l1 *l1, uint64_t now)
{
    return s->layout->l1.queue != MEMORY_ANY &&
           l1->waiting + (l1->started_at == now ? l1->started : 0) >= s->layout->l1.queue;
}

static bool pass_on(struct sm_memory *s, struct lsu_access *a, uint64_t now)
{
    const struct lsu_transaction *t = &a->items[a->next_item];
    struct sm_l1 *l1 = &s->l1[a->l1];
    bool looks_in_l1 = !t->bypass_l1 && s->layout->l1.keeps;
    if ((s->layout->port_queue != MEMORY_ANY && s->entries >= s->layout->port_queue) ||
        (looks_in_l1 && l1_full(s, l1, now)))
        return false;
    a->next_item++;
    struct lsu_request *r = new_request(s, a,
                                        &(struct memory_transaction){.address = t->address,
                                                                     .kind = t->kind,
                                                                     .bypass_l1 = t->bypass_l1,
                                                                     .repeats = t->repeats,
                                                                     .hint = t->hint,
                                                                     .bytes = t->bytes});
    if (!r)
        return true; /* the access never completes */
    s->entries++;
    put_last(s, r);
    r->cycle = now;
    r->state = looks_in_l1 ? LSU_UNDECIDED : LSU_LEAVES;
    if (!looks_in_l1)
        return true;
    *(l1->first ? &l1->last->next : &l1->first) = r;
    l1->last = r;
    l1->waiting++;
    start_waiting(s, l1, now);
    return true;
}

static void pass_on_all(struct sm_memory *s, uint64_t now)
{
    while (s->first && s->first->arrival <= now) {
        struct lsu_access *a = s->first;
        while (a->next_item < a->item_count && pass_on(s, a, now))
            ;
        if (a->next_item < a->item_count)
            return;
        s->first = a->next;
        s->held--;
        if (a->reports_taken)
            sm_memory_put_completion(s, a, true, response_of(now, RESPONSE_NONE));
        served(s, a, response_of(a->arrival, RESPONSE_NONE)); /* the commit's share of `pending` */
    }
}

/* The cycle in which the request leaves, which is the next one to leave; `now` or later. */
HOT uint64_t departure(const struct sm_memory *s, const struct lsu_request *r, uint64_t now)
{
    const struct departures *d = &s->departures;
    uint64_t width = s->layout->port_width, port = d->last_left + (width && d->left >= width);
    return later(later(r->cycle, now), later(port, clock_in_core(&s->layout->links, d->link_free)));
}

static void let_leave(struct sm_memory *s, struct lsu_request *r, uint64_t cycle)
{
    const struct clock_domain *links = &s->layout->links;
    s->departures.left = s->departures.last_left == cycle ? s->departures.left + 1 : 1;
    s->departures.last_left = cycle;
    uint64_t flits = s->layout->departure[r->kind], last = cycle;
    if (flits) {
        s->departures.link_free = later(clock_from_core(links, cycle), s->departures.link_free) + flits;
        last = clock_after_core(links, s->departures.link_free - 1);
    }
    struct memory_transaction t = {r->address, r->kind, r->bypass_l1, r->repeats, r->hint, r->bytes};
    r->sequence = s->sequence;
    leave(s, &t, r->access ? r->item.id : NO_ID, last);
    if (!r->access)
        pool_give(&s->requests, r);
}

/* Write-backs leave in their cycle, as they take entries of the port's queue then. False: one is left. */
static bool write_backs_leave(struct sm_memory *s, struct lsu_request *r, uint64_t now)
{
    for (struct lsu_request *w; (w = r->written); s->entries++) { /* there is always room for a write-back */
        if (departure(s, w, now) > now)
            return false;
        r->written = w->after;
        let_leave(s, w, now);
    }
    return true;
}

/* All else leaves as soon as it is known in which cycle it does: nothing can change that any more. */
static void leave_in_order(struct sm_memory *s, uint64_t now)
{
    for (struct lsu_request *r = s->order; r && r->state != LSU_UNDECIDED; r = s->order) {
        if (r->written && !write_backs_leave(s, r, now))
            return;
        s->order = r->after;
        if (r->state == LSU_SERVED)
            pool_give(&s->requests, r);
        else
            let_leave(s, r, departure(s, r, now));
    }
}

void sm_memory_step(struct sm_memory *s, uint64_t now)
{
    if (s->freed_at < now) {
        s->entries -= s->freed;
        s->freed = 0;
    }
    for (; ring_first(&s->credits) <= now; ring_drop(&s->credits))
        s->entries--;
    for (uint32_t i = 0; i < s->layout->l1_count; i++) {
        while (ring_first(&s->l1[i].fills) < now)
            release(s, &s->l1[i], ring_drop(&s->l1[i].fills), now);
        start_waiting(s, &s->l1[i], now);
    }
    pass_on_all(s, now);
    leave_in_order(s, now);
}

void sm_memory_settle(struct sm_memory *s)
{
    for (; s->credits.count; ring_drop(&s->credits))
        s->entries--;
    for (uint32_t i = 0; i < s->layout->l1_count; i++)
        while (s->l1[i].fills.count)
            release(s, &s->l1[i], ring_drop(&s->l1[i].fills), 0);
}

uint64_t sm_memory_next_step(const struct sm_memory *s, uint64_t now)
{
    /* A credit is counted in its cycle only if an access waits for it; else it is counted in the next step. So is the
     * end of a fetch, if no request waits for it and it writes nothing back. */
    uint64_t next = s->first && s->first->arrival <= now ? ring_first(&s->credits) : MEMORY_NEVER;
    const bool back = s->layout->l1.shape.back;
    bool freed = s->freed && s->freed_at == now;
    for (uint32_t i = 0; i < s->layout->l1_count; i++) {
        const struct sm_l1 *l1 = &s->l1[i];
        freed |= l1->started_at == now && l1->started;
        if (l1->fills.count && (l1->first || back))
            next = earlier(next, ring_first(&l1->fills) + 1);
        uint64_t port = l1->first ? *level_port((struct level *)&l1->level, l1->first->address) : 0;
        if (port > now)
            next = earlier(next, port);
    }
    if (s->first)
        next = earlier(next, s->first->arrival > now ? s->first->arrival : freed ? now + 1 : MEMORY_NEVER);
    const struct lsu_request *r = s->order;
    if (r && r->state != LSU_UNDECIDED) /* a write-back is left */
        next = earlier(next, departure(s, r->written, now + 1));
    return next;
}

static bool make_room_for(struct lsu_access *a, uint32_t more)
{
    if (a->item_count + more <= a->item_room)
        return true;
    uint32_t room = 2 * (a->item_count + more);
    struct lsu_transaction *items = realloc(a->items, room * sizeof *items);
    if (!items)
        return false;
    a->items = items;
    a->item_room = room;
    return true;
}

void sm_memory_add_stepped(struct sm_memory *s, struct lsu_access *a, const struct memory_transactions *all)
{
    a->pending += all->count;
    if (!make_room_for(a, all->count)) {
        s->failed = true;
        return;
    }
    struct lsu_transaction *t = a->items + a->item_count;
    for (uint32_t i = 0; i < all->count; i++)
        t[i] = (struct lsu_transaction){.address = all->base + (uint64_t)all->offset[i],
                                        .bytes = all->bytes ? all->bytes[i] : CACHE_ALL_BYTES,
                                        .kind = all->kind,
                                        .repeats = all->repeats ? all->repeats[i] : 1,
                                        .hint = all->hint,
                                        .bypass_l1 = all->bypass_l1};
    a->item_count += all->count;
}

/* Inserts by arrival. That is the order of issue, except in immediate memory systems. */
void sm_memory_hold(struct sm_memory *s, struct lsu_access *a)
{
    s->held++;
    if (s->first && s->last->arrival > a->arrival) {
        struct lsu_access **at = &s->first;
        while ((*at)->arrival <= a->arrival)
            at = &(*at)->next;
        a->next = *at;
        *at = a;
        return;
    }
    *(s->first ? &s->last->next : &s->first) = a;
    s->last = a;
}
