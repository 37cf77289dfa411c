/* Accesses where some queue is bounded: the LSU holds an access until its arrival, and each step is simulated in its
 * cycle. This defines the behaviour of the SM's side; sm_analytic.c computes the same in fewer steps. */
#include <stdlib.h>

#include "replay/memory/sm_requests.h"

static struct lsu_request *new_request(struct sm_memory *s, struct lsu_access *a, const struct lsu_transaction *t)
{
    struct lsu_request *r = pool_take(&s->requests);
    if (!r) {
        s->failed = true;
        return NULL;
    }
    r->next = r->after = r->written = r->waiters = NULL;
    r->access = a;
    r->of = t->of;
    r->kind = t->kind;
    r->repeats = t->repeats;
    r->hint = t->hint;
    r->bypass_l1 = t->bypass_l1;
    r->fetched = 0;
    r->awaited = t->of.sectors;
    r->response = 0;
    r->state = LSU_UNDECIDED;
    r->l1 = a ? a->l1 : 0;
    return r;
}

static uint64_t sector_address(const struct sm_memory *s, const struct request_sectors *of, unsigned sector)
{
    return of->address + ((uint64_t)sector << s->layout->sector_shift);
}

static uint64_t first_address(const struct sm_memory *s, const struct lsu_request *r)
{
    return sector_address(s, &r->of, (unsigned)__builtin_ctz(r->of.sectors));
}

/* A sector of the access waits for a fetch in flight. NULL: out of memory. */
static struct lsu_request *wait_for(struct sm_memory *s, struct lsu_access *a, uint32_t sector, uint32_t fetch,
                                    uint64_t response)
{
    struct lsu_request *w = new_request(s, a, &(struct lsu_transaction){.of = {.sectors = (uint8_t)sector}});
    a->pending++;
    if (w)
        join_fetch(s, w, fetch, response);
    return w;
}

/* Puts write-backs of a replaced line, one for each dirty sector, to the end of a list. */
static void write_back(struct sm_memory *s, struct lsu_request **list, uint64_t victim, uint32_t sectors,
                       uint64_t cycle)
{
    while (*list)
        list = &(*list)->after;
    for (uint32_t m = sectors; m; m &= m - 1) {
        struct lsu_transaction t = {
            .of = one_sector(victim + ((uint64_t)__builtin_ctz(m) << s->layout->sector_shift), CACHE_ALL_BYTES),
            .kind = CACHE_WRITE,
            .repeats = 1,
            .bypass_l1 = true};
        if (!(*list = new_request(s, NULL, &t)))
            return;
        (*list)->cycle = cycle;
        list = &(*list)->after;
    }
}

/* Entries of the port's queue become free in this cycle; they can be taken in the next one. */
static void free_entries(struct sm_memory *s, unsigned count, uint64_t now)
{
    if (s->freed_at != now) {
        s->entries -= s->freed;
        s->freed = 0;
        s->freed_at = now;
    }
    s->freed += count;
}

/* What the look-ups of a request's sectors have found so far. */
struct looked_up {
    uint32_t leaving;           /* sectors that L1 does not serve, a bit each */
    bool reads;                 /* they are read, whatever the request is */
    uint64_t end;               /* of the last look-up */
    struct lsu_request *waiter; /* the last one, for sectors in flight, */
    uint32_t from;              /* and the fetch that it waits for */
};

/* Looks up a sector of the first request of L1's queue. False: L1 refuses. */
static bool look_up_sector(struct sm_memory *s, struct sm_l1 *l1, struct lsu_request *r, unsigned sector, uint64_t now,
                           struct looked_up *so_far)
{
    struct cache_look_up request = {.address = sector_address(s, &r->of, sector),
                                    .kind = r->kind,
                                    .fetch = r->item.id,
                                    .may_not_fetch = l1->outstanding >= s->layout->l1.mshrs,
                                    .hint = CACHE_HINT_OF_L1(r->hint),
                                    .bytes = r->of.bytes[sector]};
    uint64_t start = later(now, *level_port(&l1->level, request.address));
    struct cache_finding found = level_look_up(&l1->level, &request, r->repeats, start);
    if (found.refused)
        return false;
    if (l1->level.listener)
        level_report(&l1->level, s->number, request.address, r->kind, found.served, request.cycle);
    if (found.written)
        write_back(s, &r->written, found.victim, found.written, request.cycle);
    so_far->end = later(so_far->end, request.cycle);
    so_far->reads |= found.reads;
    so_far->leaving |= (uint32_t)!found.served << sector;
    r->fetched |= (uint8_t)(found.fetches << sector);
    r->place[sector] = found.place;
    l1->outstanding += found.fetches && s->layout->l1.tracks;
    if (found.served && found.from == CACHE_NO_FETCH)
        r->access->end = later(r->access->end, found.cycle);
    else if (found.served && so_far->waiter && so_far->from == found.from) {
        so_far->waiter->cycle = later(so_far->waiter->cycle, found.cycle);
        so_far->waiter->awaited |= (uint8_t)(1u << sector);
    } else if (found.served) {
        so_far->waiter = wait_for(s, r->access, 1u << sector, found.from, found.cycle);
        so_far->from = found.from;
    }
    return true;
}

/* L1 refuses these sectors of the first request of its queue: they become a request of their own, behind it. */
static void split(struct sm_memory *s, struct sm_l1 *l1, struct lsu_request *r, uint32_t refused)
{
    struct lsu_transaction t = {
        .of = r->of, .kind = r->kind, .repeats = r->repeats, .hint = r->hint, .bypass_l1 = r->bypass_l1};
    t.of.sectors = (uint8_t)refused;
    struct lsu_request *rest = new_request(s, r->access, &t);
    r->access->pending++;
    if (!rest)
        return;
    rest->cycle = r->cycle;
    rest->next = r->next;
    r->next = rest;
    l1->last = l1->last == r ? rest : l1->last;
    rest->after = r->after;
    r->after = rest;
    s->order_last = s->order_last == r ? rest : s->order_last;
}

/* Looks up the sectors of the first request of L1's queue. False: L1 refuses. */
static bool look_up_now(struct sm_memory *s, struct sm_l1 *l1, uint64_t now)
{
    struct lsu_request *r = l1->first;
    struct looked_up found = {0};
    uint32_t left = r->of.sectors;
    while (left && look_up_sector(s, l1, r, (unsigned)__builtin_ctz(left), now, &found))
        left &= left - 1;
    const unsigned count = sectors_in(r->of.sectors & ~left);
    if (!count)
        return false;
    if (left)
        split(s, l1, r, left);
    l1->first = r->next;
    l1->waiting -= count;
    l1->started = l1->started_at == now ? l1->started + count : count;
    l1->started_at = now;
    r->cycle = found.end;
    r->of.sectors = r->awaited = (uint8_t)found.leaving;
    r->kind = found.reads ? CACHE_READ : r->kind;
    r->state = found.leaving ? LSU_LEAVES : LSU_SERVED;
    if (count > sectors_in(found.leaving))
        free_entries(s, count - sectors_in(found.leaving), now);
    if (!found.leaving)
        served(s, r->access, 0);
    return true;
}

static void start_waiting(struct sm_memory *s, struct sm_l1 *l1, uint64_t now)
{
    while (l1->first && *level_port(&l1->level, first_address(s, l1->first)) <= now && look_up_now(s, l1, now))
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
    struct lsu_request *r = new_request(s, NULL, &(struct lsu_transaction){0}); /* carries the write-backs */
    if (!r)
        return;
    r->state = LSU_SERVED;
    r->cycle = now;
    write_back(s, &r->written, found.victim, found.written, now);
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
    struct lsu_request *r = new_request(s, a, t);
    if (!r)
        return true; /* the access never completes */
    s->entries += sectors_in(t->of.sectors);
    put_last(s, r);
    r->cycle = now;
    r->state = looks_in_l1 ? LSU_UNDECIDED : LSU_LEAVES;
    if (!looks_in_l1)
        return true;
    *(l1->first ? &l1->last->next : &l1->first) = r;
    l1->last = r;
    l1->waiting += sectors_in(t->of.sectors);
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
    uint64_t flits = s->layout->departure[r->kind][sectors_in(r->of.sectors)], last = cycle;
    if (flits) {
        s->departures.link_free = later(clock_from_core(links, cycle), s->departures.link_free) + flits;
        last = clock_after_core(links, s->departures.link_free - 1);
    }
    struct outgoing o = {
        .of = r->of, .name = r->access ? r->item.id : NO_ID, .kind = r->kind, .repeats = r->repeats, .hint = r->hint};
    r->sequence = s->sequence;
    leave(s, &o, last);
    if (r->access)
        s->away[r->access->group]++;
    else
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
    while (ring_first(&s->credits) <= now)
        s->entries -= ring_drop(&s->credits)->entries;
    for (uint32_t i = 0; i < s->layout->l1_count; i++) {
        while (ring_first(&s->l1[i].fills) < now)
            release(s, &s->l1[i], ring_drop(&s->l1[i].fills)->place, now);
        start_waiting(s, &s->l1[i], now);
    }
    pass_on_all(s, now);
    leave_in_order(s, now);
}

void sm_memory_settle(struct sm_memory *s)
{
    while (s->credits.count)
        s->entries -= ring_drop(&s->credits)->entries;
    for (uint32_t i = 0; i < s->layout->l1_count; i++)
        while (s->l1[i].fills.count)
            release(s, &s->l1[i], ring_drop(&s->l1[i].fills)->place, 0);
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
        uint64_t port = l1->first ? *level_port((struct level *)&l1->level, first_address(s, l1->first)) : 0;
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

/* Whether the transaction becomes part of the request that the one before it belongs to. */
static bool joins(const struct lsu_transaction *last, const struct memory_transactions *all, uint64_t address,
                  uint32_t sector)
{
    return last->of.address == address && !(last->of.sectors & sector) && last->kind == all->kind &&
           last->kind != CACHE_ATOMIC && last->hint == all->hint && last->bypass_l1 == all->bypass_l1;
}

void sm_memory_add_stepped(struct sm_memory *s, struct lsu_access *a, const struct memory_transactions *all)
{
    if (!make_room_for(a, all->count)) {
        a->pending++;
        s->failed = true;
        return;
    }
    const unsigned shift = s->layout->sector_shift, before = a->item_count;
    const uint64_t within = s->layout->request_sectors - 1;
    struct lsu_transaction *t = a->items + a->item_count; /* the next one */
    for (uint32_t i = 0; i < all->count; i++) {
        const uint64_t address = all->base + (uint64_t)all->offset[i], first = address & ~(within << shift);
        const unsigned sector = (unsigned)((address - first) >> shift);
        const uint32_t bytes = all->bytes ? all->bytes[i] : CACHE_ALL_BYTES;
        if (!within || t == a->items || !joins(t - 1, all, first, 1u << sector))
            *t++ = (struct lsu_transaction){.of = {.address = first},
                                            .kind = all->kind,
                                            .repeats = all->repeats ? all->repeats[i] : 1,
                                            .hint = all->hint,
                                            .bypass_l1 = all->bypass_l1};
        t[-1].of.sectors |= (uint8_t)(1u << sector);
        t[-1].of.bytes[sector] = bytes;
    }
    a->item_count = (uint32_t)(t - a->items);
    a->pending += a->item_count - before;
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
