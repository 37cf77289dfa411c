#include <string.h>

#include "tests/unit/memory/simulate.h"

static bool l1_full(const struct sim *s, unsigned c, uint64_t now)
{
    uint64_t waiting = 0;
    for (unsigned i = 0; i < s->count; i++)
        waiting += s->r[i].where == L1_QUEUE && s->r[i].sm * s->l.l1_count + s->r[i].l1 == c;
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

/* What L1 replaced leaves before this request. */
static void write_back(struct sim *s, unsigned i, const struct found *f)
{
    for (unsigned k = 0; k < 8; k++)
        if (f->written >> k & 1) {
            struct request w = {.where = NOWHERE,
                                .sm = s->r[i].sm,
                                .address = f->victim + k * s->l.l1.shape.sector,
                                .ready = s->r[i].ready,
                                .kind = CACHE_WRITE,
                                .asks = CACHE_WRITE,
                                .bytes = UINT32_MAX,
                                .repeats = 1,
                                .sectors = 1,
                                .posted = true};
            unsigned made = simulate_add(s, w);
            s->r[i].ahead[s->r[i].ahead_count++] = made;
        }
}

static void start_l1(struct sim *s, unsigned c, uint64_t now)
{
    for (int i; (i = first_of_l1(s, c)) >= 0;) {
        struct cache *l1 = &s->l1[c];
        struct request *r = &s->r[i];
        bool blocked =
            !l1->ways && cache_reads(l1, r->kind) && cache_absent(l1, r->address) && l1->outstanding >= s->l.l1.mshrs;
        if (tempo_in(l1->tempo, *cache_port(l1, r->address)) > now || blocked)
            return;
        struct request seen = *r;
        seen.hint = CACHE_HINT_OF_L1(r->hint);
        struct found f = cache_look_up(s, l1, (unsigned)i, &seen, r->address, now);
        if (f.refused)
            return;
        l1->started = l1->started_at == now ? l1->started + 1 : 1;
        l1->started_at = now;
        r->kind = f.reads ? CACHE_READ : r->kind;
        r->where = PORT;
        r->ready = f.cycle;
        r->served = f.served;
        r->fetches = f.fetches;
        l1->outstanding += f.fetches;
        write_back(s, (unsigned)i, &f);
        r = &s->r[i];
        if (!f.served)
            continue;
        /* a copy stands for the transaction; this one stays in the port's order */
        s->credit[r->sm][s->credits[r->sm]++] = now + 1;
        struct request t = *r;
        t.ahead_count = 0;
        t.where = f.from >= 0 ? FETCH_OF_ANOTHER : NOWHERE;
        t.of = (unsigned)f.from;
        t.in_l1 = true;
        unsigned copy = simulate_add(s, t);
        if (f.from < 0)
            simulate_end(s, &s->r[copy], f.cycle);
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
        s->places[sm]++;
        r->order = s->order++;
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
    uint64_t flits = s->l.departure[r->kind];
    if (r->ready > now || (s->l.port_width && gone >= s->l.port_width) || tempo_in(s->links, s->link_free[sm]) > now)
        return false;
    uint64_t gone_at = now;
    if (flits) {
        s->link_free[sm] = max(tempo_from(s->links, now), s->link_free[sm]) + flits;
        gone_at = tempo_after(s->links, s->link_free[sm] - 1);
    }
    r->asks = r->kind;
    s->left_at[sm] = now;
    s->left[sm] = gone + 1;
    r->where = WIRE;
    r->ready = gone_at + s->l.port_latency;
    r->key = (uint64_t)(sm + 1) << 40 | s->sequence[sm]++ << 4 | 1;
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
            s->fills[first] = NOT_THERE - 1;
            unsigned id = (unsigned)s->fill_request[first];
            struct found f = cache_released(&s->l1[c], id, s->r[id].address);
            if (!f.written)
                continue;
            struct request w = {
                .where = PORT, .sm = sm, .ready = now, .order = s->order++, .served = true, .posted = true};
            write_back(s, simulate_add(s, w), &f);
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
