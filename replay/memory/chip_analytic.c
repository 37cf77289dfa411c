/* The chip without events. If no queue is bounded, device memory responds immediately and L2 is one slice, then
 * requests are looked up in the order of arrival and leave L2 in that order. So they are computed to their ends one
 * after the other. */
#include <string.h>

#include "replay/memory/chip.h"

/* Functions that are called once per request. */
#define HOT static inline __attribute__((always_inline))

static uint64_t later(uint64_t a, uint64_t b) { return a > b ? a : b; }

bool chip_is_analytic(const struct memory_system *m)
{
    const struct cache_shape *l2 = &m->layout.l2.shape;
    bool in_order = l2->interval || !l2->atomic_interval; /* else two may leave L2 in one cycle in another order */
    return m->on_arrival && clock_is_core(&m->layout.l2.clock) && !m->layout.translates &&
           m->layout.slices.count == 1 && !m->layout.dram->advance && in_order &&
           m->layout.fill <= m->layout.l2.shape.sector;
}

/* ---- one request ------------------------------------------------------------------------------------------------- */

/* Returns the cycle in which device memory completes a request that reaches it in `cycle`. */
HOT uint64_t access_device_memory(struct memory_system *m, uint64_t address, uint32_t sectors, bool write,
                                  uint64_t cycle)
{
    struct channel *c = &m->channels[memory_part_of(&m->layout.channels, address)];
    uint64_t done;
    if (c->fixed) {
        done = fixed_start(c->fixed, sectors, cycle) + c->fixed->latency;
    } else {
        struct dram_request request = {memory_local(&m->layout.channels, address), sectors, 0, write};
        m->layout.dram->offer(c->state, &request, cycle, &done);
    }
    c->counts.accesses += sectors;
    c->counts.writes += write ? sectors : 0;
    return done;
}

/* Returns the response to the request, at L2. */
static uint64_t look_up(struct memory_system *m, struct slice *s, uint32_t sm, const struct outgoing *o)
{
    struct cache_look_up request = {.address = o->of.address, .kind = o->kind};
    struct cache_finding found = level_look_up(&s->level, &request, o->repeats, later(o->arrival, s->level.free));
    uint64_t cycle = request.cycle;
    if (s->level.listener)
        level_report(&s->level, sm, o->of.address, o->kind, found.served, cycle);
    if (found.written)
        access_device_memory(m, found.victim, (uint32_t)__builtin_popcount(found.written), true, cycle);
    uint64_t done = found.served ? found.cycle
                                 : response_of(access_device_memory(m, o->of.address, 1, o->kind != CACHE_READ, cycle),
                                               RESPONSE_DRAM);
    if (found.fetches)
        level_filled(&s->level, found.place, 0, done);
    return done;
}

static void follow(struct memory_system *m, uint32_t sm, const struct outgoing *o)
{
    uint64_t done = look_up(m, &m->slices[0], sm, o);
    if (m->layout.port_queue != MEMORY_ANY)
        chip_reply(m, sm, NO_ID, 1, o->arrival + later(1, m->layout.port_latency));
    if (o->name != NO_ID)
        chip_reply(m, sm, o->name, 1, response_after(done, m->layout.port_latency));
}

/* Constants of a call of chip_analytic_serve(). */
struct shape {
    bool reads; /* L2 is direct-mapped, and requests get no credits */
    uint64_t latency, interval, way;
    char *lines;
    struct direct_mapped cache;
};

/* A read that replaces no dirty line, as most requests are. False: it is something else, and nothing has changed. */
HOT bool follow_clean(struct memory_system *m, const struct shape *of, struct level *l, uint32_t sm,
                      const struct outgoing *o)
{
    bool hit;
    uint64_t *place = direct_mapped_read_clean(of->lines, &of->cache, o->of.address, 0, &hit);
    if (!place)
        return false;
    uint64_t start = later(o->arrival, l->free), cycle = start + of->latency, done;
    l->free = start + of->interval;
    if (l->listener)
        level_report(l, sm, o->of.address, CACHE_READ, hit, cycle);
    if (hit) {
        l->counts.hits++;
        done = later(response_of(cycle, RESPONSE_L2), *place);
    } else {
        l->counts.misses++;
        l->counts.fetches++;
        *place = done = response_of(access_device_memory(m, o->of.address, 1, false, cycle), RESPONSE_DRAM);
    }
    chip_reply(m, sm, o->name, 1, response_after(done, of->way));
    return true;
}

/* Computes the requests of the SM that arrive in cycle `until` or before; the first one does. */
HOT void follow_all(struct memory_system *m, const struct shape *of, uint32_t sm, uint64_t until)
{
    struct outbox *box = &m->ports[sm].box;
    struct level *l = &m->slices[0].level;
    const struct outgoing *o = box->items + box->first, *end = box->items + box->count;
    do {
        if (!of->reads || o->kind != CACHE_READ || !follow_clean(m, of, l, sm, o))
            follow(m, sm, o);
    } while (++o < end && o->arrival <= until);
    box->first = (size_t)(o - box->items);
}

/* ---- all of them, in order --------------------------------------------------------------------------------------- */

HOT bool before(const struct chip_sender *a, const struct chip_sender *b)
{
    return a->arrival != b->arrival ? a->arrival < b->arrival : a->sm < b->sm;
}

/* Moves requests that are still to arrive to the front, unless they are more than those that are done. */
static void outbox_keep(struct outbox *box)
{
    if (box->count > 2 * box->first)
        return;
    box->count -= box->first;
    memmove(box->items, box->items + box->first, box->count * sizeof *box->items);
    box->first = 0;
}

/* Restores the heap of SMs below `at`. */
HOT void sink(struct chip_sender *heap, uint32_t count, uint32_t at)
{
    struct chip_sender sender = heap[at];
    for (uint32_t child; (child = 2 * at + 1) < count; at = child) {
        child += child + 1 < count && before(&heap[child + 1], &heap[child]);
        if (!before(&heap[child], &sender))
            break;
        heap[at] = heap[child];
    }
    heap[at] = sender;
}

/* The last cycle, up to `now`, in which requests of the SM at the top come before those of all others. */
HOT uint64_t end_of_turn(const struct chip_sender *heap, uint32_t count, uint64_t now)
{
    for (uint32_t at = 1; at < 3 && at < count; at++) {
        uint64_t last = heap[at].arrival - (heap[at].sm < heap[0].sm);
        now = last < now ? last : now;
    }
    return now;
}

static uint32_t collect_senders(struct memory_system *m)
{
    uint32_t count = 0;
    struct chip_sender *heap = m->senders;
    for (uint32_t sm = 0; sm < m->layout.sms; sm++) {
        const struct outbox *box = &m->ports[sm].box;
        if (box->count)
            heap[count++] = (struct chip_sender){box->items[box->first].arrival, sm};
    }
    for (uint32_t at = count / 2; at-- > 0;)
        sink(heap, count, at);
    return count;
}

uint64_t chip_analytic_serve(struct memory_system *m, uint64_t now)
{
    uint32_t count = collect_senders(m);
    struct chip_sender *heap = m->senders;
    const struct level *l2 = &m->slices[0].level;
    struct shape of = {.reads = l2->direct && m->layout.port_queue == MEMORY_ANY,
                       .latency = l2->kind->shape.latency,
                       .interval = l2->kind->shape.interval,
                       .way = m->layout.port_latency};
    if (of.reads) {
        of.lines = ((struct direct_mapped *)l2->state)->line;
        of.cache = *(const struct direct_mapped *)l2->state;
    }
    while (count && heap[0].arrival <= now) {
        uint32_t sm = heap[0].sm;
        struct outbox *box = &m->ports[sm].box;
        follow_all(m, &of, sm, end_of_turn(heap, count, now));
        if (box->first < box->count) {
            heap[0].arrival = box->items[box->first].arrival;
        } else {
            box->first = box->count = 0;
            heap[0] = heap[--count];
        }
        if (count > 1)
            sink(heap, count, 0);
    }
    for (uint32_t i = 0; i < count; i++)
        outbox_keep(&m->ports[heap[i].sm].box);
    return count ? heap[0].arrival : MEMORY_NEVER;
}
