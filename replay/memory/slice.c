/* A slice of L2. If no queue is bounded, it looks a request up when the request arrives, with the cycle in which it
 * will start; else the request waits in the slice's queue and is looked up when it starts. */
#include "replay/memory/chip_parts.h"

/* The request leaves its slice at `cycle`. In the present cycle the event is ordered by its key; requests that are
 * looked up on arrival are in that order already. */
static void leave_at(struct memory_system *m, struct chip_request *r, uint64_t cycle, uint64_t now)
{
    if (cycle == now && m->on_arrival)
        chip_leave(m, r, now);
    else
        chip_add_event(m, &r->event, CHIP_LEAVE, cycle);
}

/* The dirty sectors of a replaced line leave as one request, before the request that replaces it. */
static void write_back(struct memory_system *m, struct slice *s, const struct chip_request *cause, uint64_t victim,
                       uint32_t sectors, uint64_t cycle, uint64_t now)
{
    struct chip_request *w = chip_new_request(m);
    if (!w)
        return;
    w->waiters = NULL;
    w->of.address = memory_global(&m->layout.slices, s->index, victim);
    w->name = NO_ID;
    w->count = sectors_in(sectors);
    w->sm = cause->sm;
    w->slice = cause->slice;
    w->kind = CACHE_WRITE;
    w->fetched = 0;
    w->event.key = cause->event.key - 1;
    w->event.kind = cause->event.kind;
    leave_at(m, w, cycle, now);
}

/* The request of a sector misses: the absent ones of the same l2.fill bytes are fetched behind it, as far as there are
 * MSHR entries. These fetches answer nobody, and take no cycle of the slice's port. `asked`: sectors of the request
 * that have been looked up. */
static void fill_around(struct memory_system *m, struct slice *s, const struct chip_request *cause, uint64_t address,
                        uint32_t asked, uint64_t cycle, uint64_t now)
{
    const uint64_t sector = m->layout.l2.shape.sector, fill = m->layout.fill;
    for (uint64_t i = 1; i < fill / sector; i++) {
        const uint64_t other = address ^ i * sector, number = (other - cause->of.address) >> m->layout.sector_shift;
        if (number < m->layout.request_sectors && asked >> number & 1 &&
            sector_address(m, cause, (unsigned)number) == other)
            continue;
        struct chip_request *r = chip_new_request(m);
        if (!r)
            return;
        r->waiters = NULL;
        r->of = (struct request_sectors){.address = other, .sectors = 1};
        r->name = NO_ID;
        r->count = 1;
        r->sm = cause->sm;
        r->slice = cause->slice;
        r->kind = r->original_kind = CACHE_READ;
        r->event.key = cause->event.key + 2 * i;
        r->event.kind = cause->event.kind;
        struct cache_look_up request = {.address = memory_local(&m->layout.slices, other),
                                        .cycle = cycle,
                                        .kind = r->kind,
                                        .fetch = r->item.id,
                                        .may_not_fetch = s->outstanding >= m->layout.l2.mshrs,
                                        .around = true,
                                        .hint = CACHE_HINT_OF_L2(cause->hint),
                                        .bytes = CACHE_ALL_BYTES};
        struct cache_finding found = level_find(&s->level, request);
        r->fetched = found.fetches;
        r->place[0] = found.place;
        if (!found.fetches) {
            pool_give(&m->requests, r);
            continue;
        }
        s->outstanding += m->layout.l2.tracks;
        leave_at(m, r, cycle, now);
    }
}

/* What the look-ups of a request's sectors have found so far, with a bit for each sector. */
struct looked_up {
    uint32_t here, leaving;      /* sectors that L2 has, and that device memory must get or give */
    uint64_t first;              /* the look-up of the first of `here` ends */
    uint64_t response;           /* the reply to those of `here` may begin */
    uint64_t leaves;             /* the look-up of the first of `leaving` ends */
    bool reads;                  /* those of `leaving` are read, whatever the request is */
    struct chip_request *waiter; /* the last one, for sectors in flight, */
    uint32_t from;               /* and the fetch that it waits for */
};

/* A sector is in flight. It becomes a request of its own, unless there is no other. */
static void wait_for(struct memory_system *m, struct chip_request *r, unsigned sector, uint32_t fetch,
                     uint64_t response, struct looked_up *so_far)
{
    struct chip_request *w = so_far->waiter;
    if (w && so_far->from == fetch) {
        w->cycle = later(w->cycle, response);
        w->of.sectors |= (uint8_t)(1u << sector);
        r->of.sectors &= (uint8_t) ~(1u << sector);
        return;
    }
    w = r->of.sectors == 1u << sector ? r : chip_split(m, r, 1u << sector);
    if (!w)
        return;
    struct chip_request *from = pool_at(&m->requests, fetch);
    w->cycle = response;
    w->next = from->waiters;
    from->waiters = w;
    so_far->waiter = w;
    so_far->from = fetch;
}

/* The sectors of a reply follow one another on the link, as they did at the port. So it may begin as soon as the first
 * is there, unless a later one comes from a fetch. */
static uint64_t begin_of_reply(const struct memory_system *m, const struct looked_up *so_far, uint64_t response,
                               uint64_t end)
{
    const bool follows = m->layout.interconnect.flit && response_cycle(response) == end;
    return follows ? response_of(so_far->first, response_level(response)) : response;
}

/* Looks up a sector of the request, from `start` on. False: the cache refuses. */
static bool look_up_sector(struct memory_system *m, struct slice *s, struct chip_request *r, unsigned sector,
                           uint64_t start, uint64_t now, struct looked_up *so_far)
{
    const uint64_t address = sector_address(m, r, sector);
    struct cache_look_up request = {.address = memory_local(&m->layout.slices, address),
                                    .kind = r->kind,
                                    .fetch = r->item.id,
                                    .may_not_fetch = s->outstanding >= m->layout.l2.mshrs,
                                    .hint = CACHE_HINT_OF_L2(r->hint),
                                    .bytes = r->of.bytes[sector]};
    if (!m->on_arrival) /* else the request is for one sector, and starts in `start` */
        start = later(start, level_free_from(&s->level, request.address));
    struct cache_finding found = level_look_up(&s->level, &request, r->repeats, start);
    if (found.refused)
        return false;
    if (s->level.listener)
        level_report(&s->level, r->sm, address, r->kind, found.served, request.cycle);
    if (found.written)
        write_back(m, s, r, found.victim, found.written, request.cycle, now);
    so_far->reads |= found.reads;
    if (!found.served) {
        so_far->leaves = so_far->leaving ? so_far->leaves : request.cycle;
        so_far->leaving |= 1u << sector;
        r->fetched |= (uint8_t)(found.fetches << sector);
        r->place[sector] = found.place;
        s->outstanding += found.fetches && m->layout.l2.tracks;
    } else if (found.from == CACHE_NO_FETCH) {
        so_far->first = so_far->here ? so_far->first : request.cycle;
        so_far->here |= 1u << sector;
        so_far->response = later(so_far->response, begin_of_reply(m, so_far, found.cycle, request.cycle));
    } else {
        wait_for(m, r, sector, found.from, found.cycle, so_far);
    }
    return true;
}

/* The sectors that the look-ups did not find go to device memory. */
static void miss(struct memory_system *m, struct slice *s, struct chip_request *r, const struct looked_up *found,
                 uint32_t asked, uint64_t now)
{
    const bool fills = r->fetched && m->layout.fill > m->layout.l2.shape.sector;
    r->kind = found->reads ? CACHE_READ : r->kind;
    r->count = sectors_in(found->leaving);
    chip_order_as_part(r);
    const struct chip_request cause = *r; /* it may leave, and be done, at once */
    leave_at(m, r, found->leaves, now);
    for (uint32_t left = fills ? cause.fetched : 0; left; left &= left - 1) {
        const uint64_t address = sector_address(m, &cause, (unsigned)__builtin_ctz(left));
        fill_around(m, s, &cause, address, asked, found->leaves, now);
    }
}

/* Looks a request up. Returns the sectors that the cache refuses, a bit each; they stay a request, *refused. All:
 * nothing has changed. */
static uint32_t look_up(struct memory_system *m, struct slice *s, struct chip_request *r, uint64_t start, uint64_t now,
                        struct chip_request **refused)
{
    struct looked_up found = {0};
    const uint32_t sectors = r->of.sectors;
    uint32_t left = sectors;
    r->fetched = 0;
    chip_order_as_part(r);
    while (left && look_up_sector(m, s, r, (unsigned)__builtin_ctz(left), start, now, &found))
        left &= left - 1;
    *refused = left && left != sectors ? chip_split(m, r, left) : r;
    if (left == sectors)
        return left;
    struct chip_request *here = found.here && found.leaving ? chip_split(m, r, found.here) : r;
    if (found.here && here)
        chip_respond(m, here, found.response);
    if (found.leaving)
        miss(m, s, r, &found, sectors & ~left, now);
    else if (!found.here && !r->of.sectors)
        pool_give(&m->requests, r); /* all of its sectors wait */
    return left;
}

/* Whether no request of the slice may start: a channel refuses its requests, or too many replies wait. */
static bool is_blocked(const struct memory_system *m, const struct slice *s)
{
    int64_t most = m->layout.interconnect.replies;
    return s->out.first || (most >= 0 && s->replying >= (uint64_t)most);
}

void slice_touch(struct memory_system *m, struct slice *s, const struct memory_touch *t)
{
    const struct cache_model *model = m->layout.l2.model;
    const struct cache_look_up request = {.address = memory_local(&m->layout.slices, t->address),
                                          .kind = t->kind,
                                          .hint = CACHE_HINT_OF_L2(t->hint),
                                          .bytes = CACHE_ALL_BYTES};
    struct cache_finding found = level_find(&s->level, request);
    if (!found.fetches)
        return;
    level_filled(&s->level, found.place, request.fetch, 0);
    if (model->released)
        model->released(s->level.state, found.place, &found);
}

static void touch_in_slice(struct memory_system *m, struct slice *s, const struct memory_touches *all)
{
    for (size_t i = 0; i < all->count; i++)
        if (memory_part_of(&m->layout.slices, all->list[i].address) == s->index)
            slice_touch(m, s, &all->list[i]);
}

void slice_start_waiting(struct memory_system *m, struct slice *s, uint64_t now)
{
    for (struct chip_request *r, *next, *refused; (r = s->queue.first) && !is_blocked(m, s);) {
        if (r->touches) {
            touch_in_slice(m, s, r->touches);
            r->touches = NULL;
            pool_give(&m->requests, queue_take(&s->queue));
            continue;
        }
        const uint64_t first = sector_address(m, r, (unsigned)__builtin_ctz(r->of.sectors));
        uint64_t start = later(r->cycle, level_free_from(&s->level, memory_local(&m->layout.slices, first)));
        if (start > now) {
            chip_add_own_event(m, &s->start, &s->starts, CHIP_START, s->index, start);
            return;
        }
        next = r->next;
        const uint32_t sectors = r->of.sectors, left = look_up(m, s, r, now, now, &refused);
        if (left == sectors)
            return;
        s->queue.first = next;
        if (left && refused)
            queue_put_first(&s->queue, refused);
        const unsigned count = sectors_in(sectors & ~left);
        s->waiting -= count;
        s->started = s->started_at == now ? s->started + count : count;
        s->started_at = now;
        if (s->refused_first != NO_ID)
            chip_add_own_event(m, &s->room, &s->makes_room, CHIP_ROOM_IN_SLICE, s->index, now + 1);
    }
}

bool slice_is_full(const struct memory_system *m, const struct slice *s, uint64_t now)
{
    return m->layout.l2.queue != MEMORY_ANY &&
           s->waiting + (s->started_at == now ? s->started : 0) >= m->layout.l2.queue;
}

/* The first flit of a packet reaches the slice now. Returns the cycle in which the last one has arrived. */
static uint64_t over_link(const struct memory_system *m, struct slice *s, uint64_t flits, uint64_t now)
{
    const struct clock_domain *links = &m->layout.links;
    if (!flits)
        return now;
    uint64_t last = later(clock_from_core(links, now), s->in_free + flits - 1);
    s->in_free = last + 1;
    return clock_after_core(links, last);
}

void slice_accept(struct memory_system *m, struct slice *s, struct chip_request *r, uint64_t now)
{
    if (m->layout.port_queue != MEMORY_ANY)
        chip_reply(m, r->sm, NO_ID, r->of.sectors, later(now + 1, now + m->layout.port_latency));
    r->slice = (uint16_t)s->index;
    if (m->on_arrival) {
        struct chip_request *none;
        look_up(m, s, r, later(now, clock_in_core(&m->layout.l2.clock, s->level.free)), now, &none);
        return;
    }
    const unsigned count = sectors_in(r->of.sectors);
    r->cycle = over_link(m, s, m->layout.packet[r->kind][count], now);
    queue_put(&s->queue, r);
    s->waiting += count;
    slice_start_waiting(m, s, now);
}

void slice_release(struct memory_system *m, struct chip_request *r, uint64_t now)
{
    struct slice *s = &m->slices[r->slice];
    for (uint32_t left = r->fetched; left; left &= left - 1) {
        struct cache_finding found = {.written = 0};
        s->outstanding--;
        if (m->layout.l2.model->released)
            m->layout.l2.model->released(s->level.state, r->place[__builtin_ctz(left)], &found);
        if (found.written) {
            s->level.counts.written_back += sectors_in(found.written);
            write_back(m, s, r, found.victim, found.written, now, now);
        }
    }
    pool_give(&m->requests, r);
    if (s->queue.first)
        chip_add_own_event(m, &s->start, &s->starts, CHIP_START, s->index, now);
}
