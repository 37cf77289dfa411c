/* The memory system as docs/timing-model.md describes it, cycle by cycle: nothing is known before it happens. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/memory/plan.h"

#define MOST 4096
#define NOT_THERE UINT64_MAX
#define ANY UINT64_MAX

enum where {
    NOWHERE,
    LSU,
    L1_QUEUE,
    PORT,
    WIRE,
    FAR_END,
    SLICE_QUEUE,
    SLICE,
    REFUSED,
    MEMORY,
    REPLY,       /* its data is at L2 */
    REPLY_QUEUE, /* waits for the slice's link */
    FETCH_OF_ANOTHER,
    DONE
};

struct request {
    enum where where;
    unsigned sm, l1, access, of; /* of: the request whose fetch it waits for */
    uint64_t address, ready, key,
        back;       /* ready: event in `where`; key: order on the chip; back: when its data is at L2 */
    uint64_t order; /* in the LSU */
    unsigned kind, asks, repeats, sectors, hint;
    uint32_t bytes;
    bool beside, posted, fetches, l2_fetches, served, in_l1; /* in_l1: waits for a fetch of L1 */
    unsigned ahead[8], ahead_count;                          /* write-backs that leave before it */
};

struct sector {
    uint64_t there; /* from this cycle on; NOT_THERE: absent, or under way */
    int fetch;      /* by this request, -1 */
    bool dirty;
    uint32_t bytes;  /* `sectored`: 32nds that are here */
    bool awaited;    /* `sectored`: asked for, and its MSHR not free yet */
    unsigned merged; /* requests for it */
};
struct cache_line {
    uint64_t tag, used;
    bool first; /* goes before others */
    struct sector sector[8];
};
/* With allocation on fill: a sector that was asked for, by a request. */
struct asked {
    bool is, dirty;
    uint64_t address;
    unsigned merged, hint;
    uint64_t there;
    bool known;
};
struct cache {
    const struct memory_level *level;
    struct cache_line line[4096];
    struct asked asked[MOST];                         /* by request */
    int64_t ways, merges, allocate, write_miss, fifo; /* of `sectored`; ways 0: it is not */
    uint64_t uses;
    uint64_t free[16], started_at, started, outstanding, hits, misses;
    uint64_t in_free, out_free, replying; /* links of a slice */
    unsigned refused[64], refused_count;  /* SMs, of a slice */
};

struct sim {
    struct memory_layout l;
    const struct plan *plan;
    struct outcome *out;
    struct request r[MOST];
    unsigned count;
    struct cache *l1, *l2; /* [sm × l1_count + l1], [slice] */
    uint64_t order, *sequence, *places, (*credit)[MOST], *credits, *held;
    uint64_t left_at[64], left[64];
    uint64_t arrival[1024];                      /* of an access */
    uint64_t latest[64];                         /* of an SM's accesses, the last arrival */
    unsigned queue[64][MOST], queued[64];        /* LSU: accesses, by arrival */
    unsigned refused[64][64], refused_count[64]; /* slices, of a channel */
    uint64_t dram_free[64], dram_started[64][MOST];
    unsigned dram_count[64];
    int64_t dram_latency, dram_interval, dram_queue;
    uint64_t fills[MOST], fill_cache[MOST], fill_request[MOST];
    uint64_t link_free[64], reply_link_free[64];
    unsigned fill_count;
    uint64_t l2_release[MOST];
};

static uint64_t max(uint64_t a, uint64_t b) { return a > b ? a : b; }

static unsigned add(struct sim *s, struct request r)
{
    cr_assert_lt(s->count, MOST);
    s->r[s->count] = r;
    return s->count++;
}

/* The transaction is served at `cycle`. */
static void end(struct sim *s, struct request *r, uint64_t cycle)
{
    r->where = DONE;
    if (r->posted)
        return;
    s->out->ends[r->access] = max(s->out->ends[r->access], cycle);
}

/* ---- caches ------------------------------------------------------------------------------------------------------ */

struct found {
    bool hit, served, fetches, refused, reads;
    int from;
    uint64_t cycle, victim, written;
};

static bool reads(const struct cache *c, unsigned kind)
{
    return kind == CACHE_READ || (kind == CACHE_ATOMIC && c->level->shape.back);
}

static struct sector *sector_at(struct cache *c, uint64_t address, bool make, struct found *f)
{
    const struct cache_shape *h = &c->level->shape;
    uint64_t tag = address / h->line + 1, i = address / h->line % h->sets;
    cr_assert_lt(i, 4096);
    if (c->line[i].tag != tag) {
        if (!make)
            return NULL;
        for (unsigned k = 0; c->line[i].tag && k < h->line / h->sector; k++)
            if (c->line[i].sector[k].dirty) {
                f->victim = (c->line[i].tag - 1) * h->line;
                f->written |= 1u << k;
            }
        c->line[i].tag = tag;
        for (unsigned k = 0; k < 8; k++)
            c->line[i].sector[k] = (struct sector){.there = NOT_THERE, .fetch = -1};
    }
    return &c->line[i].sector[address % h->line / h->sector];
}

static bool absent(struct cache *c, uint64_t address)
{
    struct sector *t = sector_at(c, address, false, NULL);
    return !t || (t->there == NOT_THERE && t->fetch < 0);
}

/* ---- `sectored` -------------------------------------------------------------------------------------------------- */

static unsigned sectors_of(const struct cache *c) { return (unsigned)(c->level->shape.line / c->level->shape.sector); }

static bool awaits(const struct cache *c, const struct cache_line *l)
{
    for (unsigned k = 0; k < sectors_of(c); k++)
        if (l->sector[k].awaited)
            return true;
    return false;
}

static struct cache_line *line_of(struct cache *c, uint64_t address)
{
    const struct cache_shape *h = &c->level->shape;
    uint64_t set = address / h->line % h->sets;
    for (int64_t w = 0; w < c->ways; w++)
        if (c->line[set * (uint64_t)c->ways + (uint64_t)w].tag == address / h->line + 1)
            return &c->line[set * (uint64_t)c->ways + (uint64_t)w];
    return NULL;
}

static void use(struct cache *c, struct cache_line *l, unsigned hint, bool new)
{
    if (c->fifo && !new)
        return;
    l->used = ++c->uses;
    l->first = hint == CACHE_HINT_FIRST;
}

/* An empty line of the set, else the one to go, which waits for nothing; NULL: all wait. */
static struct cache_line *room(struct cache *c, uint64_t address, unsigned hint, struct found *f)
{
    const struct cache_shape *h = &c->level->shape;
    struct cache_line *set = &c->line[address / h->line % h->sets * (uint64_t)c->ways], *best = NULL;
    for (int64_t w = 0; w < c->ways; w++) {
        struct cache_line *l = &set[w];
        if (!l->tag) {
            best = l;
            break;
        }
        bool before = !best || (l->first != best->first ? l->first : l->used < best->used);
        if (!awaits(c, l) && before)
            best = l;
    }
    if (!best)
        return NULL;
    for (unsigned k = 0; best->tag && k < sectors_of(c); k++)
        if (best->sector[k].dirty) {
            f->victim = (best->tag - 1) * h->line;
            f->written |= 1u << k;
        }
    *best = (struct cache_line){.tag = address / h->line + 1};
    for (unsigned k = 0; k < 8; k++)
        best->sector[k] = (struct sector){.there = NOT_THERE, .fetch = -1};
    use(c, best, hint, true);
    return best;
}

static struct sector *in_line(const struct cache *c, struct cache_line *l, uint64_t address)
{
    return l ? &l->sector[address % c->level->shape.line / c->level->shape.sector] : NULL;
}

static int asked_for(const struct sim *s, struct cache *c, uint64_t address)
{
    for (unsigned i = 0; i < s->count; i++)
        if (c->asked[i].is && c->asked[i].address == address / c->level->shape.sector)
            return (int)i;
    return -1;
}

/* Fetches the sector for this request, or refuses. */
static void ask(struct sim *s, struct cache *c, unsigned id, const struct request *r, uint64_t address,
                struct cache_line *l, struct found *f)
{
    uint64_t mshrs = c->level->mshrs;
    if (c->outstanding >= mshrs) {
        f->refused = true;
        return;
    }
    if (c->allocate) {
        c->asked[id] = (struct asked){.is = true,
                                      .dirty = r->kind != CACHE_READ,
                                      .address = address / c->level->shape.sector,
                                      .merged = 1,
                                      .hint = r->hint};
    } else {
        l = l ? l : room(c, address, r->hint, f);
        if (!l) {
            f->refused = true;
            return;
        }
        struct sector *t = in_line(c, l, address);
        t->awaited = true;
        t->fetch = (int)id;
        t->merged = 1;
        t->dirty |= r->kind != CACHE_READ;
    }
    (void)s;
    f->fetches = f->reads = true;
}

static struct found look_up_sectored(struct sim *s, struct cache *c, unsigned id, const struct request *r,
                                     uint64_t address, uint64_t cycle)
{
    struct found f = {.from = -1, .cycle = cycle};
    struct cache_line *l = line_of(c, address);
    struct sector *t = in_line(c, l, address);
    int of = c->allocate ? asked_for(s, c, address) : -1;
    bool back = c->level->shape.back, does = reads(c, r->kind), waits = c->allocate ? of >= 0 : t && t->awaited;
    bool whole = t && t->there != NOT_THERE && !(t->awaited && t->bytes != UINT32_MAX), part = t && t->bytes;
    f.hit = whole || waits || (part && r->kind == CACHE_WRITE);
    if (r->kind == CACHE_ATOMIC && !back)
        return f;
    bool joins = waits && (does ? !whole : r->kind == CACHE_WRITE && c->write_miss == 2 && !whole && !part);
    if (joins) {
        unsigned *merged = c->allocate ? &c->asked[of].merged : &t->merged;
        if (c->merges >= 0 && *merged >= (unsigned)c->merges)
            return (struct found){.refused = true};
        ++*merged;
        f.served = true;
        if (r->kind != CACHE_READ)
            *(c->allocate ? &c->asked[of].dirty : &t->dirty) = true;
        uint64_t there = c->allocate ? (c->asked[of].known ? c->asked[of].there : NOT_THERE) : t->there;
        if (there == NOT_THERE)
            f.from = c->allocate ? of : t->fetch;
        else
            f.cycle = max(cycle, there);
        if (l && does)
            use(c, l, r->hint, false);
        return f;
    }
    if (does) {
        if (!whole) {
            ask(s, c, id, r, address, l, &f);
            return f;
        }
        f.served = true;
        f.cycle = max(cycle, t->there);
        t->dirty |= r->kind != CACHE_READ;
        use(c, l, r->hint, false);
        return f;
    }
    if (!f.hit) { /* a write without a place */
        if (c->write_miss == 0)
            return f;
        if (c->write_miss == 2 && r->bytes != UINT32_MAX) {
            ask(s, c, id, r, address, l, &f);
            return f;
        }
        l = l ? l : room(c, address, r->hint, &f);
        if (!l)
            return (struct found){.refused = true};
        t = in_line(c, l, address);
    }
    f.served = back;
    if (!l) {
        c->asked[of].dirty |= back;
        return f;
    }
    t->bytes |= r->bytes;
    if (t->bytes == UINT32_MAX && t->there == NOT_THERE && !t->awaited)
        t->there = cycle;
    t->dirty |= back;
    use(c, l, r->hint, false);
    return f;
}

/* The MSHR of what this request fetched is free. */
static struct found released(struct cache *c, unsigned id, uint64_t address)
{
    struct found f = {.from = -1};
    c->outstanding--;
    if (!c->ways)
        return f;
    struct cache_line *l = line_of(c, address);
    uint64_t there = c->asked[id].there;
    bool dirty = c->asked[id].is && c->asked[id].dirty;
    if (c->allocate && !l)
        l = room(c, address, c->asked[id].hint, &f);
    struct sector *t = in_line(c, l, address);
    if (!c->allocate)
        there = t->there;
    c->asked[id].is = false;
    *t = (struct sector){there, -1, t->dirty || dirty, UINT32_MAX, false, 0};
    return f;
}

/* ---- any cache --------------------------------------------------------------------------------------------------- */

static uint64_t *port_of(struct cache *c, uint64_t address)
{
    return &c->free[c->ways ? address / c->level->shape.sector % c->level->shape.banks : 0];
}

static struct found look_up(struct sim *s, struct cache *c, unsigned id, const struct request *r, uint64_t address,
                            uint64_t now)
{
    const struct cache_shape *h = &c->level->shape;
    uint64_t more = r->kind == CACHE_ATOMIC && h->back ? (r->repeats - 1) * h->atomic_interval : 0;
    struct found f = {.from = -1, .cycle = now + h->latency + more};
    if (c->ways) {
        f = look_up_sectored(s, c, id, r, address, f.cycle);
        if (f.refused)
            return f;
        *port_of(c, address) = now + h->interval + more;
        *(f.hit ? &c->hits : &c->misses) += 1;
        return f;
    }
    c->free[0] = now + h->interval + more;
    if (!c->level->keeps)
        return f;
    f.hit = !absent(c, address);
    *(f.hit ? &c->hits : &c->misses) += 1;
    if (!reads(c, r->kind) && !h->back)
        return f;
    struct sector *t = sector_at(c, address, true, &f);
    t->dirty |= r->kind != CACHE_READ;
    f.served = f.hit || !reads(c, r->kind);
    if (!reads(c, r->kind)) {
        if (!f.hit)
            t->there = f.cycle;
    } else if (!f.hit) {
        f.fetches = true;
        t->fetch = (int)id;
    } else if (t->fetch >= 0) {
        f.from = t->fetch;
    } else {
        f.cycle = max(f.cycle, t->there);
    }
    return f;
}

static void arrived(struct cache *c, unsigned id, uint64_t address, uint64_t cycle)
{
    if (c->ways && c->allocate) {
        c->asked[id].there = cycle;
        c->asked[id].known = true;
        return;
    }
    struct sector *t = c->ways ? in_line(c, line_of(c, address), address) : sector_at(c, address, false, NULL);
    if (t && t->fetch == (int)id) {
        t->there = cycle;
        t->fetch = -1;
    }
}

/* Those that found the sector on its way. */
static void wake(struct sim *s, unsigned id, uint64_t cycle, bool on_chip)
{
    for (unsigned i = 0; i < s->count; i++)
        if (s->r[i].where == FETCH_OF_ANOTHER && s->r[i].of == id && s->r[i].in_l1 == !on_chip) {
            uint64_t at = max(s->r[i].ready, cycle);
            if (!on_chip) {
                end(s, &s->r[i], at);
                continue;
            }
            s->r[i].where = MEMORY; /* its answer is known: as if memory brought it then */
            s->r[i].back = at;
            s->r[i].l2_fetches = false;
        }
}

/* ---- SM ---------------------------------------------------------------------------------------------------------- */

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
            unsigned made = add(s, w);
            s->r[i].ahead[s->r[i].ahead_count++] = made;
        }
}

static void start_l1(struct sim *s, unsigned c, uint64_t now)
{
    for (int i; (i = first_of_l1(s, c)) >= 0;) {
        struct cache *l1 = &s->l1[c];
        struct request *r = &s->r[i];
        bool blocked = !l1->ways && reads(l1, r->kind) && absent(l1, r->address) && l1->outstanding >= s->l.l1.mshrs;
        if (*port_of(l1, r->address) > now || blocked)
            return;
        struct found f = look_up(s, l1, (unsigned)i, r, r->address, now);
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
        unsigned copy = add(s, t);
        if (f.from < 0)
            end(s, &s->r[copy], f.cycle);
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
    uint64_t flits = s->l.packet[r->kind];
    if (r->ready > now || (s->l.port_width && gone >= s->l.port_width) || s->link_free[sm] > now)
        return false;
    s->link_free[sm] = now + flits;
    r->asks = r->kind;
    s->left_at[sm] = now;
    s->left[sm] = gone + 1;
    r->where = WIRE;
    r->ready = now + s->l.port_latency + (flits ? flits - 1 : 0);
    r->key = (uint64_t)(sm + 1) << 40 | s->sequence[sm]++ << 1 | 1;
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
            struct found f = released(&s->l1[c], id, s->r[id].address);
            if (!f.written)
                continue;
            struct request w = {
                .where = PORT, .sm = sm, .ready = now, .order = s->order++, .served = true, .posted = true};
            write_back(s, add(s, w), &f);
        }
}

static void sm_cycle(struct sim *s, unsigned sm, uint64_t now)
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

/* ---- chip -------------------------------------------------------------------------------------------------------- */

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
        waiting += s->r[i].where == SLICE_QUEUE && slice_of(s, s->r[i].address) == slice;
    const struct cache *c = &s->l2[slice];
    return s->l.l2.queue != ANY && waiting + (c->started_at == now ? c->started : 0) >= s->l.l2.queue;
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
        struct request *r = &s->r[first];
        uint64_t local = memory_local(&s->l.slices, r->address);
        if (r->ready > now || *port_of(c, local) > now ||
            (s->l.interconnect.replies >= 0 && c->replying >= (uint64_t)s->l.interconnect.replies))
            return;
        if (!c->ways && reads(c, r->kind) && c->level->keeps && absent(c, local) && c->outstanding >= s->l.l2.mshrs)
            return;
        struct found f = look_up(s, c, (unsigned)first, r, local, now);
        if (f.refused)
            return;
        c->started = c->started_at == now ? c->started + 1 : 1;
        c->started_at = now;
        r->kind = f.reads ? CACHE_READ : r->kind;
        if (f.written) {
            struct request w = {.where = SLICE,
                                .sm = r->sm,
                                .kind = CACHE_WRITE,
                                .posted = true,
                                .ready = f.cycle,
                                .address = memory_global(&s->l.slices, slice, f.victim),
                                .key = r->key - 1,
                                .sectors = (unsigned)__builtin_popcountll(f.written)};
            add(s, w);
            r = &s->r[first];
        }
        r->ready = f.cycle;
        r->l2_fetches = f.fetches;
        c->outstanding += f.fetches;
        if (!f.served) {
            r->where = SLICE;
        } else if (f.from >= 0) {
            r->where = FETCH_OF_ANOTHER;
            r->of = (unsigned)f.from;
        } else {
            r->where = MEMORY; /* answered at L2 at that cycle */
            r->back = f.cycle;
        }
    }
}

static void accept(struct sim *s, unsigned i, uint64_t now)
{
    struct request *r = &s->r[i];
    s->credit[r->sm][s->credits[r->sm]++] = max(now + 1, now + s->l.port_latency);
    r->where = SLICE_QUEUE;
    r->order = s->order++;
    struct cache *c = &s->l2[slice_of(s, r->address)];
    uint64_t flits = s->l.packet[r->asks];
    r->ready = flits ? max(now, c->in_free + flits - 1) : now;
    c->in_free = r->ready + 1;
    start_slice(s, slice_of(s, r->address), now);
}

static int first_at_far_end(const struct sim *s, unsigned sm)
{
    int first = -1;
    for (unsigned i = 0; i < s->count; i++)
        if (s->r[i].where == FAR_END && s->r[i].sm == sm && (first < 0 || s->r[i].key < s->r[first].key))
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

/* The SM has its data at `there`. */
static void deliver(struct sim *s, unsigned i, uint64_t there)
{
    struct request *r = &s->r[i];
    unsigned c = r->sm * s->l.l1_count + r->l1;
    if (r->fetches) {
        s->fills[s->fill_count] = there;
        s->fill_request[s->fill_count] = i;
        s->fill_cache[s->fill_count++] = c;
        arrived(&s->l1[c], i, r->address, there);
        wake(s, i, there, false);
    }
    end(s, r, there);
}

static void send(struct sim *s, unsigned i, uint64_t now)
{
    struct request *r = &s->r[i];
    struct cache *c = &s->l2[slice_of(s, r->address)];
    uint64_t flits = s->l.reply[r->asks];
    uint64_t there = max(now + flits - 1 + s->l.port_latency, s->reply_link_free[r->sm] + flits - 1);
    c->out_free = now + flits;
    s->reply_link_free[r->sm] = there + 1;
    deliver(s, i, there);
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
    if (!c->replying && c->out_free <= now) {
        send(s, i, now);
        return;
    }
    r->where = REPLY_QUEUE;
    r->order = s->order++;
    c->replying++;
}

/* What device memory, or L2, has in this cycle. */
static void take_answers(struct sim *s, uint64_t now)
{
    for (bool again = true; again;) {
        again = false;
        for (unsigned i = 0; i < s->count; i++) {
            struct request *r = &s->r[i];
            if (r->where != MEMORY || r->back > now)
                continue;
            again = true;
            if (r->l2_fetches) {
                arrived(&s->l2[slice_of(s, r->address)], i, memory_local(&s->l.slices, r->address), r->back);
                s->l2_release[i] = r->back + 1;
                wake(s, i, r->back, true);
            }
            r->where = r->posted ? DONE : REPLY;
            r->ready = r->back;
        }
    }
}

static void send_replies(struct sim *s, uint64_t now)
{
    for (unsigned i = 0; i < s->l.slices.count; i++) {
        if (!s->l2[i].replying || s->l2[i].out_free > now)
            continue;
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
        struct found f = released(&s->l2[slice], (unsigned)first, memory_local(&s->l.slices, r->address));
        if (!f.written)
            continue;
        bool alone = first_refused(s, slice) < 0;
        add(s, (struct request){.where = REFUSED,
                                .sm = r->sm,
                                .kind = CACHE_WRITE,
                                .posted = true,
                                .address = memory_global(&s->l.slices, slice, f.victim),
                                .order = s->order++,
                                .sectors = (unsigned)__builtin_popcountll(f.written)});
        if (alone)
            send_out(s, slice, now);
    }
}

static void chip_cycle(struct sim *s, uint64_t now)
{
    release_l2(s, now);
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
    send_replies(s, now);
    for (unsigned i = 0; i < s->l.slices.count; i++)
        start_slice(s, i, now);
    for (;;) { /* what comes in this cycle: replies, then the others, by their keys */
        int first = -1;
        take_answers(s, now);
        for (unsigned i = 0; i < s->count; i++) {
            const struct request *r = &s->r[i], *best = first < 0 ? NULL : &s->r[first];
            bool comes = r->where == WIRE || r->where == SLICE || r->where == REPLY;
            bool replies = r->where == REPLY, best_replies = best && best->where == REPLY;
            if (comes && r->ready <= now && (!best || (replies != best_replies ? replies : r->key < best->key)))
                first = (int)i;
        }
        if (first < 0)
            break;
        struct request *r = &s->r[first];
        if (r->where == REPLY) {
            reply(s, (unsigned)first, now);
        } else if (r->where == WIRE) {
            bool alone = first_at_far_end(s, r->sm) < 0;
            r->where = FAR_END;
            if (alone)
                bring_in(s, r->sm, now);
        } else {
            unsigned slice = slice_of(s, r->address);
            bool alone = first_refused(s, slice) < 0;
            r->where = REFUSED;
            r->order = s->order++;
            if (alone)
                send_out(s, slice, now);
        }
    }
}

/* ---- all --------------------------------------------------------------------------------------------------------- */

static int64_t option(const struct machine_part *p, const char *key, int64_t otherwise)
{
    for (unsigned o = 0; o < p->model->option_count; o++)
        if (!strcmp(p->model->options[o].key, key))
            return p->options[o];
    return otherwise;
}

static void issue(struct sim *s, unsigned a, uint64_t now)
{
    const struct plan_access *p = &s->plan->accesses[a];
    s->out->ends[a] = now + p->initiation;
    if (!p->count)
        return;
    s->arrival[a] = now + p->initiation;
    if (!s->l.immediate && s->arrival[a] < s->latest[p->sm])
        s->arrival[a] = s->latest[p->sm];
    s->latest[p->sm] = s->arrival[a];
    unsigned at = s->queued[p->sm]++;
    for (; at && s->arrival[s->queue[p->sm][at - 1]] > s->arrival[a]; at--)
        s->queue[p->sm][at] = s->queue[p->sm][at - 1];
    s->queue[p->sm][at] = a;
    s->held[p->sm]++;
    for (unsigned t = 0; t < p->count; t++)
        add(s, (struct request){.where = LSU,
                                .sm = p->sm,
                                .l1 = p->subcore / s->l.l1_subcores,
                                .access = a,
                                .address = p->transactions[t].address,
                                .ready = s->arrival[a],
                                .kind = p->transactions[t].kind,
                                .hint = p->transactions[t].hint,
                                .bytes = p->transactions[t].bytes,
                                .repeats = p->transactions[t].repeats,
                                .sectors = 1,
                                .beside = p->transactions[t].beside_l1});
}

static void open_cache(struct cache *c, const struct memory_level *level)
{
    c->level = level;
    if (strcmp(level->model->model.name, "sectored") != 0)
        return;
    c->ways = option(level->part, "ways", 0);
    c->merges = option(level->part, "merges", -1);
    c->allocate = option(level->part, "allocate", 0);
    c->write_miss = option(level->part, "write_miss", 0);
    c->fifo = option(level->part, "replacement", 0) == 1;
}

void plan_simulate(const struct machine *m, const struct plan *plan, struct outcome *out)
{
    struct sim *s = calloc(1, sizeof *s);
    memory_layout_of(m, &s->l);
    s->plan = plan;
    s->out = out;
    unsigned sms = s->l.sms, next = 0, open = 1;
    s->l1 = calloc(sms * s->l.l1_count, sizeof *s->l1);
    s->l2 = calloc(s->l.slices.count, sizeof *s->l2);
    s->sequence = calloc(sms, sizeof *s->sequence);
    s->places = calloc(sms, sizeof *s->places);
    s->credit = calloc(sms, sizeof *s->credit);
    s->credits = calloc(sms, sizeof *s->credits);
    s->held = calloc(sms, sizeof *s->held);
    for (unsigned i = 0; i < sms * s->l.l1_count; i++)
        open_cache(&s->l1[i], &s->l.l1);
    for (unsigned i = 0; i < s->l.slices.count; i++)
        open_cache(&s->l2[i], &s->l.l2);
    s->dram_latency = option(&m->dram, "latency", 0);
    s->dram_interval = option(&m->dram, "interval", 0);
    s->dram_queue = option(&m->dram, "queue", -1);
    for (uint64_t now = 0; next < plan->count || open; now++) {
        cr_assert_lt(now, 1000000, "it never ends");
        for (unsigned sm = 0; sm < sms; sm++)
            sm_cycle(s, sm, now);
        chip_cycle(s, now);
        for (; next < plan->count && plan->accesses[next].issue <= now &&
               s->held[plan->accesses[next].sm] < s->l.lsu_queue;
             next++)
            issue(s, next, now);
        open = 0;
        for (unsigned i = 0; i < s->count; i++)
            open += s->r[i].where != DONE || s->r[i].l2_fetches;
        for (unsigned i = 0; i < s->fill_count; i++)
            open += s->fills[i] < NOT_THERE - 1 && s->fills[i] >= now;
    }
    for (unsigned i = 0; i < sms * s->l.l1_count; i++) {
        out->l1_hits += s->l1[i].hits;
        out->l1_misses += s->l1[i].misses;
    }
    for (unsigned i = 0; i < s->l.slices.count; i++) {
        out->l2_hits += s->l2[i].hits;
        out->l2_misses += s->l2[i].misses;
    }
    free(s->l1);
    free(s->l2);
    free(s->sequence);
    free(s->places);
    free(s->credit);
    free(s->credits);
    free(s->held);
    free(s);
}
