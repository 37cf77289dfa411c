#include "hw-models/sector-cache/sector-cache.h"

#include <stdlib.h>
#include <string.h>

#define SECTORS 4u
#define BUCKETS 1024u

enum { INVALID, RESERVED, VALID, MODIFIED };

struct line {
    uint64_t tag, used;
    uint32_t written[SECTORS]; /* bytes */
    uint8_t state[SECTORS];
    uint8_t readable, modified_on_fill, ignored; /* a bit per sector */
};

struct waiter {
    void *request;
    struct waiter *next;
};

struct mshr {
    uint64_t key; /* line × 4 + sector */
    struct waiter *first, *last;
    uint32_t count;
    struct mshr *next, *next_ready;
};

struct sector_cache {
    struct sector_cache_shape shape;
    struct line *lines;
    uint32_t room; /* lines that were made room for */
    uint32_t dirty;
    struct mshr *bucket[BUCKETS], *ready, *last_ready, *spare;
    struct waiter *spare_waiters;
    uint32_t mshr_count;
};

static bool has_state(const struct line *l, uint8_t state)
{
    for (unsigned s = 0; s < SECTORS; s++)
        if (l->state[s] == state)
            return true;
    return false;
}

static bool is_present(const struct line *l)
{
    for (unsigned s = 0; s < SECTORS; s++)
        if (l->state[s] != INVALID)
            return true;
    return false;
}

struct sector_cache *sector_cache_new(const struct sector_cache_shape *shape)
{
    struct sector_cache *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->shape = *shape;
    c->room = shape->sets * shape->ways;
    c->lines = calloc(c->room, sizeof *c->lines);
    if (c->lines)
        return c;
    free(c);
    return NULL;
}

void sector_cache_free(struct sector_cache *c)
{
    if (!c)
        return;
    for (unsigned b = 0; b < BUCKETS; b++)
        for (struct mshr *m = c->bucket[b], *next; m; m = next) {
            next = m->next;
            for (struct waiter *w = m->first, *after; w; w = after) {
                after = w->next;
                free(w);
            }
            free(m);
        }
    for (struct mshr *m = c->spare, *next; m; m = next) {
        next = m->next;
        free(m);
    }
    for (struct waiter *w = c->spare_waiters, *next; w; w = next) {
        next = w->next;
        free(w);
    }
    free(c->lines);
    free(c);
}

void sector_cache_clear(struct sector_cache *c, uint32_t ways)
{
    c->shape.ways = ways * c->shape.sets <= c->room ? ways : c->room / c->shape.sets;
    memset(c->lines, 0, c->room * sizeof *c->lines);
    c->dirty = 0;
}

/* ---- requests under way ------------------------------------------------------------------------------------------ */

static struct mshr **mshr_of(struct sector_cache *c, uint64_t key)
{
    struct mshr **at = &c->bucket[(key ^ key >> 10) % BUCKETS];
    while (*at && (*at)->key != key)
        at = &(*at)->next;
    return at;
}

static bool add_waiter(struct sector_cache *c, struct mshr *m, void *request)
{
    struct waiter *w = c->spare_waiters;
    if (w)
        c->spare_waiters = w->next;
    else if (!(w = malloc(sizeof *w)))
        return false;
    *w = (struct waiter){request, NULL};
    *(m->last ? &m->last->next : &m->first) = w;
    m->last = w;
    m->count++;
    return true;
}

static bool add_mshr(struct sector_cache *c, struct mshr **at, uint64_t key, void *request)
{
    struct mshr *m = c->spare;
    if (m)
        c->spare = m->next;
    else if (!(m = malloc(sizeof *m)))
        return false;
    *m = (struct mshr){.key = key};
    *at = m;
    c->mshr_count++;
    return add_waiter(c, m, request);
}

bool sector_cache_has_ready(const struct sector_cache *c) { return c->ready; }

void *sector_cache_ready(struct sector_cache *c)
{
    struct mshr *m = c->ready;
    if (!m)
        return NULL;
    struct waiter *w = m->first;
    void *request = w->request;
    m->first = w->next;
    w->next = c->spare_waiters;
    c->spare_waiters = w;
    m->count--;
    if (m->first)
        return request;
    c->ready = m->next_ready;
    if (!c->ready)
        c->last_ready = NULL;
    struct mshr **at = mshr_of(c, m->key);
    *at = m->next;
    m->next = c->spare;
    c->spare = m;
    c->mshr_count--;
    return request;
}

/* ---- lines ------------------------------------------------------------------------------------------------------- */

static bool may_replace_dirty(const struct sector_cache *c)
{
    return (uint64_t)c->dirty * 100 >= (uint64_t)c->shape.dirty_percent * c->shape.sets * c->shape.ways;
}

/* The line of this tag, or NULL and in *victim the one to be replaced: the last that is empty, else the least recently
 * used; NULL: none may be. */
static struct line *probe(struct sector_cache *c, uint64_t tag, uint32_t set, struct line **victim)
{
    struct line *lines = &c->lines[set * c->shape.ways], *empty = NULL, *oldest = NULL;
    bool dirty_too = may_replace_dirty(c);
    for (uint32_t w = 0; w < c->shape.ways; w++) {
        struct line *l = &lines[w];
        bool present = is_present(l);
        if (present && l->tag == tag)
            return l;
        if (has_state(l, RESERVED) || (!dirty_too && has_state(l, MODIFIED)))
            continue;
        if (!present)
            empty = l;
        else if (!oldest || l->used < oldest->used)
            oldest = l;
    }
    *victim = empty ? empty : oldest;
    return NULL;
}

/* Reserves the sector, in a new line if there is none. */
static void reserve(struct sector_cache *c, struct line *l, bool is_new, uint64_t tag, unsigned sector, uint64_t now,
                    struct sector_victim *victim)
{
    bool was_dirty = has_state(l, MODIFIED);
    if (is_new) {
        if (was_dirty) {
            for (unsigned s = 0; s < SECTORS; s++)
                victim->sectors += l->state[s] == MODIFIED;
            victim->line = l->tag;
            c->dirty--;
        }
        *l = (struct line){.tag = tag};
    }
    uint8_t bit = (uint8_t)(1u << sector);
    l->modified_on_fill &= (uint8_t)~bit;
    if (!is_new && l->state[sector] == MODIFIED)
        l->modified_on_fill |= bit;
    l->ignored &= (uint8_t)~bit;
    l->readable |= bit;
    l->state[sector] = RESERVED;
    l->used = now;
    if (!is_new && was_dirty && !has_state(l, MODIFIED))
        c->dirty--;
}

static void make_dirty(struct sector_cache *c, struct line *l, unsigned sector)
{
    if (!has_state(l, MODIFIED))
        c->dirty++;
    l->state[sector] = MODIFIED;
}

enum sector_find sector_cache_read(struct sector_cache *c, uint64_t line, uint32_t set, unsigned sector, uint64_t now,
                                   bool room, bool atomic, void *request, struct sector_victim *victim)
{
    struct line *replaced = NULL, *l = probe(c, line, set, &replaced);
    *victim = (struct sector_victim){0};
    if (l && (l->state[sector] == VALID || (l->state[sector] == MODIFIED && l->readable >> sector & 1))) {
        l->used = now;
        if (atomic)
            make_dirty(c, l, sector);
        return SECTOR_HIT;
    }
    if ((!l && !replaced) || !room)
        return SECTOR_REFUSED;
    uint64_t key = line * SECTORS + sector;
    struct mshr **at = mshr_of(c, key);
    if (*at ? (*at)->count >= c->shape.merges : c->mshr_count >= c->shape.mshrs)
        return SECTOR_REFUSED;
    bool merged = *at;
    if (!(merged ? add_waiter(c, *at, request) : add_mshr(c, at, key, request)))
        return SECTOR_REFUSED;
    if (l && l->state[sector] == RESERVED)
        l->used = now;
    else
        reserve(c, l ? l : replaced, !l, line, sector, now, victim);
    if (!c->shape.back)
        victim->sectors = 0;
    return merged ? SECTOR_MERGED : SECTOR_MISS;
}

enum sector_find sector_cache_write(struct sector_cache *c, uint64_t line, uint32_t set, unsigned sector,
                                    uint32_t bytes, uint64_t now, bool room, struct sector_victim *victim)
{
    struct line *replaced = NULL, *l = probe(c, line, set, &replaced);
    uint8_t bit = (uint8_t)(1u << sector);
    *victim = (struct sector_victim){0};
    bool hit = l && (l->state[sector] == VALID || l->state[sector] == MODIFIED);
    if ((!l && !replaced) || (!room && !(hit && c->shape.back)))
        return SECTOR_REFUSED;
    bool pending = l && l->state[sector] == RESERVED;
    if (hit || pending)
        l->used = now;
    else {
        reserve(c, l ? l : replaced, !l, line, sector, now, victim);
        l = l ? l : replaced;
    }
    make_dirty(c, l, sector);
    l->written[sector] |= bytes;
    if (pending) {
        l->ignored |= bit;
        l->modified_on_fill |= bit;
    }
    if (!hit)
        l->readable = (uint8_t)(bytes == UINT32_MAX ? l->readable | bit : l->readable & ~bit);
    if (l->written[sector] == UINT32_MAX)
        l->readable |= bit;
    if (!c->shape.back)
        victim->sectors = 0;
    return hit ? SECTOR_HIT : SECTOR_MISS;
}

void sector_cache_fill(struct sector_cache *c, uint64_t line, uint32_t set, unsigned sector, bool atomic)
{
    struct line *replaced, *l = probe(c, line, set, &replaced);
    struct mshr *m = *mshr_of(c, line * SECTORS + sector);
    if (l && (l->state[sector] == RESERVED || l->ignored >> sector & 1)) {
        bool was_dirty = has_state(l, MODIFIED);
        uint8_t bit = (uint8_t)(1u << sector);
        l->state[sector] = l->modified_on_fill & bit ? MODIFIED : VALID;
        l->readable |= bit; /* what was fetched and what was written make it whole */
        l->ignored &= (uint8_t)~bit;
        if (has_state(l, MODIFIED) && !was_dirty)
            c->dirty++;
        if (atomic)
            make_dirty(c, l, sector);
    }
    if (!m)
        return;
    *(c->last_ready ? &c->last_ready->next_ready : &c->ready) = m;
    c->last_ready = m;
}

void sector_cache_preload(struct sector_cache *c, uint64_t line, uint32_t set, unsigned sector, uint64_t now)
{
    struct sector_victim victim = {0};
    struct line *replaced = NULL, *l = probe(c, line, set, &replaced);
    if (!l && !replaced)
        return;
    if (!l || l->state[sector] == INVALID)
        reserve(c, l ? l : replaced, !l, line, sector, now, &victim);
    l = l ? l : replaced;
    if (l->state[sector] == RESERVED)
        l->state[sector] = VALID;
    l->used = now;
}
