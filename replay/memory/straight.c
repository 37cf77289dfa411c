/* The chip without events. Where nothing on it refuses, device memory answers at once, and L2 is one slice, requests
 * are looked up in the order of their arrival, and leave L2 in that order. So each is followed to its end by itself. */
#include <string.h>

#include "replay/memory/chip.h"

static uint64_t later(uint64_t a, uint64_t b) { return a > b ? a : b; }

bool chip_is_straight(const struct memory_system *m)
{
    const struct cache_shape *l2 = &m->layout.l2.shape;
    bool in_order = l2->interval || !l2->atomic_interval; /* else two may leave L2 in one cycle, in another order */
    return m->at_once && m->layout.slices.count == 1 && !m->layout.dram->advance && in_order;
}

/* ---- one request ------------------------------------------------------------------------------------------------- */

/* Returns the end of a request that reaches device memory in `cycle`. */
static inline uint64_t ask_device_memory(struct memory_system *m, uint64_t address, uint32_t sectors, bool write,
                                         uint64_t cycle)
{
    struct channel *c = &m->channels[memory_part_of(&m->layout.channels, address)];
    struct dram_request request = {memory_local(&m->layout.channels, address), sectors, 0, write};
    uint64_t done;
    m->layout.dram->offer(c->state, &request, cycle, &done);
    c->counts.accesses += sectors;
    c->counts.writes += write ? sectors : 0;
    return done;
}

/* A read that replaces no dirty line, from `start` on: most requests. False: it is not one. */
static inline bool read_clean(struct memory_system *m, struct level *l, const struct outgoing *o, uint64_t *done)
{
    bool hit;
    uint64_t *place = NULL, start = later(o->arrival, l->free);
    if (o->kind == CACHE_READ && l->direct)
        place = direct_mapped_read_clean(l->state, o->address, 0, &hit);
    if (!place)
        return false;
    uint64_t cycle = start + l->kind->shape.latency;
    l->free = start + l->kind->shape.interval;
    *(hit ? &l->counts.hits : &l->counts.misses) += 1;
    if (!hit)
        *place = ask_device_memory(m, o->address, 1, false, cycle);
    *done = later(cycle, *place);
    return true;
}

static uint64_t look_up(struct memory_system *m, struct slice *s, const struct outgoing *o)
{
    struct cache_look_up request = {.address = o->address, .kind = o->kind};
    struct cache_finding found = level_look_up(&s->level, &request, o->repeats, later(o->arrival, s->level.free));
    uint64_t cycle = request.cycle;
    if (found.written)
        ask_device_memory(m, found.victim, (uint32_t)__builtin_popcount(found.written), true, cycle);
    uint64_t done = found.served ? found.cycle : ask_device_memory(m, o->address, 1, o->kind != CACHE_READ, cycle);
    if (found.fetches)
        level_filled(&s->level, found.place, 0, done);
    return done;
}

static inline void follow(struct memory_system *m, uint32_t sm, const struct outgoing *o)
{
    struct slice *s = &m->slices[0];
    uint64_t done;
    if (!read_clean(m, &s->level, o, &done))
        done = look_up(m, s, o);
    if (m->layout.port_queue != MEMORY_ANY)
        sm_memory_credit(&m->sms[sm], o->arrival + later(1, m->layout.port_latency));
    if (o->name != NOBODY)
        sm_memory_reply(&m->sms[sm], o->name, done + m->layout.port_latency);
}

/* ---- all of them, in order --------------------------------------------------------------------------------------- */

static inline bool before(const struct chip_sender *a, const struct chip_sender *b)
{
    return a->arrival != b->arrival ? a->arrival < b->arrival : a->sm < b->sm;
}

/* What has not arrived yet moves to the front. */
static void outbox_keep(struct outbox *box)
{
    box->count -= box->first;
    memmove(box->items, box->items + box->first, box->count * sizeof *box->items);
    box->first = 0;
}

/* SMs as a heap: lets the one at `at` sink to its place. */
static inline void sink(struct chip_sender *heap, uint32_t count, uint32_t at)
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

/* Until when it is the turn of the one at the top, at most until `now`: it comes before all others. */
static inline uint64_t end_of_turn(const struct chip_sender *heap, uint32_t count, uint64_t now)
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
        const struct outbox *box = &m->sms[sm].outbox;
        if (box->count)
            heap[count++] = (struct chip_sender){box->items[box->first].arrival, sm};
    }
    for (uint32_t at = count / 2; at-- > 0;)
        sink(heap, count, at);
    return count;
}

uint64_t chip_straight_advance(struct memory_system *m, uint64_t now)
{
    uint32_t count = collect_senders(m);
    struct chip_sender *heap = m->senders;
    while (count && heap[0].arrival <= now) {
        uint32_t sm = heap[0].sm;
        struct outbox *box = &m->sms[sm].outbox;
        uint64_t until = end_of_turn(heap, count, now);
        do
            follow(m, sm, &box->items[box->first++]);
        while (box->first < box->count && box->items[box->first].arrival <= until);
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
        outbox_keep(&m->sms[heap[i].sm].outbox);
    return count ? heap[0].arrival : MEMORY_NEVER;
}
