#include <string.h>

#include "tests/unit/memory/simulate.h"

static unsigned slice_of(const struct sim *s, uint64_t address) { return memory_part_of(&s->l.slices, address); }
static unsigned channel_of(const struct sim *s, uint64_t address) { return memory_part_of(&s->l.channels, address); }

static bool offer(struct sim *s, unsigned i, uint64_t now)
{
    struct request *r = &s->r[i];
    unsigned c = channel_of(s, r->address), waiting = 0;
    for (unsigned k = 0; k < s->dram_count[c]; k++)
        waiting += s->dram_started[c][k] >= now;
    if (s->dram_queue > 0 && waiting >= (uint64_t)s->dram_queue)
        return false;
    uint64_t start = max(now, s->dram_free[c]);
    s->dram_free[c] = start + (uint64_t)s->dram_interval * r->sectors;
    s->dram_started[c][s->dram_count[c]++] = start;
    s->out->dram += r->sectors;
    r->where = MEMORY;
    r->back = start + (uint64_t)s->dram_latency;
    /* `fixed` says so now: a look-up finds sectors that are known to come as it finds those that are there */
    for (unsigned k = 0; k < r->in_packet; k++) {
        const struct request *one = &s->r[r->member[k]];
        if (one->l2_fetches)
            cache_arrived(&s->l2[slice_of(s, one->address)], r->member[k], memory_local(&s->l.slices, one->address),
                          r->back);
    }
    return true;
}

/* The requests that this slice has sent and that are refused, in their order. */
static int first_refused(const struct sim *s, unsigned slice)
{
    int first = -1;
    for (unsigned i = 0; i < s->count; i++)
        if (s->r[i].where == REFUSED && slice_of(s, s->r[i].address) == slice &&
            (first < 0 || s->r[i].order < s->r[first].order))
            first = (int)i;
    return first;
}

static void send_out(struct sim *s, unsigned slice, uint64_t now)
{
    for (int i; (i = first_refused(s, slice)) >= 0;) {
        unsigned c = channel_of(s, s->r[i].address);
        if (s->refused_count[c] || !offer(s, (unsigned)i, now)) {
            s->refused[c][s->refused_count[c]++] = slice;
            return;
        }
    }
}

static bool slice_full(const struct sim *s, unsigned slice, uint64_t now)
{
    uint64_t waiting = 0;
    for (unsigned i = 0; i < s->count; i++)
        if (s->r[i].where == SLICE_QUEUE && slice_of(s, s->r[i].address) == slice)
            waiting += s->r[i].in_packet;
    const struct cache *c = &s->l2[slice];
    return s->l.l2.queue != ANY && waiting + (c->started_at == now ? c->started : 0) >= s->l.l2.queue;
}

/* The rest of the l2.fill bytes around a sector that `cause` fetches, without those of `asked`. */
static void fill_around(struct sim *s, unsigned slice, unsigned cause, const unsigned *asked, unsigned asked_count,
                        uint64_t key, uint64_t cycle)
{
    struct cache *c = &s->l2[slice];
    for (uint64_t other = c->level->shape.sector; other < s->l.fill; other += c->level->shape.sector) {
        key += 2;
        struct request r = {.where = SLICE,
                            .sm = s->r[cause].sm,
                            .kind = CACHE_READ,
                            .hint = CACHE_HINT_OF_L2(s->r[cause].hint),
                            .bytes = UINT32_MAX,
                            .posted = true,
                            .around = true,
                            .l2_fetches = true,
                            .ready = cycle,
                            .address = s->r[cause].address ^ other,
                            .key = key,
                            .sectors = 1};
        bool was_asked = false;
        for (unsigned k = 0; k < asked_count; k++)
            was_asked |= s->r[asked[k]].address == r.address;
        if (was_asked ||
            !cache_look_up_beside(s, c, s->count, &r, memory_local(&s->l.slices, r.address), cycle).fetches)
            continue;
        c->outstanding++;
        simulate_add(s, r);
    }
}

/* Sectors of a packet for which the slice's look-ups end in the same way. */
struct part {
    unsigned member[MOST_SECTORS], count;
    uint64_t ready;
    int of; /* the packet whose fetch they wait for */
};
/* What becomes of a packet. Of those in flight, neighbours (but for others between them) that wait for the same fetch
 * are together. */
struct parts {
    struct part here, leaving, waiting[MOST_SECTORS];
    unsigned waiting_count;
};

static void add(struct part *p, unsigned i, uint64_t ready)
{
    p->member[p->count++] = i;
    p->ready = max(p->ready, ready);
}

static void sort_out(struct sim *s, unsigned i, const struct found *f, struct parts *p)
{
    if (!f->served) {
        add(&p->leaving, i, p->leaving.count ? 0 : f->end);
    } else if (f->from < 0) {
        /* on a link, what is there follows the first */
        bool follows = s->l.interconnect.flit && f->cycle == f->end && p->here.count;
        add(&p->here, i, follows ? 0 : f->cycle);
    } else {
        struct part *last = p->waiting_count ? &p->waiting[p->waiting_count - 1] : NULL;
        const int of = (int)s->r[f->from].lead;
        if (!last || last->of != of)
            *(last = &p->waiting[p->waiting_count++]) = (struct part){.of = of};
        add(last, i, f->cycle);
    }
}

/* Looks up the sectors of a packet from the first on. Returns the number of those that L2 does not refuse. */
static unsigned look_up(struct sim *s, unsigned slice, const struct request *packet, struct parts *parts, uint64_t now)
{
    struct cache *c = &s->l2[slice];
    for (unsigned k = 0; k < packet->in_packet; k++) {
        const unsigned i = packet->member[k];
        struct request seen = s->r[i];
        const uint64_t local = memory_local(&s->l.slices, seen.address);
        if (!c->ways && cache_reads(c, seen.kind) && c->level->keeps && cache_absent(c, local) &&
            c->outstanding >= s->l.l2.mshrs)
            return k;
        seen.hint = CACHE_HINT_OF_L2(seen.hint);
        struct found f = cache_look_up(s, c, i, &seen, local, now);
        if (f.refused)
            return k;
        s->r[i].kind = f.reads ? CACHE_READ : s->r[i].kind;
        s->r[i].l2_fetches = f.fetches;
        c->outstanding += f.fetches;
        if (f.written)
            simulate_add(s, (struct request){.where = SLICE,
                                             .sm = seen.sm,
                                             .kind = CACHE_WRITE,
                                             .posted = true,
                                             .ready = f.end,
                                             .address = memory_global(&s->l.slices, slice, f.victim),
                                             .key = packet->key - 1,
                                             .sectors = (unsigned)__builtin_popcountll(f.written)});
        sort_out(s, i, &f, parts);
    }
    return packet->in_packet;
}

/* The part goes on as a packet of its own. */
static struct request *go_on(struct sim *s, const struct part *p, enum where where)
{
    const unsigned lead = simulate_pack(s, p->member, p->count);
    struct request *r = &s->r[lead];
    for (unsigned k = 0; k < p->count; k++)
        s->r[p->member[k]].key = simulate_key(s, r->sm, r->sequence, lead);
    r->where = where;
    r->ready = r->back = p->ready;
    return r;
}

static void leave(struct sim *s, unsigned slice, const struct part *p, const struct request *packet, unsigned seen)
{
    const uint64_t key = go_on(s, p, SLICE)->key;
    for (unsigned k = 0; k < p->count; k++)
        if (s->r[p->member[k]].l2_fetches && s->l2[slice].ways)
            fill_around(s, slice, p->member[k], packet->member, seen, key, p->ready);
}

static void start_slice(struct sim *s, unsigned slice, uint64_t now)
{
    for (;;) {
        int first = -1;
        for (unsigned i = 0; i < s->count; i++)
            if (s->r[i].where == SLICE_QUEUE && slice_of(s, s->r[i].address) == slice &&
                (first < 0 || s->r[i].order < s->r[first].order))
                first = (int)i;
        struct cache *c = &s->l2[slice];
        if (first < 0 || first_refused(s, slice) >= 0)
            return;
        const struct request packet = s->r[first];
        if (packet.ready > now ||
            tempo_in(c->tempo, *cache_port(c, memory_local(&s->l.slices, packet.address))) > now ||
            (s->l.interconnect.replies >= 0 && c->replying >= (uint64_t)s->l.interconnect.replies))
            return;
        struct parts parts = {0};
        const unsigned seen = look_up(s, slice, &packet, &parts, now);
        if (!seen)
            return;
        c->started = c->started_at == now ? c->started + seen : seen;
        c->started_at = now;
        if (seen < packet.in_packet) {
            struct part rest = {.count = packet.in_packet - seen, .ready = packet.ready};
            memcpy(rest.member, packet.member + seen, rest.count * sizeof *rest.member);
            go_on(s, &rest, SLICE_QUEUE)->order = packet.order + 1;
        }
        if (parts.here.count)
            go_on(s, &parts.here, MEMORY); /* its data is at L2 then */
        for (unsigned k = 0; k < parts.waiting_count; k++)
            go_on(s, &parts.waiting[k], FETCH_OF_ANOTHER)->of = (unsigned)parts.waiting[k].of;
        if (parts.leaving.count)
            leave(s, slice, &parts.leaving, &packet, seen);
    }
}

static void accept(struct sim *s, unsigned i, uint64_t now)
{
    struct request *r = &s->r[i];
    for (unsigned k = 0; k < r->in_packet; k++)
        s->credit[r->sm][s->credits[r->sm]++] = max(now + 1, now + s->l.port_latency);
    r->where = SLICE_QUEUE;
    r->order = simulate_order(s);
    struct cache *c = &s->l2[slice_of(s, r->address)];
    uint64_t flits = s->l.packet[r->asks][r->in_packet];
    r->ready = now;
    if (flits) {
        c->in_free = max(tempo_from(s->links, now) + 1, c->in_free + flits);
        r->ready = tempo_after(s->links, c->in_free - 1);
    }
    start_slice(s, slice_of(s, r->address), now);
}

static int first_at_far_end(const struct sim *s, unsigned sm)
{
    int first = -1;
    for (unsigned i = 0; i < s->count; i++)
        if (s->r[i].where == FAR_END && s->r[i].sm == sm && (first < 0 || s->r[i].order < s->r[first].order))
            first = (int)i;
    return first;
}

static void bring_in(struct sim *s, unsigned sm, uint64_t now)
{
    for (int i; (i = first_at_far_end(s, sm)) >= 0;) {
        struct cache *c = &s->l2[slice_of(s, s->r[i].address)];
        if (c->refused_count || slice_full(s, slice_of(s, s->r[i].address), now)) {
            c->refused[c->refused_count++] = sm;
            return;
        }
        accept(s, (unsigned)i, now);
    }
}

static void drop_first(unsigned *list, unsigned *count) { memmove(list, list + 1, --*count * sizeof *list); }

/* The SM has the sector's data at `there`. */
static void deliver_one(struct sim *s, unsigned i, uint64_t there)
{
    struct request *r = &s->r[i];
    unsigned c = r->sm * s->l.l1_count + r->l1;
    if (r->fetches) {
        s->fills[s->fill_count] = there;
        s->fill_request[s->fill_count] = i;
        s->fill_cache[s->fill_count++] = c;
        cache_arrived(&s->l1[c], i, r->address, there);
        simulate_wake(s, i, there, false);
    }
    simulate_end(s, r, there);
}

static void deliver(struct sim *s, unsigned i, uint64_t there)
{
    const struct request packet = s->r[i];
    for (unsigned k = 0; k < packet.in_packet; k++)
        deliver_one(s, packet.member[k], there);
}

/* Returns the cycle in which the last of these bytes has passed a link of a GPC. The link moves `width` bytes in a
 * cycle; *free: the bytes that it could have moved until it is free. */
static uint64_t pass_gpc(const struct sim *s, uint64_t *free, uint64_t width, uint64_t bytes, uint64_t now)
{
    if (!width)
        return now;
    *free = max(*free, tempo_from(s->links, now) * width) + bytes;
    return tempo_after(s->links, (*free + width - 1) / width - 1);
}

static void send(struct sim *s, unsigned i, uint64_t now)
{
    struct request *r = &s->r[i];
    struct cache *c = &s->l2[slice_of(s, r->address)];
    uint64_t flits = s->l.reply[r->asks][r->in_packet];
    c->out_free = max(tempo_from(s->links, now), c->out_free) + flits;
    uint64_t at_sm = tempo_after(s->links, c->out_free - 1) + s->l.port_latency;
    at_sm = pass_gpc(s, &s->gpc_in[r->sm % s->l.machine->gpcs], s->l.interconnect.gpc_in,
                     s->l.reply_bytes[r->asks][r->in_packet], at_sm);
    uint64_t there = max(tempo_from(s->links, at_sm), s->reply_link_free[r->sm] + flits - 1);
    s->reply_link_free[r->sm] = there + 1;
    deliver(s, i, tempo_after(s->links, there));
}

/* Its data is at L2 in this cycle, to be sent. */
static void reply(struct sim *s, unsigned i, uint64_t now)
{
    struct request *r = &s->r[i];
    struct cache *c = &s->l2[slice_of(s, r->address)];
    if (!s->l.interconnect.flit) {
        deliver(s, i, now + s->l.port_latency);
        return;
    }
    if (!c->replying && tempo_in(s->links, c->out_free) <= now) {
        send(s, i, now);
        return;
    }
    r->where = REPLY_QUEUE;
    r->order = simulate_order(s);
    c->replying++;
}

/* What device memory, or L2, has in this cycle. */
static void take_responses(struct sim *s, uint64_t now)
{
    for (bool again = true; again;) {
        again = false;
        for (unsigned i = 0; i < s->count; i++) {
            struct request *r = &s->r[i];
            if (r->where != MEMORY || r->back > now)
                continue;
            again = true;
            for (unsigned k = 0; k < r->in_packet; k++)
                if (s->r[r->member[k]].l2_fetches)
                    s->l2_release[r->member[k]] = r->back + 1;
            simulate_wake(s, i, r->back, true);
            r->where = r->posted ? DONE : REPLY;
            r->ready = r->back;
        }
    }
}

static void send_replies(struct sim *s, uint64_t now)
{
    for (unsigned i = 0; i < s->l.slices.count; i++) {
        while (s->l2[i].replying && tempo_in(s->links, s->l2[i].out_free) <= now) {
            int first = -1;
            for (unsigned k = 0; k < s->count; k++)
                if (s->r[k].where == REPLY_QUEUE && slice_of(s, s->r[k].address) == i &&
                    (first < 0 || s->r[k].order < s->r[first].order))
                    first = (int)k;
            s->l2[i].replying--;
            send(s, (unsigned)first, now);
            start_slice(s, i, now);
        }
    }
}

/* What slices fetched and has come in the cycle before, in the order of requests. */
static void release_l2(struct sim *s, uint64_t now)
{
    for (;;) {
        int first = -1;
        for (unsigned i = 0; i < s->count; i++)
            if (s->l2_release[i] == now && s->r[i].l2_fetches && (first < 0 || s->r[i].key < s->r[first].key))
                first = (int)i;
        if (first < 0)
            return;
        struct request *r = &s->r[first];
        unsigned slice = slice_of(s, r->address);
        r->l2_fetches = false;
        struct found f = cache_released(&s->l2[slice], (unsigned)first, memory_local(&s->l.slices, r->address));
        if (!f.written)
            continue;
        bool alone = first_refused(s, slice) < 0;
        simulate_add(s, (struct request){.where = REFUSED,
                                         .sm = r->sm,
                                         .kind = CACHE_WRITE,
                                         .posted = true,
                                         .address = memory_global(&s->l.slices, slice, f.victim),
                                         .order = simulate_order(s),
                                         .sectors = (unsigned)__builtin_popcountll(f.written)});
        if (alone)
            send_out(s, slice, now);
    }
}

/* Device memory, and then slices, take what they refused before, as far as there is room. */
static void take_refused(struct sim *s, uint64_t now)
{
    for (unsigned c = 0; c < s->l.channels.count; c++)
        while (s->refused_count[c]) {
            unsigned slice = s->refused[c][0];
            if (!offer(s, (unsigned)first_refused(s, slice), now))
                break;
            drop_first(s->refused[c], &s->refused_count[c]);
            send_out(s, slice, now);
            start_slice(s, slice, now);
        }
    for (unsigned i = 0; i < s->l.slices.count; i++)
        while (s->l2[i].refused_count && !slice_full(s, i, now)) {
            unsigned sm = s->l2[i].refused[0];
            drop_first(s->l2[i].refused, &s->l2[i].refused_count);
            accept(s, (unsigned)first_at_far_end(s, sm), now);
            bring_in(s, sm, now);
        }
}

/* What comes in this cycle, or should have come: replies first, then the others, by their keys. -1: nothing. */
static int first_to_come(const struct sim *s, uint64_t now)
{
    int first = -1;
    for (unsigned i = 0; i < s->count; i++) {
        const struct request *r = &s->r[i], *best = first < 0 ? NULL : &s->r[first];
        bool comes = r->where == WIRE || r->where == SLICE || r->where == REPLY;
        bool replies = r->where == REPLY, best_replies = best && best->where == REPLY;
        if (comes && r->ready <= now && (!best || (replies != best_replies ? replies : r->key < best->key)))
            first = (int)i;
    }
    return first;
}

/* A request from an SM passes the link of its GPC, is translated, and then is at the far end of its SM's way. */
static void come_by_wire(struct sim *s, unsigned i, uint64_t now)
{
    struct request *r = &s->r[i];
    if (!r->crossed) {
        r->crossed = true;
        r->ready = pass_gpc(s, &s->gpc_out[r->sm % s->l.machine->gpcs], s->l.interconnect.gpc_out,
                            s->l.request_bytes[r->asks][r->in_packet], now);
    } else if (!r->translated) {
        r->translated = true;
        r->ready = plan_translate(&s->translation, s->l.machine, r->sm, r->address, now);
    } else {
        bool alone = first_at_far_end(s, r->sm) < 0;
        r->where = FAR_END;
        r->order = simulate_order(s);
        if (alone)
            bring_in(s, r->sm, now);
    }
}

/* What a slice sends to device memory. */
static void come_from_slice(struct sim *s, unsigned i, uint64_t now)
{
    unsigned slice = slice_of(s, s->r[i].address);
    bool alone = first_refused(s, slice) < 0;
    s->r[i].where = REFUSED;
    s->r[i].order = simulate_order(s);
    if (alone)
        send_out(s, slice, now);
}

void simulate_chip(struct sim *s, uint64_t now)
{
    release_l2(s, now);
    take_refused(s, now);
    send_replies(s, now);
    for (unsigned i = 0; i < s->l.slices.count; i++)
        start_slice(s, i, now);
    for (;;) {
        take_responses(s, now);
        int first = first_to_come(s, now);
        if (first < 0)
            break;
        if (s->r[first].where == REPLY)
            reply(s, (unsigned)first, now);
        else if (s->r[first].where == WIRE)
            come_by_wire(s, (unsigned)first, now);
        else
            come_from_slice(s, (unsigned)first, now);
    }
}
