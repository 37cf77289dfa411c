/* A cache of lines with four sectors. A look-up may fail for want of a line, an MSHR entry or room in the miss queue. A
 * read reserves its line and sector at once (allocation on miss). A write is kept without a fetch, so that only some
 * bytes of a sector may be valid. Rules: docs/accelsim.md; Accel-Sim's gpu-cache.cc was read for them. */
#include "hw-models/cache/staged.h"

#include <stdlib.h>
#include <string.h>

#include "hw-models/cache/stepped.h"

static const struct model_option options_of[] = {
#define X(id, key, unit, least, most, initial, help)                                                                   \
    [STAGED_CACHE_##id] = {key, OPTION_INTEGER, unit, least, most, initial, NULL, help},
    STAGED_CACHE_OPTIONS(X)
#undef X
        [STAGED_CACHE_REPLACEMENT] = REPLACEMENT_OPTION("replacement"),
};

#define SECTORS 4u
#define BUCKETS 256u
#define NONE UINT32_MAX

/* The fields of 8 bits have a bit for each sector. A line that has a tag is never empty again. */
struct line {
    uint64_t tag;
    uint32_t written[SECTORS]; /* bytes of the sector, a bit each */
    uint32_t owner;
    uint8_t reserved, valid, modified; /* the state of the sector: one of these, or absent */
    uint8_t readable, modified_on_fill, ignored;
    uint32_t next; /* the next line with the same hash */
};

struct set {
    uint32_t empty;      /* the ways below this number have no line */
    uint64_t last, uses; /* when a line was last used; how many uses there were, those at one time counted once */
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
    struct {
        uint32_t sets, ways;    /* lines of STEPPED_LINE bytes */
        uint32_t mshrs, merges; /* sectors in flight; requests that wait for each */
        uint32_t dirty_percent; /* share of lines that must be dirty before a dirty line may be replaced */
        bool back;              /* a dirty line that is replaced is written back */
        int64_t replacement;    /* the value of option `replacement` */
    } shape;
    struct line *lines;
    struct set *sets;
    struct replacement replacement;
    uint64_t *reserved, *modified, *kept; /* [sets], a bit for each way; `kept`: of one set, ways that must stay */
    uint32_t words;                       /* words of such a set of bits */
    uint32_t *hash;                       /* the first line with each hash */
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

static void free_waiters(struct waiter *w)
{
    for (struct waiter *next; w; w = next) {
        next = w->next;
        free(w);
    }
}

/* Frees a list of entries with their waiters. Spare entries have none. */
static void free_mshrs(struct mshr *m)
{
    for (struct mshr *next; m; m = next) {
        next = m->next;
        free_waiters(m->first);
        free(m);
    }
}

static void close_cache(void *cache)
{
    struct sector_cache *c = cache;
    if (!c)
        return;
    for (unsigned b = 0; b < BUCKETS; b++)
        free_mshrs(c->bucket[b]);
    free_mshrs(c->spare);
    free_waiters(c->spare_waiters);
    free(c->replacement.state);
    free(c->reserved);
    free(c->modified);
    free(c->kept);
    free(c->lines);
    free(c->sets);
    free(c->hash);
    free(c);
}

/* Allocates the arrays of the lines, all empty. False: out of memory. */
static bool new_lines(struct sector_cache *c)
{
    uint32_t sets = c->shape.sets, ways = c->shape.ways;
    c->room = sets * ways;
    for (c->hash_mask = 15; c->hash_mask < c->room;)
        c->hash_mask = 2 * c->hash_mask + 1;
    c->words = replacement_words(ways);
    c->replacement.state = malloc(replacement_size(c->shape.replacement, sets, ways));
    c->reserved = malloc((size_t)sets * c->words * sizeof *c->reserved);
    c->modified = malloc((size_t)sets * c->words * sizeof *c->modified);
    c->kept = malloc(c->words * sizeof *c->kept);
    c->lines = malloc(c->room * sizeof *c->lines);
    c->sets = malloc(sets * sizeof *c->sets);
    c->hash = malloc((c->hash_mask + 1) * sizeof *c->hash);
    if (!c->lines || !c->sets || !c->hash || !c->replacement.state || !c->reserved || !c->modified || !c->kept)
        return false;
    clear_lines(c);
    return true;
}

static void *open_cache(const int64_t *options, const struct cache_shape *shape, uint32_t mshrs)
{
    struct sector_cache *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->shape.sets = (uint32_t)shape->sets;
    c->shape.ways = (uint32_t)shape->ways;
    c->shape.back = shape->back;
    c->shape.mshrs = mshrs;
    c->shape.merges = (uint32_t)options[STAGED_CACHE_MERGES];
    c->shape.dirty_percent = (uint32_t)options[STAGED_CACHE_DIRTY];
    c->shape.replacement = options[STAGED_CACHE_REPLACEMENT];
    if (new_lines(c))
        return c;
    close_cache(c);
    return NULL;
}

static void clear(void *cache, uint32_t ways)
{
    struct sector_cache *c = cache;
    c->shape.ways = ways * c->shape.sets <= c->room ? ways : c->room / c->shape.sets;
    clear_lines(c);
    c->changes++;
}

static uint64_t changes(const void *cache) { return ((const struct sector_cache *)cache)->changes; }

/* ---- requests in flight ------------------------------------------------------------------------------------------ */

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

static bool has_ready(const void *cache) { return ((const struct sector_cache *)cache)->ready; }

static void *ready(void *cache)
{
    struct sector_cache *c = cache;
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

/* Updates the set's bits after sectors of the line changed. */
static void mark(struct sector_cache *c, const struct line *l)
{
    uint32_t number = (uint32_t)(l - c->lines), set = number / c->shape.ways, way = number % c->shape.ways;
    uint64_t *modified = &c->modified[(size_t)set * c->words];
    c->dirty += (l->modified != 0) - (uint32_t)replacement_is_kept(modified, way);
    set_bit(modified, way, l->modified != 0);
    set_bit(&c->reserved[(size_t)set * c->words], way, l->reserved != 0);
}

/* Whether the set has an empty way or a line that may be replaced; sets c->kept to the lines that may not. If all lines
 * of the set are dirty, one of them may be replaced however few are dirty elsewhere: nothing else would ever make room.
 * (In Accel-Sim the access waits until enough lines of other sets are dirty.) */
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

/* After may_make_room(): the last empty line, else the one that the policy chooses. */
static struct line *choose_victim(const struct sector_cache *c, uint32_t set)
{
    uint32_t empty = c->sets[set].empty;
    return &c->lines[set * c->shape.ways +
                     (empty ? empty - 1 : c->replacement.policy->victim(&c->replacement, set, c->kept))];
}

/* The time of a use in this set for the policy: uses in one cycle have the same time. */
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

/* Gives the line to another tag, and reports what it held. */
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

static enum sector_find read_sector(void *cache, uint64_t line, uint32_t set, unsigned sector, uint64_t now, bool room,
                                    bool atomic, void *request, struct sector_victim *victim)
{
    struct sector_cache *c = cache;
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

static enum sector_find write_sector(void *cache, uint64_t line, uint32_t set, unsigned sector, uint32_t bytes,
                                     uint64_t now, bool room, struct sector_victim *victim)
{
    struct sector_cache *c = cache;
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

static void own(void *cache, uint64_t line, uint32_t owner)
{
    struct line *l = find(cache, line);
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
    l->readable |= bit; /* fetched and written bytes together are the whole sector */
    l->ignored &= (uint8_t)~bit;
    mark(c, l);
}

static void fill(void *cache, uint64_t line, unsigned sector, bool atomic)
{
    struct sector_cache *c = cache;
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

static void preload(void *cache, uint64_t line, uint32_t set, unsigned sector, uint64_t now)
{
    struct sector_cache *c = cache;
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

/* ---- the model --------------------------------------------------------------------------------------------------- */

static size_t state_size(const int64_t *options)
{
    (void)options;
    return 0;
}

static void reset(void *state, const int64_t *options)
{
    (void)state;
    (void)options;
}

static const char *check(const int64_t *o)
{
    return o[STAGED_CACHE_SIZE] < STEPPED_LINE * o[STAGED_CACHE_SETS] ||
                   o[STAGED_CACHE_SIZE] % (STEPPED_LINE * o[STAGED_CACHE_SETS])
               ? "size must be a multiple of 128 bytes times sets"
               : NULL;
}

static void shape(const int64_t *o, struct cache_shape *s)
{
    uint64_t sets = (uint64_t)o[STAGED_CACHE_SETS];
    *s = (struct cache_shape){.sets = sets,
                              .ways = (uint64_t)o[STAGED_CACHE_SIZE] / STEPPED_LINE / sets,
                              .line = STEPPED_LINE,
                              .sector = 32,
                              .latency = (uint64_t)o[STAGED_CACHE_LATENCY],
                              .interval = 1,
                              .banks = (uint64_t)o[STAGED_CACHE_BANKS]};
}

static uint32_t misses(const int64_t *o) { return (uint32_t)o[STAGED_CACHE_MISSES]; }

static const struct stepped_cache stepped = {
    .misses = misses,
    .open = open_cache,
    .close = close_cache,
    .clear = clear,
    .read = read_sector,
    .write = write_sector,
    .own = own,
    .fill = fill,
    .ready = ready,
    .has_ready = has_ready,
    .changes = changes,
    .preload = preload,
};

const struct cache_model cache_staged = {
    .model =
        {.name = "staged",
         .help = "the one of pipeline staged: lines reserved by misses, queues, MSHRs and banks stepped cycle by cycle",
         .options = options_of,
         .option_count = MODEL_COUNT_OF(options_of),
         .state_size = state_size,
         .check = check},
    .keeps = true,
    .reset = reset,
    .shape = shape,
    .stepped = &stepped,
};
