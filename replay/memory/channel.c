/* Device memory in channels: slices offer requests to it, and it completes them. */
#include "replay/memory/chip_parts.h"

/* Device memory completes the request at `cycle`: responds to it and to the requests that wait for its fetch. */
static void complete(struct memory_system *m, struct chip_request *r, uint64_t cycle)
{
    struct slice *s = &m->slices[r->slice];
    const uint64_t here = response_of(cycle, RESPONSE_DRAM);
    for (struct chip_request *w = r->waiters, *next; w; w = next) {
        next = w->next;
        chip_respond(m, w, later(w->cycle, here));
    }
    r->waiters = NULL;
    if (!r->fetched) {
        chip_respond(m, r, here);
        return;
    }
    for (uint32_t left = r->fetched; left; left &= left - 1)
        level_filled(&s->level, r->place[__builtin_ctz(left)], r->item.id, here);
    if (!m->layout.l2.tracks) {
        chip_respond(m, r, here);
        return;
    }
    struct chip_request *own = chip_new_request(m);
    if (!own)
        return;
    own->name = r->name;
    own->sm = r->sm;
    own->slice = r->slice;
    own->original_kind = r->original_kind;
    own->of.sectors = r->of.sectors;
    own->event.key = r->event.key;
    chip_respond(m, own, here);
    chip_add_event(m, &r->event, CHIP_RELEASE, cycle + 1);
}

static struct channel *channel_of(struct memory_system *m, uint64_t address, uint32_t *index)
{
    *index = memory_part_of(&m->layout.channels, address);
    return &m->channels[*index];
}

/* Schedules a call of the channel's model in this cycle, unless an earlier call is scheduled. */
static void advance_at(struct memory_system *m, struct channel *c, uint32_t index, uint64_t cycle)
{
    struct chip_request *r;
    if (cycle >= c->advance_at || !(r = chip_new_request(m)))
        return;
    c->advance_at = cycle;
    r->event.key = index;
    chip_add_event(m, &r->event, CHIP_ADVANCE_CHANNEL, cycle);
}

static void await_room(struct memory_system *m, struct channel *c, uint32_t index, struct slice *s, uint64_t cycle)
{
    s->next_refused = NULL;
    *(c->refused_first ? &c->refused_last->next_refused : &c->refused_first) = s;
    c->refused_last = s;
    if (cycle != DRAM_UNKNOWN)
        chip_add_own_event(m, &c->room, &c->makes_room, CHIP_ROOM_IN_CHANNEL, index, cycle);
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

void chip_leave(struct memory_system *m, struct chip_request *r, uint64_t now)
{
    struct slice *s = &m->slices[r->slice];
    bool first = !s->out.first;
    queue_put(&s->out, r);
    if (first)
        send_out(m, s, now);
}

void chip_room_in_channel(struct memory_system *m, struct channel *c, uint32_t index, uint64_t now)
{
    while (c->refused_first) {
        struct slice *s = c->refused_first;
        struct chip_request *r = s->out.first, *next = r->next;
        uint64_t again;
        if (!offer(m, r, now, &again)) {
            if (again != DRAM_UNKNOWN)
                chip_add_own_event(m, &c->room, &c->makes_room, CHIP_ROOM_IN_CHANNEL, index, again);
            return;
        }
        s->out.first = next;
        c->refused_first = s->next_refused;
        send_out(m, s, now);
        if (!s->out.first)
            slice_start_waiting(m, s, now);
    }
}

void chip_advance_channel(struct memory_system *m, struct channel *c, uint32_t index, uint64_t now)
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
        chip_room_in_channel(m, c, index, now);
}
