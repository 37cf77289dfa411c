/* Accesses where no queue is bounded: the SM's side of an access follows from earlier accesses, and is computed at its
 * commit. sm_stepped.c defines the behaviour. */
#include "replay/memory/sm_requests.h"

/* The cycle in which the next request leaves, which is ready in cycle `ready`. */
HOT uint64_t next_leave(struct departures *d, uint64_t width, uint64_t ready)
{
    uint64_t cycle = later(ready, later(d->last_left, d->last_start));
    if (cycle == d->last_left && width && d->left >= width)
        cycle++;
    d->left = cycle == d->last_left ? d->left + 1 : 1;
    d->last_left = cycle;
    return cycle;
}

static __attribute__((noinline)) struct departures
write_back_analytic(struct sm_memory *s, struct departures d, uint64_t victim, uint32_t sectors, uint64_t cycle)
{
    uint64_t sector = s->layout->l1.shape.sector;
    for (uint32_t m = sectors; m; m &= m - 1) {
        struct outgoing o = {.of = one_sector(victim + (unsigned)__builtin_ctz(m) * sector, CACHE_ALL_BYTES),
                             .name = NO_ID,
                             .kind = CACHE_WRITE,
                             .repeats = 1};
        leave(s, &o, next_leave(&d, s->layout->port_width, cycle));
    }
    return d;
}

/* Whether the request leaves the SM; *ready: the cycle from which it may. If not, its end is known, or it waits for a
 * fetch in flight. */
HOT bool look_up_analytic(struct sm_memory *s, struct departures *d, struct lsu_request *r,
                          const struct memory_transaction *t, uint64_t *ready)
{
    struct lsu_access *a = r->access;
    struct level *level = &s->l1[a->l1].level;
    uint64_t start = later(a->arrival, level->free);
    struct cache_look_up request = {.address = t->address, .kind = t->kind, .fetch = r->item.id};
    struct cache_finding found = level_look_up(level, &request, t->repeats, start);
    if (level->listener)
        level_report(level, s->number, t->address, t->kind, found.served, request.cycle);
    *ready = request.cycle;
    d->last_start = later(d->last_start, start);
    if (found.written)
        *d = write_back_analytic(s, *d, found.victim, found.written, *ready);
    r->fetched = found.fetches;
    r->place[0] = found.place;
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

/* Adds transactions `from` to `end` - 1. */
static void add_some(struct sm_memory *s, struct lsu_access *a, const struct memory_transactions *all, uint32_t from,
                     uint32_t end, bool looks_in_l1)
{
    struct departures d = s->departures;
    uint64_t width = s->layout->port_width, latency = s->layout->port_latency, first = 0, leaving = 0;
    struct memory_transaction t = {
        .kind = all->kind, .bypass_l1 = all->bypass_l1, .hint = all->hint, .bytes = CACHE_ALL_BYTES};
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
        r->fetched = 0;
        r->awaited = 1;
        r->response = 0;
        if (looks_in_l1 && !look_up_analytic(s, &d, r, &t, &ready))
            continue;
        r->waiters = NULL;
        r->l1 = a->l1;
        uint64_t arrival = next_leave(&d, width, ready) + latency;
        first = leaving++ ? first : arrival;
        put_out(s, &(struct outgoing){.of = one_sector(t.address, t.bytes),
                                      .name = r->item.id,
                                      .arrival = arrival,
                                      .kind = t.kind,
                                      .repeats = t.repeats,
                                      .hint = t.hint});
    }
    a->pending += (uint32_t)leaving;
    s->away[a->group] += (uint32_t)leaving;
    note_leaving(s, leaving, leaving, first);
    s->departures = d;
}

/* The same for reads of a direct-mapped L1: adds transactions from `from` to the first that hits or replaces a dirty
 * line. Returns their number. Most transactions are added here; it is a function of its own so that the compiler keeps
 * its variables in registers. */
static __attribute__((noinline)) uint32_t add_reads(struct sm_memory *s, struct lsu_access *a,
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
        if (!sm_memory_grow_outbox(s, s->outbox.room))
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
        r->place[0] = place;
        r->l1 = number;
        r->fetched = r->awaited = 1;
        r->response = 0;
        d.last_start = later(d.last_start, at);
        uint64_t cycle = next_leave(&d, width, at + latency);
        at += interval;
        out[i] = (struct outgoing){.of = one_sector(address, CACHE_ALL_BYTES),
                                   .name = r->item.id,
                                   .arrival = cycle + way,
                                   .sequence = sequence + i,
                                   .kind = CACHE_READ,
                                   .repeats = 1,
                                   .hint = hint};
    }
    if (!i)
        return 0;
    s->outbox.count += i;
    s->sequence += i;
    s->departures = d;
    level->free = at;
    level->counts.misses += i;
    level->counts.fetches += i;
    for (uint32_t n = 0; level->listener && n < i; n++)
        level_report(level, s->number, out[n].of.address, CACHE_READ, false, start + n * interval + latency);
    a->pending += i;
    s->away[a->group] += i;
    note_leaving(s, i, i, out[0].arrival);
    return i;
}

void sm_memory_add_analytic(struct sm_memory *s, struct lsu_access *a, const struct memory_transactions *all,
                            bool looks_in_l1)
{
    bool reads = looks_in_l1 && all->kind == CACHE_READ && s->l1[a->l1].level.direct;
    for (uint32_t at = 0; at < all->count;) {
        uint32_t done = reads ? add_reads(s, a, all, at) : 0;
        if (!done) {
            done = reads ? 1 : all->count - at;
            add_some(s, a, all, at, at + done, looks_in_l1);
        }
        at += done;
    }
}
