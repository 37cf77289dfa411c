/* The chip's side of the memory system: the far ends of ports, and the loop over events. */
#include "replay/memory/chip_parts.h"

static uint64_t request_key(uint32_t sm, uint64_t sequence)
{
    return (uint64_t)(sm + 1) << 42 | sequence * KEYS_OF_REQUEST | 1;
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
        chip_add_own_event(m, &s->room, &s->makes_room, CHIP_ROOM_IN_SLICE, s->index, now + 1);
}

/* Offers the requests that wait at the end of this port to slices until one refuses. SMs that were refused before come
 * first. */
static void bring_in(struct memory_system *m, uint32_t sm, uint64_t now)
{
    struct request_queue *waiting = &m->ports[sm].waiting;
    while (waiting->first) {
        struct slice *s = slice_of(m, waiting->first);
        if (s->refused_first != NO_ID || slice_is_full(m, s, now)) {
            refuse(m, s, sm, now);
            return;
        }
        slice_accept(m, s, queue_take(waiting), now);
    }
}

static void arrive(struct memory_system *m, struct chip_request *r, uint64_t now)
{
    if (!r->crossed) {
        uint64_t there = chip_over_gpc(m, &m->gpcs[m->ports[r->sm].gpc].out_free, m->layout.interconnect.gpc_out,
                                       m->layout.request_bytes[r->kind][sectors_in(r->of.sectors)], now);
        r->crossed = true;
        if (there > now) {
            chip_add_event(m, &r->event, CHIP_ARRIVE, there);
            return;
        }
    }
    if (!r->translated) {
        uint64_t there = translation_of(&m->translation, &m->layout, r->sm, r->of.address, now);
        r->translated = true;
        if (there > now) {
            chip_add_event(m, &r->event, CHIP_ARRIVE, there);
            return;
        }
    }
    struct request_queue *waiting = &m->ports[r->sm].waiting;
    bool first = !waiting->first;
    queue_put(waiting, r);
    if (first)
        bring_in(m, r->sm, now);
}

/* SMs that the slice refused offer again, one request each, in the order in which they were refused. */
static void room_in_slice(struct memory_system *m, struct slice *s, uint64_t now)
{
    while (s->refused_first != NO_ID && !slice_is_full(m, s, now)) {
        uint32_t sm = s->refused_first;
        s->refused_first = m->ports[sm].next_refused;
        slice_accept(m, s, queue_take(&m->ports[sm].waiting), now);
        bring_in(m, sm, now);
    }
    if (s->refused_first != NO_ID && s->started_at == now && s->started)
        chip_add_own_event(m, &s->room, &s->makes_room, CHIP_ROOM_IN_SLICE, s->index, now + 1);
}

static bool collect(struct memory_system *m, uint32_t sm)
{
    struct outbox *box = &m->ports[sm].box;
    for (size_t i = 0; i < box->count; i++) {
        const struct outgoing *o = &box->items[i];
        struct chip_request *r = chip_new_request(m);
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
        chip_add_event(m, &r->event, CHIP_ARRIVE, o->arrival);
    }
    box->count = 0;
    return !m->failed;
}

/* ---- the loop ---------------------------------------------------------------------------------------------------- */

static struct chip_request *request_of(struct event *e)
{
    return (struct chip_request *)((char *)e - offsetof(struct chip_request, event));
}

static void handle(struct memory_system *m, struct event *e)
{
    uint64_t now = e->cycle;
    uint32_t index = (uint32_t)e->key; /* of a channel or slice */
    switch ((enum chip_event)e->what) {
    case CHIP_ADVANCE_CHANNEL:
        pool_give(&m->requests, request_of(e));
        if (m->channels[index].advance_at == now)
            chip_advance_channel(m, &m->channels[index], index, now);
        break;
    case CHIP_ROOM_IN_CHANNEL:
        m->channels[index].makes_room = false;
        chip_room_in_channel(m, &m->channels[index], index, now);
        break;
    case CHIP_ROOM_IN_SLICE:
        m->slices[index].makes_room = false;
        room_in_slice(m, &m->slices[index], now);
        break;
    case CHIP_START:
        m->slices[index].starts = false;
        slice_start_waiting(m, &m->slices[index], now);
        break;
    case CHIP_SEND:
        m->slices[index].sends = false;
        chip_send_next(m, &m->slices[index], now);
        break;
    case CHIP_REPLY: chip_send_when_free(m, &m->slices[request_of(e)->slice], request_of(e), now); break;
    case CHIP_RELEASE: slice_release(m, request_of(e), now); break;
    case CHIP_ARRIVE: arrive(m, request_of(e), now); break;
    case CHIP_LEAVE: chip_leave(m, request_of(e), now); break;
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

void memory_system_touch(struct memory_system *m, const struct memory_touches *all)
{
    for (size_t i = 0; i < all->count; i++)
        slice_touch(m, &m->slices[memory_part_of(&m->layout.slices, all->list[i].address)], &all->list[i]);
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
        struct chip_request *r = chip_new_request(m);
        if (!r)
            return;
        r->touches = all;
        queue_put(&m->slices[i].queue, r);
        slice_start_waiting(m, &m->slices[i], now);
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
