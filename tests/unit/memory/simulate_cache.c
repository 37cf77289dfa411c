#include <criterion/criterion.h>

#include "tests/unit/memory/simulate.h"

bool cache_reads(const struct cache *c, unsigned kind)
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

bool cache_absent(struct cache *c, uint64_t address)
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

/* An empty line of the set, else the one to go, which waits for nothing; NULL: all wait. */
static struct cache_line *one_to_go(struct cache *c, struct cache_line *set)
{
    struct oracle_way *way[MOST_WAYS];
    bool waits[MOST_WAYS], all = true;
    for (unsigned w = 0; w < c->ways; w++) {
        if (!set[w].tag)
            return &set[w];
        way[w] = &set[w].way;
        waits[w] = awaits(c, &set[w]);
        all &= waits[w];
    }
    return all ? NULL : &set[oracle_victim(&c->oracle, way, waits, (unsigned)c->ways)];
}

/* The line with its room made. */
static struct cache_line *room(struct cache *c, uint64_t address, unsigned hint, struct found *f)
{
    const struct cache_shape *h = &c->level->shape;
    struct cache_line *best = one_to_go(c, &c->line[address / h->line % h->sets * (uint64_t)c->ways]);
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
    oracle_fill(&c->oracle, &best->way, hint);
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
static void ask(struct cache *c, unsigned id, const struct request *r, uint64_t address, struct cache_line *l,
                struct found *f)
{
    if (!c->on_fill && c->outstanding < c->level->mshrs)
        l = l ? l : room(c, address, r->hint, f);
    if (c->outstanding >= c->level->mshrs || (!c->on_fill && !l)) {
        f->refused = true;
        return;
    }
    if (c->on_fill) {
        c->asked[id] = (struct asked){.is = true,
                                      .dirty = r->kind != CACHE_READ,
                                      .address = address / c->level->shape.sector,
                                      .merged = !r->around,
                                      .hint = r->hint};
    } else {
        struct sector *t = in_line(c, l, address);
        t->awaited = true;
        t->fetch = (int)id;
        t->merged = !r->around;
        t->dirty |= r->kind != CACHE_READ;
    }
    f->fetches = f->reads = true;
}

/* What a look-up begins with: its sector, if its line is there, and the request that asked for it. */
struct seen {
    struct cache_line *line;
    struct sector *sector;
    int of;                  /* with room that is made on fill; -1: nobody asked */
    bool whole, part, waits; /* all of it is there, or bytes of it; it was asked for */
};

static struct seen see(const struct sim *s, struct cache *c, uint64_t address)
{
    struct cache_line *l = line_of(c, address);
    struct sector *t = in_line(c, l, address);
    const int of = c->on_fill ? asked_for(s, c, address) : -1;
    return (struct seen){.line = l,
                         .sector = t,
                         .of = of,
                         .whole = t && t->there != NOT_THERE && !t->awaited,
                         .part = t && t->bytes,
                         .waits = c->on_fill ? of >= 0 : t && t->awaited};
}

/* The request waits for the fetch of an earlier one, or is refused, as too many do. */
static struct found join_fetch(struct cache *c, const struct seen *seen, const struct request *r, uint64_t cycle)
{
    struct asked *asked = c->on_fill ? &c->asked[seen->of] : NULL;
    struct sector *t = seen->sector;
    struct found f = {.from = -1, .cycle = cycle, .served = true};
    unsigned *merged = asked ? &asked->merged : &t->merged;
    if (c->merges >= 0 && *merged >= (unsigned)c->merges)
        return (struct found){.refused = true};
    f.hit = *merged || r->around;
    *merged += !r->around;
    if (r->kind != CACHE_READ)
        *(asked ? &asked->dirty : &t->dirty) = true;
    const uint64_t there = !asked ? t->there : asked->known ? asked->there : NOT_THERE;
    if (there == NOT_THERE)
        f.from = asked ? seen->of : t->fetch;
    else
        f.cycle = max(cycle, there);
    if (seen->line && cache_reads(c, r->kind))
        oracle_use(&c->oracle, &seen->line->way, r->hint);
    return f;
}

/* A write that reads nothing leaves its bytes, if there is a place for them or one is made. */
static struct found write_into(struct cache *c, unsigned id, const struct request *r, uint64_t address,
                               const struct seen *seen, struct found f)
{
    struct cache_line *l = seen->line;
    if (!f.hit) { /* without a place */
        if (c->write_miss == MISS_AROUND)
            return f;
        if (c->write_miss == MISS_FETCH && r->bytes != UINT32_MAX) {
            ask(c, id, r, address, l, &f);
            return f;
        }
        l = l ? l : room(c, address, r->hint, &f);
        if (!l)
            return (struct found){.refused = true};
    }
    const bool back = c->level->shape.back;
    f.served = back;
    if (!l) {
        c->asked[seen->of].dirty |= back;
        return f;
    }
    struct sector *t = in_line(c, l, address);
    t->bytes |= r->bytes;
    if (t->bytes == UINT32_MAX && t->there == NOT_THERE && !t->awaited)
        t->there = f.cycle;
    t->dirty |= back;
    oracle_use(&c->oracle, &l->way, r->hint);
    return f;
}

static struct found look_up_sectored(struct sim *s, struct cache *c, unsigned id, const struct request *r,
                                     uint64_t address, uint64_t cycle)
{
    const struct seen seen = see(s, c, address);
    struct found f = {.from = -1, .cycle = cycle};
    const bool reads = cache_reads(c, r->kind), writes = r->kind == CACHE_WRITE;
    f.hit = seen.whole || seen.waits || (seen.part && writes);
    if (r->kind == CACHE_ATOMIC && !c->level->shape.back)
        return f;
    if (seen.waits && !seen.whole && (reads || (writes && c->write_miss == MISS_FETCH && !seen.part)))
        return join_fetch(c, &seen, r, cycle);
    if (!reads)
        return write_into(c, id, r, address, &seen, f);
    if (!seen.whole) {
        ask(c, id, r, address, seen.line, &f);
        return f;
    }
    f.served = true;
    f.cycle = max(cycle, seen.sector->there);
    seen.sector->dirty |= r->kind != CACHE_READ;
    oracle_use(&c->oracle, &seen.line->way, r->hint);
    return f;
}

struct found cache_look_up_beside(struct sim *s, struct cache *c, unsigned id, const struct request *r,
                                  uint64_t address, uint64_t cycle)
{
    return look_up_sectored(s, c, id, r, address, cycle);
}

/* The MSHR of what this request fetched is free. */
struct found cache_released(struct cache *c, unsigned id, uint64_t address)
{
    struct found f = {.from = -1};
    c->outstanding--;
    if (!c->ways)
        return f;
    struct cache_line *l = line_of(c, address);
    uint64_t there = c->asked[id].there;
    bool dirty = c->asked[id].is && c->asked[id].dirty;
    if (c->on_fill && !l)
        l = room(c, address, c->asked[id].hint, &f);
    struct sector *t = in_line(c, l, address);
    if (!c->on_fill)
        there = t->there;
    c->asked[id].is = false;
    *t = (struct sector){there, -1, t->dirty || dirty, UINT32_MAX, false, 0};
    return f;
}

/* ---- any cache --------------------------------------------------------------------------------------------------- */

uint64_t *cache_port(struct cache *c, uint64_t address)
{
    return &c->free[c->ways ? address / c->level->shape.sector % c->level->shape.banks : 0];
}

struct found cache_look_up(struct sim *s, struct cache *c, unsigned id, const struct request *r, uint64_t address,
                           uint64_t now)
{
    const struct cache_shape *h = &c->level->shape;
    uint64_t more = r->kind == CACHE_ATOMIC && h->back ? (r->repeats - 1) * h->atomic_interval : 0;
    uint64_t start = max(tempo_from(c->tempo, now), *cache_port(c, address));
    const uint64_t end = tempo_after(c->tempo, start + h->latency + more);
    struct found f = {.from = -1, .cycle = end, .end = end};
    if (c->ways) {
        f = look_up_sectored(s, c, id, r, address, end);
        f.end = end;
        if (f.refused)
            return f;
        *cache_port(c, address) = start + h->interval + more;
        *(f.hit ? &c->hits : &c->misses) += 1;
        return f;
    }
    c->free[0] = start + h->interval + more;
    if (!c->level->keeps)
        return f;
    f.hit = !cache_absent(c, address);
    *(f.hit ? &c->hits : &c->misses) += 1;
    if (!cache_reads(c, r->kind) && !h->back)
        return f;
    struct sector *t = sector_at(c, address, true, &f);
    t->dirty |= r->kind != CACHE_READ;
    f.served = f.hit || !cache_reads(c, r->kind);
    if (!cache_reads(c, r->kind)) {
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

void cache_arrived(struct cache *c, unsigned id, uint64_t address, uint64_t cycle)
{
    if (c->ways && c->on_fill) {
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
void simulate_wake(struct sim *s, unsigned id, uint64_t cycle, bool on_chip)
{
    for (unsigned i = 0; i < s->count; i++)
        if (s->r[i].where == FETCH_OF_ANOTHER && s->r[i].of == id && s->r[i].in_l1 == !on_chip) {
            uint64_t at = max(s->r[i].ready, cycle);
            if (!on_chip) {
                simulate_end(s, &s->r[i], at);
                continue;
            }
            s->r[i].where = MEMORY; /* its answer is known: as if memory brought it then */
            s->r[i].back = at;
            s->r[i].l2_fetches = false;
        }
}
