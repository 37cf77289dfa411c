/* Stepped caches answer as a plain model does, which looks at every line of a set and knows no lists: random accesses,
 * fills and clearings, on caches of all shapes. */
#include <criterion/criterion.h>
#include <string.h>

#include "hw-models/cache/staged.h"
#include "hw-models/cache/stepped.h"
#include "tests/support/synthetic_trace.h"

enum { NOTHING, RESERVED, VALID, MODIFIED };
#define LINES 64
#define MSHRS 64

struct plain_line {
    uint64_t tag, used;
    int state[4];
    uint32_t written[4];
    bool readable[4], modified_on_fill[4], ignored[4];
};
struct plain_mshr { /* a sector under way: who waits for it, as numbers */
    uint64_t key;
    uint32_t count, first;
    uint64_t waiter[MSHRS];
    bool ready;
    uint64_t order;
};
struct plain {
    struct {
        uint32_t sets, ways, mshrs, merges, dirty_percent;
        bool back;
    } shape;
    struct plain_line line[LINES];
    struct plain_mshr mshr[MSHRS];
    uint32_t mshr_count;
    uint64_t fills;
};

static bool has(const struct plain_line *l, int state)
{
    bool any = false;
    for (int s = 0; s < 4; s++)
        any |= l->state[s] == state;
    return any;
}
static bool present(const struct plain_line *l) { return has(l, RESERVED) || has(l, VALID) || has(l, MODIFIED); }

static uint32_t dirty_lines(const struct plain *p)
{
    uint32_t dirty = 0;
    for (uint32_t i = 0; i < p->shape.sets * p->shape.ways; i++)
        dirty += has(&p->line[i], MODIFIED);
    return dirty;
}

static struct plain_line *find(struct plain *p, uint64_t tag, uint32_t set, struct plain_line **victim)
{
    struct plain_line *lines = &p->line[set * p->shape.ways], *empty = NULL, *oldest = NULL, *oldest_dirty = NULL;
    bool any_reserved = false;
    bool dirty_too = dirty_lines(p) * 100 >= p->shape.dirty_percent * p->shape.sets * p->shape.ways;
    for (uint32_t w = 0; w < p->shape.ways; w++) {
        struct plain_line *l = &lines[w];
        if (present(l) && l->tag == tag)
            return l;
        any_reserved |= has(l, RESERVED);
        if (has(l, MODIFIED) && (!oldest_dirty || l->used < oldest_dirty->used))
            oldest_dirty = l;
        if (has(l, RESERVED) || (has(l, MODIFIED) && !dirty_too))
            continue;
        if (!present(l))
            empty = l;
        else if (!oldest || l->used < oldest->used)
            oldest = l;
    }
    *victim = empty || oldest ? (empty ? empty : oldest) : any_reserved ? NULL : oldest_dirty;
    return NULL;
}

static struct plain_line *reserve(const struct plain *p, struct plain_line *l, struct plain_line *victim, uint64_t tag,
                                  unsigned sector, uint64_t now, struct sector_victim *gone)
{
    bool is_new = !l;
    l = l ? l : victim;
    if (is_new) {
        for (int s = 0; s < 4; s++)
            gone->sectors += l->state[s] == MODIFIED;
        gone->line = gone->sectors ? l->tag : 0;
        *l = (struct plain_line){.tag = tag};
    }
    l->modified_on_fill[sector] = l->state[sector] == MODIFIED;
    l->ignored[sector] = false;
    l->readable[sector] = true;
    l->state[sector] = RESERVED;
    l->used = now;
    if (!p->shape.back)
        gone->sectors = 0;
    return l;
}

static struct plain_mshr *mshr_of(struct plain *p, uint64_t key)
{
    for (uint32_t i = 0; i < p->mshr_count; i++)
        if (p->mshr[i].key == key)
            return &p->mshr[i];
    return NULL;
}

static enum sector_find plain_read(struct plain *p, uint64_t tag, uint32_t set, unsigned sector, uint64_t now,
                                   bool room, bool atomic, uint64_t who, struct sector_victim *gone)
{
    struct plain_line *victim = NULL, *l = find(p, tag, set, &victim);
    *gone = (struct sector_victim){0};
    if (l && (l->state[sector] == VALID || (l->state[sector] == MODIFIED && l->readable[sector]))) {
        l->used = now;
        l->state[sector] = atomic ? MODIFIED : l->state[sector];
        return SECTOR_HIT;
    }
    struct plain_mshr *f = mshr_of(p, tag * 4 + sector);
    if ((!l && !victim) || !room || (f ? f->count >= p->shape.merges : p->mshr_count >= p->shape.mshrs))
        return SECTOR_REFUSED;
    bool merged = f != NULL;
    if (!f) {
        f = &p->mshr[p->mshr_count++];
        *f = (struct plain_mshr){.key = tag * 4 + sector};
    }
    f->waiter[f->first + f->count++] = who;
    if (l && l->state[sector] == RESERVED)
        l->used = now;
    else
        reserve(p, l, victim, tag, sector, now, gone);
    return merged ? SECTOR_MERGED : SECTOR_MISS;
}

static enum sector_find plain_write(struct plain *p, uint64_t tag, uint32_t set, unsigned sector, uint32_t bytes,
                                    uint64_t now, bool room, struct sector_victim *gone)
{
    struct plain_line *victim = NULL, *l = find(p, tag, set, &victim);
    *gone = (struct sector_victim){0};
    bool hit = l && (l->state[sector] == VALID || l->state[sector] == MODIFIED),
         pending = l && l->state[sector] == RESERVED;
    if ((!l && !victim) || (!room && !(hit && p->shape.back)))
        return SECTOR_REFUSED;
    if (!hit && !pending)
        l = reserve(p, l, victim, tag, sector, now, gone);
    l->used = now;
    l->state[sector] = MODIFIED;
    l->written[sector] |= bytes;
    if (pending)
        l->ignored[sector] = l->modified_on_fill[sector] = true;
    if (!hit)
        l->readable[sector] = bytes == UINT32_MAX;
    l->readable[sector] |= l->written[sector] == UINT32_MAX;
    return hit ? SECTOR_HIT : SECTOR_MISS;
}

static void plain_fill(struct plain *p, struct plain_mshr *f, uint32_t set, bool atomic)
{
    struct plain_line *victim, *l = find(p, f->key / 4, set, &victim);
    unsigned s = f->key % 4;
    if (l && (l->state[s] == RESERVED || l->ignored[s])) {
        l->state[s] = l->modified_on_fill[s] || atomic ? MODIFIED : VALID;
        l->readable[s] = true;
        l->ignored[s] = false;
    }
    f->ready = true;
    f->order = p->fills++;
}

/* 0: nobody. */
static uint64_t plain_ready(struct plain *p)
{
    struct plain_mshr *first = NULL;
    for (uint32_t i = 0; i < p->mshr_count; i++)
        if (p->mshr[i].ready && (!first || p->mshr[i].order < first->order))
            first = &p->mshr[i];
    if (!first)
        return 0;
    uint64_t who = first->waiter[first->first++];
    if (!--first->count)
        *first = p->mshr[--p->mshr_count];
    return who;
}

struct pair {
    struct plain plain;
    const struct stepped_cache *model;
    void *cache;
    uint64_t seed, now, who;
};

static uint64_t random_below(struct pair *t, uint64_t below) { return synthetic_random(&t->seed) % below; }

static void access(struct pair *t)
{
    struct sector_victim a, b;
    enum sector_find x, y;
    uint64_t line = random_below(t, 3 * t->plain.shape.sets * t->plain.shape.ways);
    uint32_t set = (uint32_t)(line % t->plain.shape.sets),
             bytes = random_below(t, 2) ? UINT32_MAX : 0xffffu << random_below(t, 17);
    unsigned sector = (unsigned)random_below(t, 4);
    bool room = random_below(t, 8) != 0, atomic = random_below(t, 8) == 0;
    if (random_below(t, 2)) {
        x = plain_read(&t->plain, line, set, sector, t->now, room, atomic, ++t->who, &a);
        y = t->model->read(t->cache, line, set, sector, t->now, room, atomic, (void *)(uintptr_t)t->who, &b);
    } else {
        x = plain_write(&t->plain, line, set, sector, bytes, t->now, room, &a);
        y = t->model->write(t->cache, line, set, sector, bytes, t->now, room, &b);
    }
    cr_assert_eq(x, y);
    cr_assert(a.sectors == b.sectors && (!a.sectors || a.line == b.line));
}

static void step(struct pair *t)
{
    struct plain *p = &t->plain;
    uint64_t kind = random_below(t, 100);
    t->now += random_below(t, 3) == 0; /* several accesses have the same time */
    if (kind < 60)
        access(t);
    else if (kind < 80 && p->mshr_count) {
        struct plain_mshr *f = &p->mshr[random_below(t, p->mshr_count)];
        bool atomic = random_below(t, 8) == 0;
        if (f->ready)
            return;
        t->model->fill(t->cache, f->key / 4, f->key % 4, atomic);
        plain_fill(p, f, (uint32_t)(f->key / 4 % p->shape.sets), atomic);
    } else if (kind < 99) {
        uint64_t who = plain_ready(p);
        cr_assert_eq((uint64_t)(uintptr_t)t->model->ready(t->cache), who);
    } else if (random_below(t, 20) == 0) {
        memset(p->line, 0, sizeof p->line);
        t->model->clear(t->cache, p->shape.ways);
    }
}

static void *open_alike(struct pair *t)
{
    const struct plain *p = &t->plain;
    const struct cache_shape shape = {.sets = p->shape.sets, .ways = p->shape.ways, .back = p->shape.back};
    int64_t options[STAGED_CACHE_REPLACEMENT + 1] = {
        [STAGED_CACHE_MERGES] = p->shape.merges, [STAGED_CACHE_DIRTY] = p->shape.dirty_percent};
    return t->model->open(options, &shape, p->shape.mshrs);
}

Test(cache_staged, answers_as_a_plain_model)
{
    for (uint64_t seed = 1; seed <= 200; seed++) {
        struct pair t = {.seed = seed, .model = cache_staged.stepped};
        t.plain.shape.sets = 1u << random_below(&t, 3);
        t.plain.shape.ways = 1 + (uint32_t)random_below(&t, 12);
        t.plain.shape.mshrs = 1 + (uint32_t)random_below(&t, 12);
        t.plain.shape.merges = 1 + (uint32_t)random_below(&t, 4);
        t.plain.shape.dirty_percent = (uint32_t)random_below(&t, 3) * 50;
        t.plain.shape.back = random_below(&t, 2);
        t.cache = open_alike(&t);
        cr_assert(t.cache);
        for (int i = 0; i < 3000; i++)
            step(&t);
        t.model->close(t.cache);
    }
}
