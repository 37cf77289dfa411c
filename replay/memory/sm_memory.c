/* An SM's side of the memory system.
 *
 * Two ways through it with the same result. Where nothing refuses, all that
 * the SM does with an access follows from what came before, so it is done at its commit ("at once"). Else the LSU holds
 * it until its arrival, and everything is done in its cycle ("stepped"). The second is the definition.
 */
#include "replay/memory/sm_memory.h"

#include <stdlib.h>
#include <string.h>

static uint64_t later(uint64_t a, uint64_t b) { return a > b ? a : b; }
/* For what happens once per transaction. */
#define HOT static inline __attribute__((always_inline))

static uint64_t earlier(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* ---- growing arrays ---------------------------------------------------------------------------------------------- */

static bool grow(void **items, size_t *room, size_t count, size_t size)
{
    if (count < *room)
        return true;
    size_t more = *room ? 2 * *room : 64;
    void *bigger = realloc(*items, more * size);
    if (!bigger)
        return false;
    *items = bigger;
    *room = more;
    return true;
}

static bool is_before(const struct due *a, const struct due *b)
{
    return a->cycle != b->cycle ? a->cycle < b->cycle : a->order < b->order;
}

/* Puts something into a sorted ring. */
static bool ring_add(struct ring *r, struct due due)
{
    if (r->count == r->room) {
        size_t room = r->room ? 2 * r->room : 16;
        struct due *items = malloc(room * sizeof *items);
        if (!items)
            return false;
        for (size_t i = 0; i < r->count; i++)
            items[i] = r->items[(r->first + i) & (r->room - 1)];
        free(r->items);
        *r = (struct ring){items, 0, r->count, room};
    }
    size_t at = r->count++;
    for (; at && is_before(&due, &r->items[(r->first + at - 1) & (r->room - 1)]); at--)
        r->items[(r->first + at) & (r->room - 1)] = r->items[(r->first + at - 1) & (r->room - 1)];
    r->items[(r->first + at) & (r->room - 1)] = due;
    return true;
}

static uint64_t ring_first(const struct ring *r) { return r->count ? r->items[r->first].cycle : MEMORY_NEVER; }

static void *ring_drop(struct ring *r)
{
    void *place = r->items[r->first].place;
    r->first = (r->first + 1) & (r->room - 1);
    r->count--;
    return place;
}

/* ---- ends of accesses -------------------------------------------------------------------------------------------- */

static bool tell(struct sm_memory *s, const struct lsu_access *a, bool taken, uint64_t answer)
{
    if (!grow((void **)&s->done, &s->done_room, s->done_first + s->done_count, sizeof *s->done)) {
        s->failed = true;
        return false;
    }
    s->done[s->done_first + s->done_count++] = (struct memory_completion){
        .token = a->token, .taken = taken, .level = answer_level(answer), .cycle = answer_cycle(answer) - s->origin};
    return true;
}

static void complete(struct sm_memory *s, struct lsu_access *a)
{
    if (tell(s, a, false, a->end))
        pool_give(&s->accesses, a);
}

/* One of its transactions is served. */
static void served(struct sm_memory *s, struct lsu_access *a, uint64_t answer)
{
    a->end = later(a->end, answer);
    if (!--a->pending)
        complete(s, a);
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

/* ---- requests ---------------------------------------------------------------------------------------------------- */

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
    r->beside_l1 = t->beside_l1;
    r->fetches = false;
    r->state = LSU_UNDECIDED;
    r->l1 = a ? a->l1 : 0;
    return r;
}

static __attribute__((noinline)) bool grow_outbox(struct sm_memory *s, size_t count)
{
    bool grown = grow((void **)&s->outbox.items, &s->outbox.room, count, sizeof *s->outbox.items);
    s->failed |= !grown;
    return grown;
}

HOT void put_out(struct sm_memory *s, const struct memory_transaction *t, uint32_t name, uint64_t arrival)
{
    if (s->outbox.count < s->outbox.room || grow_outbox(s, s->outbox.count))
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
static void leave(struct sm_memory *s, const struct memory_transaction *t, uint32_t name, uint64_t cycle)
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

/* Who finds a sector that is on its way waits for it. */
static void wait_for(struct sm_memory *s, struct lsu_access *a, uint32_t fetch, uint64_t answer)
{
    struct lsu_request *w = new_request(s, a, &(struct memory_transaction){0});
    if (w)
        join_fetch(s, w, fetch, answer);
}

/* What a line that is replaced has to write back, sector by sector. */
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

/* `plain`: all L1s are direct-mapped, and none minds when its fetches end. */
HOT void answer(struct sm_memory *s, const struct reply *reply, bool plain)
{
    struct lsu_request *r = pool_at(&s->requests, reply->name);
    if (r->fetches && plain) {
        direct_mapped_filled(r->place, r->item.id, reply->answer);
    } else if (r->fetches) {
        struct sm_l1 *l1 = &s->l1[r->l1];
        level_filled(&l1->level, r->place, r->item.id, reply->answer);
        if (s->layout->l1.tracks &&
            !ring_add(&l1->fills, (struct due){answer_cycle(reply->answer), r->sequence, r->place}))
            s->failed = true;
    }
    for (struct lsu_request *w = r->waiters, *next; w; w = next) {
        next = w->next;
        served(s, w->access, later(w->cycle, reply->answer));
        pool_give(&s->requests, w);
    }
    served(s, r->access, reply->answer);
    pool_give(&s->requests, r);
}

/* ---- at once ----------------------------------------------------------------------------------------------------- */

/* When the next request leaves, which is ready then. */
HOT uint64_t next_leave(struct departures *d, uint64_t width, uint64_t ready)
{
    uint64_t cycle = later(ready, later(d->last_left, d->last_start));
    if (cycle == d->last_left && width && d->left >= width)
        cycle++;
    d->left = cycle == d->last_left ? d->left + 1 : 1;
    d->last_left = cycle;
    return cycle;
}

static __attribute__((noinline)) struct departures write_back_at_once(struct sm_memory *s, struct departures d,
                                                                      uint64_t victim, uint32_t sectors, uint64_t cycle)
{
    uint64_t sector = s->layout->l1.shape.sector;
    for (uint32_t m = sectors; m; m &= m - 1) {
        struct memory_transaction t = {
            victim + (unsigned)__builtin_ctz(m) * sector, CACHE_WRITE, true, 1, CACHE_HINT_NONE, CACHE_ALL_BYTES};
        leave(s, &t, NOBODY, next_leave(&d, s->layout->port_width, cycle));
    }
    return d;
}

/* Whether the request leaves the SM, and when it is ready to. If not, its end is known, or it waits for one that is
 * under way. */
HOT bool look_up_at_once(struct sm_memory *s, struct departures *d, struct lsu_request *r,
                         const struct memory_transaction *t, uint64_t *ready)
{
    struct lsu_access *a = r->access;
    struct level *level = &s->l1[a->l1].level;
    uint64_t start = later(a->arrival, level->free);
    struct cache_look_up request = {.address = t->address, .kind = t->kind, .fetch = r->item.id};
    struct cache_finding found = level_look_up(level, &request, t->repeats, start);
    *ready = request.cycle;
    d->last_start = later(d->last_start, start);
    if (found.written)
        *d = write_back_at_once(s, *d, found.victim, found.written, *ready);
    r->fetches = found.fetches;
    r->place = found.place;
    if (!found.served)
        return true;
    if (found.from != CACHE_NO_FETCH) {
        a->pending++;
        join_fetch(s, r, found.from, found.cycle);
    } else {
        a->end = later(a->end, found.cycle);
        pool_give(&s->requests, r);
    }
    return false;
}

/* Those from `from` on, up to `end`. */
static void add_some_at_once(struct sm_memory *s, struct lsu_access *a, const struct memory_transactions *all,
                             uint32_t from, uint32_t end, bool looks)
{
    struct departures d = s->departures;
    uint64_t width = s->layout->port_width, latency = s->layout->port_latency, first = 0, leaving = 0;
    struct memory_transaction t = {
        .kind = all->kind, .beside_l1 = all->beside_l1, .hint = all->hint, .bytes = CACHE_ALL_BYTES};
    for (uint32_t i = from; i < end; i++) {
        struct lsu_request *r = pool_take(&s->requests);
        uint64_t ready = a->arrival;
        if (!r) {
            s->failed = true;
            a->pending++;
            continue;
        }
        t.address = all->base + (uint64_t)all->offset[i];
        t.repeats = all->repeats ? all->repeats[i] : 1;
        if (all->bytes)
            t.bytes = all->bytes[i];
        r->access = a;
        r->fetches = false;
        if (looks && !look_up_at_once(s, &d, r, &t, &ready))
            continue;
        r->waiters = NULL;
        r->l1 = a->l1;
        uint64_t arrival = next_leave(&d, width, ready) + latency;
        first = leaving++ ? first : arrival;
        put_out(s, &t, r->item.id, arrival);
    }
    a->pending += (uint32_t)leaving;
    note_leaving(s, leaving, leaving, first);
    s->departures = d;
}

/* The same for reads that look in a direct-mapped L1, from `from` to the first that hits or replaces a dirty line.
 * Returns how many. Most transactions come here: on its own, so that a compiler has registers for it. */
static __attribute__((noinline)) uint32_t add_reads_at_once(struct sm_memory *s, struct lsu_access *a,
                                                            const struct memory_transactions *all, uint32_t from)
{
    struct level *level = &s->l1[a->l1].level;
    char *lines = ((struct direct_mapped *)level->state)->line;
    const struct direct_mapped cache = *(const struct direct_mapped *)level->state;
    struct departures d = s->departures;
    const uint64_t start = later(a->arrival, level->free), latency = level->kind->shape.latency,
                   interval = level->kind->shape.interval, way = s->layout->port_latency, width = s->layout->port_width;
    const uint8_t hint = all->hint, number = a->l1;
    const uint64_t base = all->base, sequence = s->sequence;
    const int64_t *offset = all->offset + from;
    const uint32_t count = all->count - from;
    uint64_t at = start;
    uint32_t i = 0;
    while (s->outbox.count + count > s->outbox.room)
        if (!grow_outbox(s, s->outbox.room))
            return 0;
    struct outgoing *out = s->outbox.items + s->outbox.count;
    for (struct lsu_request *r; i < count && (r = pool_take(&s->requests)); i++) {
        bool hit;
        uint64_t address = base + (uint64_t)offset[i];
        uint64_t *place = direct_mapped_read_clean(lines, &cache, address, r->item.id, &hit);
        if (!place || hit) {
            pool_give(&s->requests, r);
            break;
        }
        r->access = a;
        r->waiters = NULL;
        r->place = place;
        r->l1 = number;
        r->fetches = true;
        d.last_start = later(d.last_start, at);
        uint64_t cycle = next_leave(&d, width, at + latency);
        at += interval;
        out[i] =
            (struct outgoing){address, cycle + way, sequence + i, r->item.id, CACHE_ALL_BYTES, CACHE_READ, 1, hint};
    }
    if (!i)
        return 0;
    s->outbox.count += i;
    s->sequence += i;
    s->departures = d;
    level->free = at;
    level->counts.misses += i;
    if (level->served)
        level_count_end(level, out[0].address, CACHE_READ, false, i);
    a->pending += i;
    note_leaving(s, i, i, out[0].arrival);
    return i;
}

static void add_all_at_once(struct sm_memory *s, struct lsu_access *a, const struct memory_transactions *all,
                            bool looks)
{
    bool reads = looks && all->kind == CACHE_READ && s->l1[a->l1].level.direct;
    for (uint32_t at = 0; at < all->count;) {
        uint32_t done = reads ? add_reads_at_once(s, a, all, at) : 0;
        if (!done) {
            done = reads ? 1 : all->count - at;
            add_some_at_once(s, a, all, at, at + done, looks);
        }
        at += done;
    }
}

/* ---- stepped ----------------------------------------------------------------------------------------------------- */

/* A place of the port becomes free in this cycle, for those of later ones. */
static void free_place(struct sm_memory *s, uint64_t now)
{
    if (s->freed_at != now) {
        s->places -= s->freed;
        s->freed = 0;
        s->freed_at = now;
    }
    s->freed++;
}

/* False: refused. */
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
    free_place(s, now);
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

/* What was fetched for this place is there, and its MSHR is free. */
static void release(struct sm_memory *s, struct sm_l1 *l1, void *place, uint64_t now)
{
    struct cache_finding found = {.written = 0};
    l1->outstanding--;
    if (l1->level.kind->model->released)
        l1->level.kind->model->released(l1->level.state, place, &found);
    if (!found.written)
        return;
    l1->level.counts.written_back += (unsigned)__builtin_popcount(found.written);
    struct lsu_request *r = new_request(s, NULL, &(struct memory_transaction){0}); /* stands for what it writes back */
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

static bool hand_on(struct sm_memory *s, struct lsu_access *a, uint64_t now)
{
    const struct lsu_transaction *t = &a->items[a->next_item];
    struct sm_l1 *l1 = &s->l1[a->l1];
    bool looks = !t->beside_l1 && s->layout->l1.keeps;
    if ((s->layout->port_queue != MEMORY_ANY && s->places >= s->layout->port_queue) || (looks && l1_full(s, l1, now)))
        return false;
    a->next_item++;
    struct lsu_request *r = new_request(s, a,
                                        &(struct memory_transaction){.address = t->address,
                                                                     .kind = t->kind,
                                                                     .beside_l1 = t->beside_l1,
                                                                     .repeats = t->repeats,
                                                                     .hint = t->hint,
                                                                     .bytes = t->bytes});
    if (!r)
        return true; /* the access never completes */
    s->places++;
    put_last(s, r);
    r->cycle = now;
    r->state = looks ? LSU_UNDECIDED : LSU_LEAVES;
    if (!looks)
        return true;
    *(l1->first ? &l1->last->next : &l1->first) = r;
    l1->last = r;
    l1->waiting++;
    start_waiting(s, l1, now);
    return true;
}

static void hand_on_all(struct sm_memory *s, uint64_t now)
{
    while (s->first && s->first->arrival <= now) {
        struct lsu_access *a = s->first;
        while (a->next_item < a->item_count && hand_on(s, a, now))
            ;
        if (a->next_item < a->item_count)
            return;
        s->first = a->next;
        s->held--;
        if (a->tells_taken)
            tell(s, a, true, answer_of(now, ANSWER_NONE));
        served(s, a, answer_of(a->arrival, ANSWER_NONE)); /* itself */
    }
}

/* False: it may not leave in this cycle. */
static bool try_leave(struct sm_memory *s, struct lsu_request *r, uint64_t now)
{
    uint64_t width = s->layout->port_width;
    if (r->cycle > now || (width && s->departures.last_left == now && s->departures.left >= width) ||
        s->departures.link_free > now)
        return false;
    s->departures.left = s->departures.last_left == now ? s->departures.left + 1 : 1;
    s->departures.last_left = now;
    uint64_t flits = s->layout->packet[r->kind];
    s->departures.link_free = now + flits;
    struct memory_transaction t = {r->address, r->kind, r->beside_l1, r->repeats, r->hint, r->bytes};
    r->sequence = s->sequence;
    leave(s, &t, r->access ? r->item.id : NOBODY, now + (flits ? flits - 1 : 0));
    if (!r->access)
        pool_give(&s->requests, r);
    return true;
}

static void leave_in_order(struct sm_memory *s, uint64_t now)
{
    for (struct lsu_request *r = s->order; r && r->state != LSU_UNDECIDED; r = s->order) {
        for (struct lsu_request *w = r->written; w; w = r->written) {
            struct lsu_request *next = w->after;
            if (!try_leave(s, w, now))
                return;
            s->places++; /* a write-back always finds room */
            r->written = next;
        }
        struct lsu_request *next = r->after;
        if (r->state == LSU_SERVED)
            pool_give(&s->requests, r);
        else if (!try_leave(s, r, now))
            return;
        s->order = next;
    }
}

static void step(struct sm_memory *s, uint64_t now)
{
    if (s->freed_at < now) {
        s->places -= s->freed;
        s->freed = 0;
    }
    for (; ring_first(&s->credits) <= now; ring_drop(&s->credits))
        s->places--;
    for (uint32_t i = 0; i < s->layout->l1_count; i++) {
        while (ring_first(&s->l1[i].fills) < now)
            release(s, &s->l1[i], ring_drop(&s->l1[i].fills), now);
        start_waiting(s, &s->l1[i], now);
    }
    hand_on_all(s, now);
    leave_in_order(s, now);
}

/* The next cycle in which step() may do something. */
static uint64_t next_step(const struct sm_memory *s, uint64_t now)
{
    uint64_t next = ring_first(&s->credits);
    bool freed = s->freed && s->freed_at == now;
    for (uint32_t i = 0; i < s->layout->l1_count; i++) {
        const struct sm_l1 *l1 = &s->l1[i];
        freed |= l1->started_at == now && l1->started;
        if (l1->fills.count)
            next = earlier(next, ring_first(&l1->fills) + 1);
        uint64_t port = l1->first ? *level_port((struct level *)&l1->level, l1->first->address) : 0;
        if (port > now)
            next = earlier(next, port);
    }
    if (s->first)
        next = earlier(next, s->first->arrival > now ? s->first->arrival : freed ? now + 1 : MEMORY_NEVER);
    const struct lsu_request *r = s->order;
    if (!r || r->state == LSU_UNDECIDED)
        return next;
    r = r->written ? r->written : r;
    return earlier(next, later(r->cycle, later(now + 1, s->departures.link_free)));
}

/* ---- accesses ---------------------------------------------------------------------------------------------------- */

bool sm_memory_accepts(const struct sm_memory *s) { return s->held < s->layout->lsu_queue; }

void sm_memory_begin(struct sm_memory *s, unsigned subcore, uint64_t arrival, uint32_t token)
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
    a->end = answer_of(a->arrival, ANSWER_NONE);
    a->token = token;
    a->pending = 1;
    a->tells_taken = false;
    a->next_item = a->item_count = 0;
    a->l1 = (uint8_t)(subcore / s->layout->l1_subcores);
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

static void add_all_stepped(struct sm_memory *s, struct lsu_access *a, const struct memory_transactions *all)
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
                                        .beside_l1 = all->beside_l1};
    a->item_count += all->count;
}

void sm_memory_add_all(struct sm_memory *s, const struct memory_transactions *all)
{
    struct lsu_access *a = s->current;
    bool first = !s->plain_count && all->count, looks = !all->beside_l1 && s->layout->l1.keeps;
    s->plain_count += all->count;
    if (s->immediate)
        s->dram_counts.writes += all->kind == CACHE_READ ? 0 : all->count;
    if (s->immediate || !a)
        return;
    if (first && !s->layout->immediate)
        a->arrival = s->last_arrival = later(a->arrival, s->last_arrival);
    if (s->stepped)
        add_all_stepped(s, a, all);
    else
        add_all_at_once(s, a, all, looks);
}

void sm_memory_add(struct sm_memory *s, const struct memory_transaction *t)
{
    const int64_t here = 0;
    const uint8_t repeats = t->repeats ? t->repeats : 1;
    sm_memory_add_all(
        s, &(struct memory_transactions){t->address, &here, &repeats, &t->bytes, 1, t->kind, t->hint, t->beside_l1});
}

void sm_memory_count(struct sm_memory *s, enum cache_kind kind, uint64_t transactions)
{
    s->dram_counts.accesses += transactions;
    s->port_counts.requests += transactions;
    s->dram_counts.writes += kind == CACHE_READ ? 0 : transactions;
}

/* Among those held, by arrival: in the order of issue, but for immediate memory systems. */
static void hold(struct sm_memory *s, struct lsu_access *a)
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

uint64_t sm_memory_commit(struct sm_memory *s, uint64_t *taken, enum answer_level *level)
{
    struct lsu_access *a = s->current;
    bool waits = !s->immediate && (!a || (s->stepped && a->item_count));
    s->current = NULL;
    if (taken)
        *taken = waits ? MEMORY_PENDING : s->immediate ? s->plain_arrival : a->arrival - s->origin;
    if (s->immediate) {
        s->dram_counts.accesses += s->plain_count;
        s->port_counts.requests += s->plain_count;
        *level = s->plain_count ? ANSWER_DRAM : ANSWER_NONE;
        return s->plain_arrival + (s->plain_count ? s->layout->delay : 0);
    }
    if (!a)
        return MEMORY_PENDING;
    if (waits) {
        a->tells_taken = taken;
        hold(s, a);
        return MEMORY_PENDING;
    }
    if (--a->pending)
        return MEMORY_PENDING;
    uint64_t end = answer_cycle(a->end) - s->origin;
    *level = answer_level(a->end);
    pool_give(&s->accesses, a);
    return end;
}

uint64_t sm_memory_fetch(struct sm_memory *s, unsigned subcore, uint64_t address, uint64_t cycle)
{
    const struct machine_part *part = &s->layout->machine->icache;
    const struct instruction_cache_model *model = (const struct instruction_cache_model *)part->model;
    struct instruction_cache_reply reply;
    s->used = true;
    if (!model->keeps)
        return cycle;
    model->fetch(s->icache[subcore / s->layout->icache_subcores], address, cycle + s->origin, &reply);
    *(reply.hit ? &s->icache_counts.hits : &s->icache_counts.misses) += 1;
    return reply.cycle - s->origin;
}

uint64_t sm_memory_constants(struct sm_memory *s, uint64_t bank, rp_lanemask mask,
                             const uint64_t address[RP_WARP_LANES], uint64_t cycle)
{
    const struct machine_part *part = &s->layout->machine->constants;
    const struct instruction_cache_model *model = (const struct instruction_cache_model *)part->model;
    uint64_t end = cycle;
    s->used |= model->keeps;
    for (rp_lanemask left = model->keeps ? mask : 0; left;) {
        uint64_t named = address[__builtin_ctz(left)];
        for (rp_lanemask m = left; m; m &= m - 1)
            if (address[__builtin_ctz(m)] == named)
                left &= ~(m & -m);
        struct instruction_cache_reply reply;
        model->fetch(s->constants, bank + named, cycle + s->origin, &reply);
        *(reply.hit ? &s->constant_counts.hits : &s->constant_counts.misses) += 1;
        end = later(end, reply.cycle - s->origin);
    }
    return end;
}

/* ---- the chip's word --------------------------------------------------------------------------------------------- */

bool inbox_grow(struct inbox *box) { return grow((void **)&box->items, &box->room, box->count, sizeof *box->items); }

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
        if (!grow((void **)&to->items, &to->room, to->count, sizeof *to->items)) {
            s->failed = true;
            break;
        }
        to->items[to->count++] = from->items[i];
    }
    from->count = 0;
}

void sm_memory_hear(struct sm_memory *s, struct inbox *told)
{
    struct inbox *to = &s->inbox;
    s->awaited -= told->count;
    s->replied |= told->count > 0;
    if (!to->count) {
        struct inbox empty = *to;
        *to = *told;
        *told = empty;
        return;
    }
    for (size_t i = 0; i < told->count; i++) {
        if (to->count == to->room && !inbox_grow(to)) {
            s->failed = true;
            break;
        }
        to->items[to->count++] = told->items[i];
    }
    told->count = 0;
}

bool sm_memory_replied(const struct sm_memory *s) { return s->replied; }

uint64_t sm_memory_horizon(const struct sm_memory *s, uint64_t from, uint64_t lookahead)
{
    if (!s->awaited)
        return MEMORY_NEVER;
    from += s->origin;
    return later(from, s->awaited_from) - s->origin + lookahead;
}

/* Most replies come here: on its own, so that a compiler has registers for it. */
static __attribute__((noinline)) void answer_plain(struct sm_memory *s)
{
    for (const struct reply *r = s->inbox.items, *end = r + s->inbox.count; r < end; r++)
        answer(s, r, true);
}

static void hear(struct sm_memory *s, const struct reply *r)
{
    if (r->name != NOBODY)
        answer(s, r, false);
    else if (!ring_add(&s->credits, (struct due){r->answer, 0, NULL}))
        s->failed = true;
}

static void hear_all(struct sm_memory *s)
{
    if (s->l1[0].level.direct && !s->layout->l1.tracks && s->layout->port_queue == MEMORY_ANY)
        answer_plain(s);
    else
        for (size_t i = 0; i < s->inbox.count; i++)
            hear(s, &s->inbox.items[i]);
}

uint64_t sm_memory_advance(struct sm_memory *s, uint64_t now)
{
    if (s->inbox.count)
        hear_all(s);
    s->inbox.count = 0;
    s->replied = false;
    if (!s->stepped)
        return MEMORY_NEVER;
    now += s->origin;
    if (s->stepped_to <= now) {
        step(s, now);
        s->stepped_to = now + 1;
    }
    uint64_t next = next_step(s, now);
    return next == MEMORY_NEVER ? next : next - s->origin;
}

/* ---- opening ----------------------------------------------------------------------------------------------------- */

bool sm_memory_open(struct sm_memory *s, const struct memory_layout *l, bool short_cuts)
{
    bool immediate = short_cuts && l->immediate;
    *s = (struct sm_memory){.layout = l,
                            .immediate = immediate,
                            .stepped = !immediate && (!short_cuts || !l->sm_unbounded),
                            .accesses = {.size = sizeof(struct lsu_access)},
                            .requests = {.size = sizeof(struct lsu_request)}};
    for (uint32_t i = 0; i < l->l1_count; i++)
        if (!level_open(&s->l1[i].level, ANSWER_L1, &l->l1, l->l1.part))
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
