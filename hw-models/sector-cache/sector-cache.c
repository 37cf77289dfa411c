#include "hw-models/sector-cache/sector-cache.h"

#include <stdlib.h>
#include <string.h>

#define SECTORS 4u
#define BUCKETS 256u
#define NONE UINT32_MAX

/* A bit per sector in each of the small fields. A line is never empty again once it has a tag. */
struct line {
    uint64_t tag;
    uint32_t written[SECTORS]; /* bytes */
    uint32_t owner;
    uint8_t reserved, valid, modified; /* at most one of these: what the sector is; none: it is not there */
    uint8_t readable, modified_on_fill, ignored;
    uint32_t next; /* of the lines with its hash */
};

struct set {
    uint32_t empty;      /* ways without a line: those below this number */
    uint64_t last, uses; /* when a line was used last; of uses at one time only the first counts */
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
    struct set *sets;
    struct replacement replacement;
    uint64_t *reserved, *modified, *kept; /* of each set, a bit for each way; `kept` of the one that needs room */
    uint32_t words;                       /* of a set's bits */
    uint32_t *hash;                       /* the first line of each */
    uint32_t hash_mask;
    uint32_t room; /* lines that were made room for */
    uint32_t dirty;
    struct mshr *bucket[BUCKETS], *ready, *last_ready, *spare;
    struct waiter *spare_waiters;
    uint32_t mshr_count;
    uint64_t changes;
};

static uint32_t hash_of(const struct sector_cache *c, uint64_t tag)
{
    return (uint32_t)(tag * 0x9e3779b97f4a7c15u >> 32) & c->hash_mask;
}

static void clear_lines(struct sector_cache *c)
{
    memset(c->lines, 0, c->room * sizeof *c->lines);
    memset(c->reserved, 0, (size_t)c->shape.sets * c->words * sizeof *c->reserved);
    memset(c->modified, 0, (size_t)c->shape.sets * c->words * sizeof *c->modified);
    replacement_begin(&c->replacement, c->replacement.state, c->shape.replacement, c->shape.sets, c->shape.ways);
    for (uint32_t s = 0; s < c->shape.sets; s++)
        c->sets[s] = (struct set){.empty = c->shape.ways};
    memset(c->hash, 0xff, (c->hash_mask + 1) * sizeof *c->hash);
    c->dirty = 0;
}

struct sector_cache *sector_cache_new(const struct sector_cache_shape *shape)
{
    struct sector_cache *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->shape = *shape;
    c->room = shape->sets * shape->ways;
    for (c->hash_mask = 15; c->hash_mask < c->room;)
        c->hash_mask = 2 * c->hash_mask + 1;
    c->words = replacement_words(shape->ways);
    c->replacement.state = malloc(replacement_size(shape->replacement, shape->sets, shape->ways));
    c->reserved = malloc((size_t)shape->sets * c->words * sizeof *c->reserved);
    c->modified = malloc((size_t)shape->sets * c->words * sizeof *c->modified);
    c->kept = malloc(c->words * sizeof *c->kept);
    c->lines = malloc(c->room * sizeof *c->lines);
    c->sets = malloc(shape->sets * sizeof *c->sets);
    c->hash = malloc((c->hash_mask + 1) * sizeof *c->hash);
    if (c->lines && c->sets && c->hash && c->replacement.state && c->reserved && c->modified && c->kept) {
        clear_lines(c);
        return c;
    }
    sector_cache_free(c);
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
    free(c->replacement.state);
    free(c->reserved);
    free(c->modified);
    free(c->kept);
    free(c->lines);
    free(c->sets);
    free(c->hash);
    free(c);
}

void sector_cache_clear(struct sector_cache *c, uint32_t ways)
{
    c->shape.ways = ways * c->shape.sets <= c->room ? ways : c->room / c->shape.sets;
    clear_lines(c);
    c->changes++;
}

uint64_t sector_cache_changes(const struct sector_cache *c) { return c->changes; }

/* ---- requests under way ------------------------------------------------------------------------------------------ */

static struct mshr **mshr_of(struct sector_cache *c, uint64_t key)
{
    struct mshr **at = &c->bucket[(key ^ key >> 8 ^ key >> 16) % BUCKETS];
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
    c->changes++;
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

static struct line *find(const struct sector_cache *c, uint64_t tag)
{
    for (uint32_t i = c->hash[hash_of(c, tag)]; i != NONE; i = c->lines[i].next)
        if (c->lines[i].tag == tag)
            return &c->lines[i];
    return NULL;
}

static void set_bit(uint64_t *words, uint32_t way, bool is)
{
    words[way / 64] = (words[way / 64] & ~(1ull << way % 64)) | (uint64_t)is << way % 64;
}

/* The line's sectors have changed. */
static void mark(struct sector_cache *c, const struct line *l)
{
    uint32_t number = (uint32_t)(l - c->lines), set = number / c->shape.ways, way = number % c->shape.ways;
    uint64_t *modified = &c->modified[(size_t)set * c->words];
    c->dirty += (l->modified != 0) - (uint32_t)replacement_is_kept(modified, way);
    set_bit(modified, way, l->modified != 0);
    set_bit(&c->reserved[(size_t)set * c->words], way, l->reserved != 0);
}

/* Whether some line of the set may make way; finds which may not. A set full of dirty lines gives one up however few
 * are dirty elsewhere: nothing else would ever make room. (In Accel-Sim its accesses wait until enough lines of other
 * sets are dirty.) */
static bool may_make_room(struct sector_cache *c, uint32_t set)
{
    const uint64_t *reserved = &c->reserved[(size_t)set * c->words], *modified = &c->modified[(size_t)set * c->words];
    bool dirty_too = may_replace_dirty(c), any_reserved = false;
    for (uint32_t w = 0; w < c->words; w++) {
        c->kept[w] = reserved[w] | (dirty_too ? 0 : modified[w]);
        any_reserved |= reserved[w];
    }
    if (c->sets[set].empty || replacement_any_free(c->kept, c->shape.ways))
        return true;
    memset(c->kept, 0, c->words * sizeof *c->kept);
    return !any_reserved;
}

/* The line that makes way, after may_make_room(): the last that is empty, else the policy's. */
static struct line *choose_victim(const struct sector_cache *c, uint32_t set)
{
    uint32_t empty = c->sets[set].empty;
    return &c->lines[set * c->shape.ways +
                     (empty ? empty - 1 : c->replacement.policy->victim(&c->replacement, set, c->kept))];
}

/* The time of a use in this set, as the policy counts. */
static uint64_t time_of(struct set *s, uint64_t now)
{
    s->uses += !s->uses || s->last != now;
    s->last = now;
    return s->uses;
}

static void use(struct sector_cache *c, const struct line *l, uint64_t now)
{
    uint32_t number = (uint32_t)(l - c->lines), set = number / c->shape.ways;
    replacement_use(&c->replacement, set, number % c->shape.ways, time_of(&c->sets[set], now), CACHE_HINT_NONE);
}

static void unlink_hash(struct sector_cache *c, const struct line *l)
{
    uint32_t *at = &c->hash[hash_of(c, l->tag)];
    while (&c->lines[*at] != l)
        at = &c->lines[*at].next;
    *at = l->next;
}

/* The victim gets another tag. */
static void replace(struct sector_cache *c, struct line *l, uint64_t tag, uint64_t now, struct sector_victim *victim)
{
    uint32_t number = (uint32_t)(l - c->lines), *first = &c->hash[hash_of(c, tag)];
    uint32_t set = number / c->shape.ways, way = number % c->shape.ways;
    struct set *s = &c->sets[set];
    if (way + 1 == s->empty)
        s->empty--;
    else {
        unlink_hash(c, l);
        victim->replaced = true;
        victim->line = l->tag;
        victim->owner = l->owner;
        victim->sectors = (uint32_t)__builtin_popcount(l->modified);
    }
    *l = (struct line){.tag = tag, .next = *first};
    *first = number;
    replacement_fill(&c->replacement, set, way, time_of(s, now), CACHE_HINT_NONE);
}

/* Reserves the sector, in a new line of the set if `l` is NULL. Returns its line. */
static struct line *reserve(struct sector_cache *c, struct line *l, uint32_t set, uint64_t tag, unsigned sector,
                            uint64_t now, struct sector_victim *victim)
{
    uint8_t bit = (uint8_t)(1u << sector);
    if (l)
        use(c, l, now);
    else
        replace(c, l = choose_victim(c, set), tag, now, victim);
    l->modified_on_fill = (uint8_t)((l->modified_on_fill & ~bit) | (l->modified & bit));
    l->ignored &= (uint8_t)~bit;
    l->readable |= bit;
    l->reserved |= bit;
    l->valid &= (uint8_t)~bit;
    l->modified &= (uint8_t)~bit;
    mark(c, l);
    return l;
}

static void make_dirty(struct sector_cache *c, struct line *l, unsigned sector)
{
    uint8_t bit = (uint8_t)(1u << sector);
    l->reserved &= (uint8_t)~bit;
    l->valid &= (uint8_t)~bit;
    l->modified |= bit;
    mark(c, l);
}

enum sector_find sector_cache_read(struct sector_cache *c, uint64_t line, uint32_t set, unsigned sector, uint64_t now,
                                   bool room, bool atomic, void *request, struct sector_victim *victim)
{
    struct line *l = find(c, line);
    uint8_t bit = (uint8_t)(1u << sector);
    *victim = (struct sector_victim){0};
    if (l && ((l->valid | (l->modified & l->readable)) & bit)) {
        use(c, l, now);
        c->changes++;
        if (atomic)
            make_dirty(c, l, sector);
        return SECTOR_HIT;
    }
    if (!room || (!l && !may_make_room(c, set)))
        return SECTOR_REFUSED;
    uint64_t key = line * SECTORS + sector;
    struct mshr **at = mshr_of(c, key);
    if (*at ? (*at)->count >= c->shape.merges : c->mshr_count >= c->shape.mshrs)
        return SECTOR_REFUSED;
    bool merged = *at;
    if (!(merged ? add_waiter(c, *at, request) : add_mshr(c, at, key, request)))
        return SECTOR_REFUSED;
    c->changes++;
    if (l && l->reserved & bit)
        use(c, l, now);
    else
        reserve(c, l, set, line, sector, now, victim);
    if (!c->shape.back)
        victim->sectors = 0;
    return merged ? SECTOR_MERGED : SECTOR_MISS;
}

enum sector_find sector_cache_write(struct sector_cache *c, uint64_t line, uint32_t set, unsigned sector,
                                    uint32_t bytes, uint64_t now, bool room, struct sector_victim *victim)
{
    struct line *l = find(c, line);
    uint8_t bit = (uint8_t)(1u << sector);
    *victim = (struct sector_victim){0};
    bool hit = l && (l->valid | l->modified) & bit;
    if ((!room && !(hit && c->shape.back)) || (!l && !may_make_room(c, set)))
        return SECTOR_REFUSED;
    c->changes++;
    bool pending = l && l->reserved & bit;
    if (hit || pending)
        use(c, l, now);
    else
        l = reserve(c, l, set, line, sector, now, victim);
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

void sector_cache_own(struct sector_cache *c, uint64_t line, uint32_t owner)
{
    struct line *l = find(c, line);
    if (l && !l->owner)
        l->owner = owner;
}

/* The sector is there; what was written meanwhile stays written. */
static void complete(struct sector_cache *c, struct line *l, unsigned sector)
{
    uint8_t bit = (uint8_t)(1u << sector);
    bool dirty = l->modified_on_fill & bit;
    l->reserved &= (uint8_t)~bit;
    l->valid = (uint8_t)(dirty ? l->valid & ~bit : l->valid | bit);
    l->modified = (uint8_t)(dirty ? l->modified | bit : l->modified & ~bit);
    l->readable |= bit; /* what was fetched and what was written make it whole */
    l->ignored &= (uint8_t)~bit;
    mark(c, l);
}

void sector_cache_fill(struct sector_cache *c, uint64_t line, unsigned sector, bool atomic)
{
    struct line *l = find(c, line);
    struct mshr *m = *mshr_of(c, line * SECTORS + sector);
    c->changes++;
    if (l && (l->reserved | l->ignored) >> sector & 1) {
        complete(c, l, sector);
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
    struct line *l = find(c, line);
    uint8_t bit = (uint8_t)(1u << sector);
    if (!l && !may_make_room(c, set))
        return;
    if (!l || !((l->reserved | l->valid | l->modified) & bit))
        l = reserve(c, l, set, line, sector, now, &victim);
    if (l->reserved & bit) {
        l->reserved &= (uint8_t)~bit;
        l->valid |= bit;
        mark(c, l);
    }
    use(c, l, now);
}
