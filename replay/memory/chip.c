/* The chip's side of the memory system. If no queue is bounded, a slice looks a request up when it arrives, with the
 * cycle in which it will start; else the request waits in the slice's queue and is looked up when it starts. */
#include "replay/memory/chip.h"

static uint64_t later(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* ---- events ------------------------------------------------------------------------------------------------------ */

/* The order of the events of one kind in a cycle: channels and slices by number; requests by (SM, sequence), what has
 * become of their sectors (a part) by the first of these, with the fetches around them (fill_around) behind each, and a
 * write-back before the request that caused it. */
#define KEYS_OF_PART 16
#define KEYS_OF_REQUEST (REQUEST_SECTORS * KEYS_OF_PART)
static uint64_t request_key(uint32_t sm, uint64_t sequence)
{
    return (uint64_t)(sm + 1) << 42 | sequence * KEYS_OF_REQUEST | 1;
}

static void order_as_part(struct chip_request *r)
{
    const uint64_t of_request = r->event.key / KEYS_OF_REQUEST * KEYS_OF_REQUEST | 1;
    r->event.key = of_request + (unsigned)__builtin_ctz(r->of.sectors) * KEYS_OF_PART;
}

static void add_event(struct memory_system *m, struct event *e, enum chip_event what, uint64_t cycle)
{
    e->what = (uint8_t)what;
    e->kind = what == CHIP_LEAVE ? e->kind : (uint8_t)what;
    if (!calendar_add(&m->calendar, e, cycle))
        m->failed = true;
}

static void add_own_event(struct memory_system *m, struct event *e, bool *is_added, enum chip_event what,
                          uint32_t index, uint64_t cycle)
{
    if (*is_added)
        return;
    *is_added = true;
    e->key = index;
    add_event(m, e, what, cycle);
}

static void put(struct request_queue *q, struct chip_request *r)
{
    r->next = NULL;
    *(q->first ? &q->last->next : &q->first) = r;
    q->last = r;
}

static void put_first(struct request_queue *q, struct chip_request *r)
{
    r->next = q->first;
    q->last = q->first ? q->last : r;
    q->first = r;
}

static struct chip_request *take(struct request_queue *q)
{
    struct chip_request *r = q->first;
    q->first = r->next;
    return r;
}

static struct chip_request *new_request(struct memory_system *m)
{
    struct chip_request *r = pool_take(&m->requests);
    if (!r)
        m->failed = true;
    return r;
}

static unsigned sectors_in(uint32_t mask) { return (unsigned)__builtin_popcount(mask); }

static uint64_t sector_address(const struct memory_system *m, const struct chip_request *r, unsigned sector)
{
    return r->of.address + ((uint64_t)sector << m->layout.sector_shift);
}

/* These sectors of the request become one of their own. NULL: out of memory. */
static struct chip_request *split(struct memory_system *m, struct chip_request *r, uint32_t sectors)
{
    struct chip_request *part = new_request(m);
    if (!part)
        return NULL;
    const struct pool_item item = part->item;
    *part = *r;
    part->item = item;
    part->waiters = NULL;
    part->fetched = 0;
    part->of.sectors = (uint8_t)sectors;
    r->of.sectors &= (uint8_t)~sectors;
    return part;
}

/* ---- replies ----------------------------------------------------------------------------------------------------- */

static void start_waiting(struct memory_system *, struct slice *, uint64_t now);
static void touch_in_slice(struct memory_system *, struct slice *, const struct memory_touches *);

/* A packet of so many bytes comes to a link of a GPC, which moves `width` bytes in a cycle and is free from *free on.
 * Returns the cycle in which its last byte has passed. */
static uint64_t over_gpc(const struct memory_system *m, uint64_t *free, uint64_t width, uint64_t bytes, uint64_t now)
{
    const struct clock_domain *links = &m->layout.links;
    if (!width)
        return now;
    *free = later(clock_from_core(links, now) * width, *free) + bytes;
    return clock_after_core(links, (*free - 1) / width);
}

/* Sends a reply: it occupies the link of the slice from this cycle, then that of its GPC and that of its SM once they
 * are free, in the order of these starts. */
static void send(struct memory_system *m, struct slice *s, struct chip_request *r, uint64_t now)
{
    const struct clock_domain *links = &m->layout.links;
    const unsigned n = sectors_in(r->of.sectors);
    uint64_t flits = m->layout.reply[r->original_kind][n], *link = &m->ports[r->sm].link_free;
    s->out_free = later(clock_from_core(links, now), s->out_free) + flits;
    uint64_t last = clock_after_core(links, s->out_free - 1) + m->layout.port_latency;
    last = over_gpc(m, &m->gpcs[m->ports[r->sm].gpc].in_free, m->layout.interconnect.gpc_in,
                    m->layout.reply_bytes[r->original_kind][n], last);
    uint64_t there = later(clock_from_core(links, last), *link + flits - 1);
    *link = there + 1;
    chip_reply(m, r->sm, r->name, r->of.sectors, response_of(clock_after_core(links, there), r->level));
    pool_give(&m->requests, r);
}

/* The cycle from which the slice may send. */
static uint64_t sends_from(const struct memory_system *m, const struct slice *s)
{
    return clock_in_core(&m->layout.links, s->out_free);
}

static void send_next(struct memory_system *m, struct slice *s, uint64_t now)
{
    s->replying--;
    send(m, s, take(&s->replies), now);
    if (s->replies.first)
        add_own_event(m, &s->send, &s->sends, CHIP_SEND, s->index, later(sends_from(m, s), now));
    start_waiting(m, s, now);
}

static void send_when_free(struct memory_system *m, struct slice *s, struct chip_request *r, uint64_t now)
{
    if (!s->replies.first && sends_from(m, s) <= now) {
        send(m, s, r, now);
        return;
    }
    put(&s->replies, r);
    s->replying++;
    add_own_event(m, &s->send, &s->sends, CHIP_SEND, s->index, sends_from(m, s));
}

/* Responds to the request, whose sectors are all there. */
static void reply(struct memory_system *m, struct chip_request *r, uint64_t response)
{
    if (r->name != NO_ID && m->layout.interconnect.flit) {
        order_as_part(r);
        r->level = response_level(response);
        add_event(m, &r->event, CHIP_REPLY, response_cycle(response));
        return;
    }
    if (r->name != NO_ID)
        chip_reply(m, r->sm, r->name, r->of.sectors, response_after(response, m->layout.port_latency));
    pool_give(&m->requests, r);
}

/* Device memory completes the request at `cycle`: responds to it and to the requests that wait for its fetch. */
static void complete(struct memory_system *m, struct chip_request *r, uint64_t cycle)
{
    struct slice *s = &m->slices[r->slice];
    const uint64_t here = response_of(cycle, RESPONSE_DRAM);
    for (struct chip_request *w = r->waiters, *next; w; w = next) {
        next = w->next;
        reply(m, w, later(w->cycle, here));
    }
    r->waiters = NULL;
    if (!r->fetched) {
        reply(m, r, here);
        return;
    }
    for (uint32_t left = r->fetched; left; left &= left - 1)
        level_filled(&s->level, r->place[__builtin_ctz(left)], r->item.id, here);
    if (!m->layout.l2.tracks) {
        reply(m, r, here);
        return;
    }
    struct chip_request *own = new_request(m);
    if (!own)
        return;
    own->name = r->name;
    own->sm = r->sm;
    own->slice = r->slice;
    own->original_kind = r->original_kind;
    own->of.sectors = r->of.sectors;
    own->event.key = r->event.key;
    reply(m, own, here);
    add_event(m, &r->event, CHIP_RELEASE, cycle + 1);
}

/* ---- device memory ----------------------------------------------------------------------------------------------- */

static struct channel *channel_of(struct memory_system *m, uint64_t address, uint32_t *index)
{
    *index = memory_part_of(&m->layout.channels, address);
    return &m->channels[*index];
}

/* Schedules a call of the channel's model in this cycle, unless an earlier call is scheduled. */
static void advance_at(struct memory_system *m, struct channel *c, uint32_t index, uint64_t cycle)
{
    struct chip_request *r;
    if (cycle >= c->advance_at || !(r = new_request(m)))
        return;
    c->advance_at = cycle;
    r->event.key = index;
    add_event(m, &r->event, CHIP_ADVANCE_CHANNEL, cycle);
}

static void await_room(struct memory_system *m, struct channel *c, uint32_t index, struct slice *s, uint64_t cycle)
{
    s->next_refused = NULL;
    *(c->refused_first ? &c->refused_last->next_refused : &c->refused_first) = s;
    c->refused_last = s;
    if (cycle != DRAM_UNKNOWN)
        add_own_event(m, &c->room, &c->makes_room, CHIP_ROOM_IN_CHANNEL, index, cycle);
}

/* Offers a request to its channel. False: the channel refuses; *again: the cycle in which there may be room. */
static bool offer(struct memory_system *m, struct chip_request *r, uint64_t now, uint64_t *again)
{
    uint32_t index;
    struct channel *c = channel_of(m, r->of.address, &index);
    struct dram_request request = {memory_local(&m->layout.channels, r->of.address), r->count, r->item.id,
                                   r->kind != CACHE_READ};
    uint64_t cycle;
    enum dram_status a = m->layout.dram->offer(c->state, &request, now, &cycle);
    *again = cycle;
    if (a == DRAM_FULL)
        return false;
    c->counts.accesses += r->count;
    c->counts.writes += request.write ? r->count : 0;
    if (a == DRAM_DONE)
        complete(m, r, cycle);
    else
        advance_at(m, c, index, later(cycle, now + 1));
    return true;
}

/* Offers the slice's requests to channels until one refuses. Slices that were refused before come first. */
static void send_out(struct memory_system *m, struct slice *s, uint64_t now)
{
    while (s->out.first) {
        uint32_t index;
        uint64_t again = DRAM_UNKNOWN;
        struct chip_request *r = s->out.first, *next = r->next;
        struct channel *c = channel_of(m, r->of.address, &index);
        if (c->refused_first || !offer(m, r, now, &again)) {
            await_room(m, c, index, s, again);
            return;
        }
        s->out.first = next;
    }
}

static void leave(struct memory_system *m, struct chip_request *r, uint64_t now)
{
    struct slice *s = &m->slices[r->slice];
    bool first = !s->out.first;
    put(&s->out, r);
    if (first)
        send_out(m, s, now);
}

/* Slices that the channel refused offer again, one request each, in the order in which they were refused. */
static void room_in_channel(struct memory_system *m, struct channel *c, uint32_t index, uint64_t now)
{
    while (c->refused_first) {
        struct slice *s = c->refused_first;
        struct chip_request *r = s->out.first, *next = r->next;
        uint64_t again;
        if (!offer(m, r, now, &again)) {
            if (again != DRAM_UNKNOWN)
                add_own_event(m, &c->room, &c->makes_room, CHIP_ROOM_IN_CHANNEL, index, again);
            return;
        }
        s->out.first = next;
        c->refused_first = s->next_refused;
        send_out(m, s, now);
        if (!s->out.first)
            start_waiting(m, s, now);
    }
}

static void advance_channel(struct memory_system *m, struct channel *c, uint32_t index, uint64_t now)
{
    struct dram_done done[DRAM_MOST_DONE];
    uint32_t count = 0;
    bool room = false;
    c->advance_at = UINT64_MAX;
    uint64_t next = m->layout.dram->advance(c->state, now, done, &count, &room);
    for (uint32_t i = 0; i < count; i++)
        complete(m, pool_at(&m->requests, done[i].name), done[i].cycle);
    if (next != DRAM_UNKNOWN)
        advance_at(m, c, index, next);
    if (room)
        room_in_channel(m, c, index, now);
}

/* ---- slices ------------------------------------------------------------------------------------------------------ */

/* The request leaves its slice at `cycle`. In the present cycle the event is ordered by its key; requests that are
 * looked up on arrival are in that order already. */
static void leave_at(struct memory_system *m, struct chip_request *r, uint64_t cycle, uint64_t now)
{
    if (cycle == now && m->on_arrival)
        leave(m, r, now);
    else
        add_event(m, &r->event, CHIP_LEAVE, cycle);
}

/* The dirty sectors of a replaced line leave as one request, before the request that replaces it. */
static void write_back(struct memory_system *m, struct slice *s, const struct chip_request *cause, uint64_t victim,
                       uint32_t sectors, uint64_t cycle, uint64_t now)
{
    struct chip_request *w = new_request(m);
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
        struct chip_request *r = new_request(m);
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
    w = r->of.sectors == 1u << sector ? r : split(m, r, 1u << sector);
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
    order_as_part(r);
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
    order_as_part(r);
    while (left && look_up_sector(m, s, r, (unsigned)__builtin_ctz(left), start, now, &found))
        left &= left - 1;
    *refused = left && left != sectors ? split(m, r, left) : r;
    if (left == sectors)
        return left;
    struct chip_request *here = found.here && found.leaving ? split(m, r, found.here) : r;
    if (found.here && here)
        reply(m, here, found.response);
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

static void start_waiting(struct memory_system *m, struct slice *s, uint64_t now)
{
    for (struct chip_request *r, *next, *refused; (r = s->queue.first) && !is_blocked(m, s);) {
        if (r->touches) {
            touch_in_slice(m, s, r->touches);
            r->touches = NULL;
            pool_give(&m->requests, take(&s->queue));
            continue;
        }
        const uint64_t first = sector_address(m, r, (unsigned)__builtin_ctz(r->of.sectors));
        uint64_t start = later(r->cycle, level_free_from(&s->level, memory_local(&m->layout.slices, first)));
        if (start > now) {
            add_own_event(m, &s->start, &s->starts, CHIP_START, s->index, start);
            return;
        }
        next = r->next;
        const uint32_t sectors = r->of.sectors, left = look_up(m, s, r, now, now, &refused);
        if (left == sectors)
            return;
        s->queue.first = next;
        if (left && refused)
            put_first(&s->queue, refused);
        const unsigned count = sectors_in(sectors & ~left);
        s->waiting -= count;
        s->started = s->started_at == now ? s->started + count : count;
        s->started_at = now;
        if (s->refused_first != NO_ID)
            add_own_event(m, &s->room, &s->makes_room, CHIP_ROOM_IN_SLICE, s->index, now + 1);
    }
}

static bool is_full(const struct memory_system *m, const struct slice *s, uint64_t now)
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

static void accept(struct memory_system *m, struct slice *s, struct chip_request *r, uint64_t now)
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
    put(&s->queue, r);
    s->waiting += count;
    start_waiting(m, s, now);
}

/* ---- the far end of ports ---------------------------------------------------------------------------------------- */

static struct slice *slice_of(struct memory_system *m, const struct chip_request *r)
{
    return &m->slices[memory_part_of(&m->layout.slices, r->of.address)];
}

static void refuse(struct memory_system *m, struct slice *s, uint32_t sm, uint64_t now)
{
    m->ports[sm].next_refused = NO_ID;
    *(s->refused_first != NO_ID ? &m->ports[s->refused_last].next_refused : &s->refused_first) = sm;
    s->refused_last = sm;
    if (s->started_at == now && s->started)
        add_own_event(m, &s->room, &s->makes_room, CHIP_ROOM_IN_SLICE, s->index, now + 1);
}

/* Offers the requests that wait at the end of this port to slices until one refuses. SMs that were refused before come
 * first. */
static void bring_in(struct memory_system *m, uint32_t sm, uint64_t now)
{
    struct request_queue *waiting = &m->ports[sm].waiting;
    while (waiting->first) {
        struct slice *s = slice_of(m, waiting->first);
        if (s->refused_first != NO_ID || is_full(m, s, now)) {
            refuse(m, s, sm, now);
            return;
        }
        accept(m, s, take(waiting), now);
    }
}

static void arrive(struct memory_system *m, struct chip_request *r, uint64_t now)
{
    if (!r->crossed) {
        uint64_t there = over_gpc(m, &m->gpcs[m->ports[r->sm].gpc].out_free, m->layout.interconnect.gpc_out,
                                  m->layout.request_bytes[r->kind][sectors_in(r->of.sectors)], now);
        r->crossed = true;
        if (there > now) {
            add_event(m, &r->event, CHIP_ARRIVE, there);
            return;
        }
    }
    if (!r->translated) {
        uint64_t there = translation_of(&m->translation, &m->layout, r->sm, r->of.address, now);
        r->translated = true;
        if (there > now) {
            add_event(m, &r->event, CHIP_ARRIVE, there);
            return;
        }
    }
    struct request_queue *waiting = &m->ports[r->sm].waiting;
    bool first = !waiting->first;
    put(waiting, r);
    if (first)
        bring_in(m, r->sm, now);
}

/* SMs that the slice refused offer again, one request each, in the order in which they were refused. */
static void room_in_slice(struct memory_system *m, struct slice *s, uint64_t now)
{
    while (s->refused_first != NO_ID && !is_full(m, s, now)) {
        uint32_t sm = s->refused_first;
        s->refused_first = m->ports[sm].next_refused;
        accept(m, s, take(&m->ports[sm].waiting), now);
        bring_in(m, sm, now);
    }
    if (s->refused_first != NO_ID && s->started_at == now && s->started)
        add_own_event(m, &s->room, &s->makes_room, CHIP_ROOM_IN_SLICE, s->index, now + 1);
}

static bool collect(struct memory_system *m, uint32_t sm)
{
    struct outbox *box = &m->ports[sm].box;
    for (size_t i = 0; i < box->count; i++) {
        const struct outgoing *o = &box->items[i];
        struct chip_request *r = new_request(m);
        if (!r)
            break;
        r->waiters = NULL;
        r->touches = NULL;
        r->of = o->of;
        r->name = o->name;
        r->sm = (uint16_t)sm;
        r->kind = r->original_kind = o->kind;
        r->repeats = o->repeats;
        r->hint = o->hint;
        r->fetched = 0;
        r->crossed = !m->layout.interconnect.gpc_out;
        r->translated = !m->layout.translates;
        r->event.key = request_key(sm, o->sequence);
        add_event(m, &r->event, CHIP_ARRIVE, o->arrival);
    }
    box->count = 0;
    return !m->failed;
}

/* ---- the loop ---------------------------------------------------------------------------------------------------- */

static struct chip_request *request_of(struct event *e)
{
    return (struct chip_request *)((char *)e - offsetof(struct chip_request, event));
}

static void release(struct memory_system *m, struct chip_request *r, uint64_t now)
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
        add_own_event(m, &s->start, &s->starts, CHIP_START, s->index, now);
}

static void handle(struct memory_system *m, struct event *e)
{
    uint64_t now = e->cycle;
    uint32_t index = (uint32_t)e->key; /* of a channel or slice */
    switch ((enum chip_event)e->what) {
    case CHIP_ADVANCE_CHANNEL:
        pool_give(&m->requests, request_of(e));
        if (m->channels[index].advance_at == now)
            advance_channel(m, &m->channels[index], index, now);
        break;
    case CHIP_ROOM_IN_CHANNEL:
        m->channels[index].makes_room = false;
        room_in_channel(m, &m->channels[index], index, now);
        break;
    case CHIP_ROOM_IN_SLICE:
        m->slices[index].makes_room = false;
        room_in_slice(m, &m->slices[index], now);
        break;
    case CHIP_START:
        m->slices[index].starts = false;
        start_waiting(m, &m->slices[index], now);
        break;
    case CHIP_SEND:
        m->slices[index].sends = false;
        send_next(m, &m->slices[index], now);
        break;
    case CHIP_REPLY: send_when_free(m, &m->slices[request_of(e)->slice], request_of(e), now); break;
    case CHIP_RELEASE: release(m, request_of(e), now); break;
    case CHIP_ARRIVE: arrive(m, request_of(e), now); break;
    case CHIP_LEAVE: leave(m, request_of(e), now); break;
    }
}

static void serve(struct memory_system *m, uint64_t now)
{
    for (uint32_t sm = 0; sm < m->layout.sms; sm++)
        if (m->ports[sm].box.count && !collect(m, sm))
            return;
    for (struct event *e; (e = calendar_take(&m->calendar, now));)
        handle(m, e);
    m->next = calendar_next(&m->calendar);
}

/* Converts a cycle of the memory system's clock to one of the launch. */
static uint64_t next_of(const struct memory_system *m, uint64_t next)
{
    return next == MEMORY_NEVER || m->failed ? MEMORY_NEVER : next - m->clock;
}

/* ---- touches ----------------------------------------------------------------------------------------------------- */

static void touch(struct memory_system *m, struct slice *s, const struct memory_touch *t)
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

void memory_system_touch(struct memory_system *m, const struct memory_touches *all)
{
    for (size_t i = 0; i < all->count; i++)
        touch(m, &m->slices[memory_part_of(&m->layout.slices, all->list[i].address)], &all->list[i]);
}

static void touch_in_slice(struct memory_system *m, struct slice *s, const struct memory_touches *all)
{
    for (size_t i = 0; i < all->count; i++)
        if (memory_part_of(&m->layout.slices, all->list[i].address) == s->index)
            touch(m, s, &all->list[i]);
}

void memory_system_touch_at(struct memory_system *m, const struct memory_touches *all, uint64_t cycle)
{
    m->touches[m->asked++] = (struct timed_touches){all, cycle + m->clock};
}

/* Requests that have arrived may wait in the queues of slices; then the touches wait behind them. */
static void begin_touches(struct memory_system *m, const struct memory_touches *all, uint64_t now)
{
    if (m->on_arrival) {
        memory_system_touch(m, all);
        return;
    }
    for (uint32_t i = 0; i < m->layout.slices.count; i++) {
        struct chip_request *r = new_request(m);
        if (!r)
            return;
        r->touches = all;
        put(&m->slices[i].queue, r);
        start_waiting(m, &m->slices[i], now);
    }
}

/* The cycle of the next touches; MEMORY_NEVER: none. */
static uint64_t next_touches(const struct memory_system *m)
{
    return m->touched < m->taken ? m->touches[m->touched].cycle : MEMORY_NEVER;
}

/* ---- from outside ------------------------------------------------------------------------------------------------ */

uint64_t memory_system_take(struct memory_system *m)
{
    uint64_t next = m->next;
    m->taken = m->asked;
    next = next_touches(m) < next ? next_touches(m) : next;
    for (uint32_t sm = 0; sm < m->layout.sms; sm++) {
        struct outbox *box = &m->ports[sm].box;
        if (m->sms[sm].outbox.count)
            sm_memory_send(&m->sms[sm], box);
        if (box->first < box->count && box->items[box->first].arrival < next)
            next = box->items[box->first].arrival;
    }
    return next_of(m, next);
}

static void serve_until(struct memory_system *m, uint64_t now)
{
    if (m->analytic)
        m->next = chip_analytic_serve(m, now);
    else
        serve(m, now);
}

uint64_t memory_system_serve(struct memory_system *m, uint64_t now)
{
    now = now < MEMORY_NEVER - m->clock ? now + m->clock : MEMORY_NEVER;
    while (next_touches(m) <= now && next_touches(m) != MEMORY_NEVER) {
        uint64_t cycle = next_touches(m);
        serve_until(m, cycle - 1);
        begin_touches(m, m->touches[m->touched++].touches, cycle);
    }
    serve_until(m, now);
    return next_of(m, next_touches(m) < m->next ? next_touches(m) : m->next);
}

void memory_system_deliver(struct memory_system *m)
{
    for (uint32_t sm = 0; sm < m->layout.sms; sm++)
        if (m->ports[sm].replies.count)
            sm_memory_receive(&m->sms[sm], &m->ports[sm].replies);
}

uint64_t memory_system_advance(struct memory_system *m, uint64_t now)
{
    memory_system_take(m);
    uint64_t next = memory_system_serve(m, now);
    memory_system_deliver(m);
    return next;
}
