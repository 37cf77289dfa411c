#include <criterion/criterion.h>
#include <string.h>

#include "tests/unit/memory/simulate.h"

static bool l1_full(const struct sim *s, unsigned c, uint64_t now)
{
    uint64_t waiting = 0;
    for (unsigned i = 0; i < s->count; i++)
        if (s->r[i].where == L1_QUEUE && s->r[i].sm * s->l.l1_count + s->r[i].l1 == c)
            waiting += s->r[i].in_packet;
    return s->l.l1.queue != ANY && waiting + (s->l1[c].started_at == now ? s->l1[c].started : 0) >= s->l.l1.queue;
}

/* The next of L1's queue. */
static int first_of_l1(const struct sim *s, unsigned c)
{
    int first = -1;
    for (unsigned i = 0; i < s->count; i++)
        if (s->r[i].where == L1_QUEUE && s->r[i].sm * s->l.l1_count + s->r[i].l1 == c &&
            (first < 0 || s->r[i].order < s->r[first].order))
            first = (int)i;
    return first;
}

/* What L1 replaced leaves before request `i`. */
static void write_back(struct sim *s, unsigned i, const struct found *f, uint64_t ready)
{
    for (unsigned k = 0; k < 8; k++)
        if (f->written >> k & 1) {
            struct request w = {.where = NOWHERE,
                                .sm = s->r[i].sm,
                                .address = f->victim + k * s->l.l1.shape.sector,
                                .ready = ready,
                                .kind = CACHE_WRITE,
                                .asks = CACHE_WRITE,
                                .bytes = UINT32_MAX,
                                .repeats = 1,
                                .sectors = 1,
                                .posted = true};
            unsigned made = simulate_add(s, w);
            cr_assert_lt(s->r[i].ahead_count, 8);
            s->r[i].ahead[s->r[i].ahead_count++] = made;
        }
}

/* L1 serves this sector, by its data or by a fetch in flight: a copy stands for the transaction. */
static void serve(struct sim *s, unsigned i, const struct found *f, uint64_t now)
{
    s->credit[s->r[i].sm][s->credits[s->r[i].sm]++] = now + 1;
    struct request t = s->r[i];
    t.ahead_count = 0;
    t.where = f->from >= 0 ? FETCH_OF_ANOTHER : NOWHERE;
    t.of = (unsigned)f->from;
    t.ready = f->cycle;
    t.in_l1 = true;
    unsigned copy = simulate_add(s, t);
    if (f->from < 0)
        simulate_end(s, &s->r[copy], f->cycle);
}

/* Looks up the sectors of a packet from the first on. Returns the number of those that L1 does not refuse.
 * `placeholder` holds the packet's place in the order of leaving; leaving: the sectors that leave. */
static unsigned look_up(struct sim *s, unsigned c, const struct request *packet, unsigned placeholder,
                        unsigned *leaving, unsigned *leave_count, uint64_t now)
{
    struct cache *l1 = &s->l1[c];
    for (unsigned k = 0; k < packet->in_packet; k++) {
        const unsigned i = packet->member[k];
        if (!l1->ways && cache_reads(l1, packet->kind) && cache_absent(l1, s->r[i].address) &&
            l1->outstanding >= s->l.l1.mshrs)
            return k;
        struct request seen = s->r[i];
        seen.hint = CACHE_HINT_OF_L1(seen.hint);
        struct found f = cache_look_up(s, l1, i, &seen, seen.address, now);
        if (f.refused)
            return k;
        s->r[i].kind = f.reads ? CACHE_READ : s->r[i].kind;
        s->r[i].fetches = f.fetches;
        l1->outstanding += f.fetches;
        write_back(s, placeholder, &f, f.end);
        s->r[placeholder].ready = max(s->r[placeholder].ready, f.end);
        if (f.served)
            serve(s, i, &f, now);
        else
            leaving[(*leave_count)++] = i;
    }
    return packet->in_packet;
}

static void start_l1(struct sim *s, unsigned c, uint64_t now)
{
    for (int i; (i = first_of_l1(s, c)) >= 0;) {
        struct cache *l1 = &s->l1[c];
        if (tempo_in(l1->tempo, *cache_port(l1, s->r[i].address)) > now)
            return;
        const struct request packet = s->r[i];
        const struct request place = {
            .where = PORT, .sm = packet.sm, .l1 = packet.l1, .order = packet.order, .served = true, .posted = true};
        const unsigned placeholder = simulate_add(s, place);
        unsigned leaving[MOST_SECTORS], leave_count = 0;
        const unsigned seen = look_up(s, c, &packet, placeholder, leaving, &leave_count, now);
        if (!seen) {
            s->count--;
            return;
        }
        l1->started = l1->started_at == now ? l1->started + seen : seen;
        l1->started_at = now;
        for (unsigned k = 0; k < seen; k++)
            s->r[packet.member[k]].where = DONE; /* unless it leaves */
        if (seen < packet.in_packet) {
            unsigned rest = simulate_pack(s, packet.member + seen, packet.in_packet - seen);
            s->r[rest].where = L1_QUEUE;
            s->r[rest].order = packet.order + 2;
        }
        if (leave_count) {
            struct request *lead = &s->r[simulate_pack(s, leaving, leave_count)];
            lead->where = PORT;
            lead->order = packet.order + 1;
            lead->ready = s->r[placeholder].ready;
        }
    }
}

static void put_away(struct sim *s, unsigned sm, uint64_t now)
{
    while (s->queued[sm]) {
        unsigned next = UINT32_MAX;
        for (unsigned i = 0; i < s->count; i++)
            if (s->r[i].where == LSU && s->r[i].access == s->queue[sm][0] && (next == UINT32_MAX || i < next))
                next = i;
        if (next == UINT32_MAX) {
            s->held[sm]--;
            memmove(s->queue[sm], s->queue[sm] + 1, --s->queued[sm] * sizeof s->queue[sm][0]);
            continue;
        }
        struct request *r = &s->r[next];
        unsigned c = sm * s->l.l1_count + r->l1;
        bool looks = !r->beside && s->l.l1.keeps;
        if (r->ready > now || s->places[sm] >= s->l.port_queue || (looks && l1_full(s, c, now)))
            return;
        s->places[sm] += r->in_packet;
        r->order = simulate_order(s);
        r->where = looks ? L1_QUEUE : PORT;
        r->ready = now;
        if (looks)
            start_l1(s, c, now);
    }
}

static bool may_leave(struct sim *s, unsigned sm, unsigned i, uint64_t now)
{
    struct request *r = &s->r[i];
    uint64_t gone = s->left_at[sm] == now ? s->left[sm] : 0;
    uint64_t flits = s->l.departure[r->kind][r->in_packet];
    if (r->ready > now || (s->l.port_width && gone >= s->l.port_width) || tempo_in(s->links, s->link_free[sm]) > now)
        return false;
    uint64_t gone_at = now;
    if (flits) {
        s->link_free[sm] = max(tempo_from(s->links, now), s->link_free[sm]) + flits;
        gone_at = tempo_after(s->links, s->link_free[sm] - 1);
    }
    s->left_at[sm] = now;
    s->left[sm] = gone + 1;
    r->where = WIRE;
    r->ready = gone_at + s->l.port_latency;
    const uint64_t sequence = s->sequence[sm]++;
    for (unsigned k = 0; k < r->in_packet; k++) {
        s->r[r->member[k]].asks = r->kind;
        s->r[r->member[k]].sequence = sequence;
        s->r[r->member[k]].key = simulate_key(s, sm, sequence, i);
    }
    return true;
}

static void leave_sm(struct sim *s, unsigned sm, uint64_t now)
{
    for (;;) {
        int first = -1;
        for (unsigned i = 0; i < s->count; i++)
            if ((s->r[i].where == PORT || s->r[i].where == L1_QUEUE) && s->r[i].sm == sm &&
                (first < 0 || s->r[i].order < s->r[first].order))
                first = (int)i;
        if (first < 0 || s->r[first].where == L1_QUEUE)
            return;
        struct request *r = &s->r[first];
        for (unsigned k = 0; k < r->ahead_count; k++)
            if (s->r[r->ahead[k]].where == NOWHERE) {
                if (!may_leave(s, sm, r->ahead[k], now))
                    return;
                s->places[sm]++;
            }
        if (r->served)
            r->where = DONE;
        else if (!may_leave(s, sm, (unsigned)first, now))
            return;
    }
}

/* Fills of the cycle before, in the order in which they were asked for. */
static void release_l1(struct sim *s, unsigned sm, uint64_t now)
{
    for (unsigned c = sm * s->l.l1_count; c < (sm + 1) * s->l.l1_count; c++)
        for (;;) {
            int first = -1;
            for (unsigned i = 0; i < s->fill_count; i++)
                if (s->fills[i] + 1 == now && s->fill_cache[i] == c &&
                    (first < 0 || s->r[s->fill_request[i]].key < s->r[s->fill_request[first]].key))
                    first = (int)i;
            if (first < 0)
                break;
            s->fills[first] = RELEASED;
            unsigned id = (unsigned)s->fill_request[first];
            struct found f = cache_released(&s->l1[c], id, s->r[id].address);
            if (!f.written)
                continue;
            struct request w = {
                .where = PORT, .sm = sm, .ready = now, .order = simulate_order(s), .served = true, .posted = true};
            write_back(s, simulate_add(s, w), &f, now);
        }
}

void simulate_sm(struct sim *s, unsigned sm, uint64_t now)
{
    for (unsigned i = 0; i < s->credits[sm]; i++)
        if (s->credit[sm][i] == now)
            s->places[sm]--;
    release_l1(s, sm, now);
    for (unsigned c = sm * s->l.l1_count; c < (sm + 1) * s->l.l1_count; c++)
        start_l1(s, c, now);
    put_away(s, sm, now);
    leave_sm(s, sm, now);
}
