/* A set-associative cache of lines in sectors. It refuses a look-up when no MSHR entry is free, when the sector's MSHR
 * entry takes no more requests, or when all lines of the set wait for sectors.
 *
 * `allocate = miss`: the first fetch of a sector of a line makes room for the line. The line stays until all sectors
 * that it waits for have arrived. `allocate = fill`: room is made when the sector arrives.
 *
 * Writes. `through`: they go on to the next level. `back`: they end here if their sector is kept, and are written back
 * with their line. If the sector is absent: `around` keeps nothing, and the write goes on. `validate` keeps the written
 * bytes without a fetch (Jouppi, "Cache Write Policies and Performance", ISCA 1993: write-validate); the sector is
 * there once all its bytes were written, and a read of a sector that is there in part fetches the rest. `fetch` fetches
 * the sector unless the write covers all of it.
 *
 * `dirty_ways`: a write that makes one more line of a set dirty than so many has another one written back, which
 * stays: of those all of whose bytes are there and all of whose sectors are dirty, the one that the policy names. If
 * there is none, the line is one too many: what is still being written would be written back again and again.
 */
#include "hw-models/cache/cache.h"
#include "hw-models/cache/set-hash.h"

#include <string.h>

#define MOST_SECTORS 8
#define MOST_WAYS 4096
#define MOST_UNDER_WAY 4096u /* sectors in flight, with allocation on fill */
#define BUCKETS 1024u
#define NO_ENTRY UINT16_MAX
#define NO_LINE UINT32_MAX

enum {
    SIZE,
    WAYS,
    LINE,
    SECTOR,
    REPLACEMENT,
    HASH,
    ALLOCATE,
    WRITE,
    WRITE_MISS,
    LATENCY,
    INTERVAL,
    ATOMIC,
    BANKS,
    MERGES,
    DIRTY_WAYS
};
enum { ON_MISS, ON_FILL };
enum { THROUGH, BACK };
enum { AROUND, VALIDATE, FETCH };
static const char *const hashes[] = {"none", "xor", "ipoly", NULL};
static const char *const allocations[] = {"miss", "fill", NULL};
static const char *const writes[] = {"through", "back", NULL};
static const char *const write_misses[] = {"around", "validate", "fetch", NULL};
static const struct model_option options_of[] = {
    [SIZE] = {"size", OPTION_INTEGER, "bytes", 32, (int64_t)1 << 32, 24576, NULL,
              "capacity, a multiple of line times ways"},
    [WAYS] = {"ways", OPTION_INTEGER, "ways", 1, MOST_WAYS, 4, NULL, "lines of a set"},
    [LINE] = {"line", OPTION_INTEGER, "bytes", 16, 4096, 128, NULL, "size of a line, a power of two"},
    [SECTOR] = {"sector", OPTION_INTEGER, "bytes", 16, 4096, 32, NULL,
                "size of a sector, what one request fills; a power of two, at least an eighth of line"},
    [REPLACEMENT] = REPLACEMENT_OPTION("replacement"),
    [HASH] = {"hash", OPTION_CHOICE, "", 0, 2, SET_HASH_NONE, hashes,
              "the set of a line: its lowest bits, exclusive-ored groups of bits, or a polynomial (Rau 1991)"},
    [ALLOCATE] = {"allocate", OPTION_CHOICE, "", 0, 1, ON_MISS, allocations,
                  "when a line is made room for: when its sector is asked for, or when it comes"},
    [WRITE] = {"write", OPTION_CHOICE, "", 0, 1, THROUGH, writes,
               "writes go on to the next level, or stay until their line goes"},
    [WRITE_MISS] =
        {"write_miss", OPTION_CHOICE, "", 0, 2, AROUND, write_misses,
         "a write whose sector is absent: keep nothing; keep the bytes written; fetch the sector (write-back only)"},
    [LATENCY] = {"latency", OPTION_INTEGER, "cycles", 0, 1000000, 80, NULL,
                 "from the start of a look-up to the data, or to the request to the next level"},
    [INTERVAL] = {"interval", OPTION_INTEGER, "cycles", 0, 100000, 1, NULL,
                  "between the starts of two look-ups of a bank; 0: no limit"},
    [ATOMIC] =
        {"atomic_interval", OPTION_INTEGER, "cycles", 0, 100000, 0, NULL,
         "that a bank stays busy longer for each lane of an atomic beyond the first at one address, where atomics are "
         "done here (write-back)"},
    [BANKS] = {"banks", OPTION_INTEGER, "banks", 1, CACHE_MOST_BANKS, 1, NULL,
               "each with a port of its own; neighbouring sectors lie in neighbouring banks; a power of two"},
    [MERGES] = {"merges", OPTION_INTEGER, "requests", -1, 65535, -1, NULL,
                "that may wait for one sector, the one that fetches it included; -1: any number"},
    [DIRTY_WAYS] = {"dirty_ways", OPTION_INTEGER, "lines", 0, MOST_WAYS, 0, NULL,
                    "of a set that may be dirty before a whole one is written back early; 0: all of them"},
};

struct sector {
    uint64_t arrival; /* FETCHED_BY | the name of the fetch, or the cycle */
    uint32_t bytes;   /* 32nds that were written since it was absent */
    uint32_t merged;  /* requests that wait for it; of a sector that comes with another one, 0 at first */
};
#define FETCHED_BY (1ull << 63)

struct line {
    uint8_t there, under_way, dirty; /* sectors, a bit each */
};

/* A sector in flight that has no line yet. */
struct entry {
    struct sector sector;
    uint64_t number; /* of the sector in memory */
    uint16_t next;   /* the next entry of its bucket, or of the free list */
    bool dirty;
    uint8_t hint;
};

struct sectored {
    uint64_t sets, clock;
    uint32_t ways, kept_words, sectors, most_merged, dirty_ways;
    unsigned line_shift, sector_shift;
    uint8_t write_miss;
    bool back, on_fill;
    struct set_hash hash;
    struct replacement replacement;
    /* arrays behind this struct, by set × ways + way, or by set */
    uint64_t *tag;
    uint64_t *kept;  /* [sets][kept_words], a bit for each way: its line waits for sectors */
    uint64_t *clean; /* with dirty_ways, [sets][kept_words], a bit for each way: its line is not dirty */
    uint32_t *dirty; /* with dirty_ways, [sets]: lines that are */
    uint8_t *mark;   /* a hash of the tag: for most ways it rules out a hit */
    struct line *line;
    struct sector *sector;
    uint32_t *filled; /* lines of the set in use: always its first ways */
    struct entry *entry;
    uint16_t *bucket, free_entry;
    uint32_t entries;
    /* The line that was looked for last: sectors of a line come one after the other. */
    uint64_t last_number;
    uint32_t last_set, last_line; /* NO_LINE: it was absent */
};

/* ---- options ----------------------------------------------------------------------------------------------------- */

static bool is_power(int64_t n) { return !(n & (n - 1)); }
static uint64_t sets_of(const int64_t *o) { return (uint64_t)(o[SIZE] / o[LINE] / o[WAYS]); }

static const char *check(const int64_t *o)
{
    if (!is_power(o[LINE]) || !is_power(o[SECTOR]))
        return "line and sector must be powers of two";
    if (o[SECTOR] > o[LINE])
        return "sector must not be larger than line";
    if (o[LINE] / o[SECTOR] > MOST_SECTORS)
        return "sector must be at least an eighth of line";
    if (o[SIZE] % (o[LINE] * o[WAYS]) || !sets_of(o))
        return "size must be a multiple of line times ways";
    if (o[HASH] != SET_HASH_NONE && (!is_power((int64_t)sets_of(o)) || sets_of(o) > 1u << SET_HASH_MOST_BITS))
        return "with hash, the number of sets (size / line / ways) must be a power of two, at most 65536";
    if (!is_power(o[BANKS]))
        return "banks must be a power of two";
    if (o[WRITE] == THROUGH && o[WRITE_MISS] == FETCH)
        return "write_miss 'fetch' needs write 'back'";
    if (o[DIRTY_WAYS] > o[WAYS])
        return "dirty_ways must not be more than ways";
    if (o[BANKS] > 1 && o[ATOMIC])
        return "atomic_interval needs a single bank";
    return o[MERGES] ? NULL : "merges must not be 0";
}

static size_t rounded(size_t n) { return (n + 63) / 64 * 64; }

struct sizes {
    /* where each array begins */
    size_t tag, kept, replacement, mark, line, sector, filled, clean, dirty, entry, bucket, all;
};

static struct sizes sizes_of(const int64_t *o)
{
    size_t sets = sets_of(o), lines = sets * (size_t)o[WAYS], sectors = lines * (size_t)(o[LINE] / o[SECTOR]);
    bool on_fill = o[ALLOCATE] == ON_FILL;
    struct sizes s = {.tag = rounded(sizeof(struct sectored))};
    s.kept = s.tag + rounded(lines * sizeof(uint64_t));
    s.replacement = s.kept + rounded(sets * replacement_words((uint32_t)o[WAYS]) * sizeof(uint64_t));
    s.mark = s.replacement + rounded(replacement_size(o[REPLACEMENT], sets, (uint32_t)o[WAYS]));
    s.line = s.mark + rounded(lines);
    s.sector = s.line + rounded(lines * sizeof(struct line));
    s.filled = s.sector + rounded(sectors * sizeof(struct sector));
    s.clean = s.filled + rounded(sets * sizeof(uint32_t));
    bool limited = o[DIRTY_WAYS];
    s.dirty = s.clean + (limited ? rounded(sets * replacement_words((uint32_t)o[WAYS]) * sizeof(uint64_t)) : 0);
    s.entry = s.dirty + (limited ? rounded(sets * sizeof(uint32_t)) : 0);
    s.bucket = s.entry + (on_fill ? rounded(MOST_UNDER_WAY * sizeof(struct entry)) : 0);
    s.all = s.bucket + (on_fill ? rounded(BUCKETS * sizeof(uint16_t)) : 0);
    return s;
}

static size_t state_size(const int64_t *options) { return sizes_of(options).all; }

static void empty_entries(struct sectored *c)
{
    for (uint32_t e = 0; e < MOST_UNDER_WAY; e++)
        c->entry[e].next = (uint16_t)(e + 1 < MOST_UNDER_WAY ? e + 1 : NO_ENTRY);
    memset(c->bucket, 0xff, BUCKETS * sizeof *c->bucket);
}

static void reset(void *state, const int64_t *o)
{
    struct sectored *c = state;
    struct sizes at = sizes_of(o);
    memset(state, 0, at.all);
    char *base = state;
    c->sets = sets_of(o);
    c->ways = (uint32_t)o[WAYS];
    c->kept_words = replacement_words(c->ways);
    c->sectors = (uint32_t)(o[LINE] / o[SECTOR]);
    c->dirty_ways = (uint32_t)o[DIRTY_WAYS];
    c->most_merged = o[MERGES] < 0 ? UINT32_MAX : (uint32_t)o[MERGES];
    c->line_shift = (unsigned)__builtin_ctzll((uint64_t)o[LINE]);
    c->sector_shift = (unsigned)__builtin_ctzll((uint64_t)o[SECTOR]);
    c->write_miss = (uint8_t)o[WRITE_MISS];
    c->back = o[WRITE] == BACK;
    c->on_fill = o[ALLOCATE] == ON_FILL;
    if (o[HASH] != SET_HASH_NONE)
        set_hash_begin(&c->hash, (unsigned)o[HASH], (unsigned)__builtin_ctzll(c->sets));
    c->tag = (uint64_t *)(base + at.tag);
    c->kept = (uint64_t *)(base + at.kept);
    replacement_begin(&c->replacement, base + at.replacement, o[REPLACEMENT], c->sets, c->ways);
    c->mark = (uint8_t *)(base + at.mark);
    c->line = (struct line *)(base + at.line);
    c->sector = (struct sector *)(base + at.sector);
    c->filled = (uint32_t *)(base + at.filled);
    c->clean = (uint64_t *)(base + at.clean);
    c->dirty = (uint32_t *)(base + at.dirty);
    if (c->dirty_ways)
        memset(c->clean, 0xff, c->sets * c->kept_words * sizeof *c->clean);
    c->entry = (struct entry *)(base + at.entry);
    c->bucket = (uint16_t *)(base + at.bucket);
    if (c->on_fill)
        empty_entries(c);
    c->last_number = UINT64_MAX; /* no line's */
}

static void shape(const int64_t *o, struct cache_shape *out)
{
    *out = (struct cache_shape){
        .sets = sets_of(o),
        .ways = (uint64_t)o[WAYS],
        .line = (uint64_t)o[LINE],
        .sector = (uint64_t)o[SECTOR],
        .latency = (uint64_t)o[LATENCY],
        .interval = (uint64_t)o[INTERVAL],
        .atomic_interval = (uint64_t)o[ATOMIC],
        .banks = (uint64_t)o[BANKS],
        .back = o[WRITE] == BACK,
    };
}

/* ---- lines ------------------------------------------------------------------------------------------------------- */

/* Where an address belongs: its set, its line if that is there, and its sector. */
struct spot {
    uint64_t tag;
    uint32_t set, line; /* NO_LINE: absent */
    unsigned sector;
};

static uint8_t mark_of(uint64_t tag) { return (uint8_t)(tag * 0x9e3779b97f4a7c15 >> 56); }

/* The line with this tag in the set. */
static uint32_t find_line(const struct sectored *c, uint32_t set, uint64_t tag)
{
    const uint8_t *mark = &c->mark[set * c->ways], *end = mark + c->filled[set];
    for (const uint8_t *m = mark; (m = memchr(m, mark_of(tag), (size_t)(end - m))); m++)
        if (c->tag[set * c->ways + (m - mark)] == tag)
            return set * c->ways + (uint32_t)(m - mark);
    return NO_LINE;
}

static inline struct spot spot_of(struct sectored *c, uint64_t address)
{
    uint64_t number = address >> c->line_shift;
    if (number != c->last_number) {
        c->last_number = number;
        c->last_set = c->hash.kind ? set_hash(&c->hash, number) : (uint32_t)(number % c->sets);
        c->last_line = find_line(c, c->last_set, number + 1);
    } else if (c->last_line == NO_LINE || c->tag[c->last_line] != number + 1) {
        c->last_line = find_line(c, c->last_set, number + 1);
    }
    return (struct spot){number + 1, c->last_set, c->last_line,
                         (unsigned)(address >> c->sector_shift) & (c->sectors - 1)};
}

static struct sector *sector_at(const struct sectored *c, const struct spot *s)
{
    return &c->sector[(uint64_t)s->line * c->sectors + s->sector];
}

/* Tells the replacement policy that the line is used. */
static void touch(struct sectored *c, const struct spot *s, enum cache_hint hint)
{
    replacement_use(&c->replacement, s->set, s->line - s->set * c->ways, ++c->clock, hint);
}

/* The ways of the set that may not be replaced, a bit each. */
static uint64_t *kept_of(const struct sectored *c, uint32_t set) { return &c->kept[(uint64_t)set * c->kept_words]; }

static void keep_line(struct sectored *c, uint32_t set, uint32_t line)
{
    uint32_t way = line - set * c->ways;
    kept_of(c, set)[way / 64] |= 1ull << way % 64;
}

static void release_line(struct sectored *c, uint32_t set, uint32_t line)
{
    uint32_t way = line - set * c->ways;
    kept_of(c, set)[way / 64] &= ~(1ull << way % 64);
}

/* ---- dirty lines ------------------------------------------------------------------------------------------------- */

static void count_dirty(struct sectored *c, uint32_t set, uint32_t line, bool dirty)
{
    uint64_t *word = &c->clean[(uint64_t)set * c->kept_words + (line - set * c->ways) / 64];
    uint64_t bit = 1ull << (line - set * c->ways) % 64;
    *word = dirty ? *word & ~bit : *word | bit;
    c->dirty[set] += dirty ? 1 : -1u;
}

/* The line is to be written back, now or when it is replaced. */
static void write_line_back(const struct sectored *c, uint32_t line, struct cache_finding *f)
{
    f->victim = (c->tag[line] - 1) << c->line_shift;
    f->written = c->line[line].dirty;
}

/* Whether the line has all its sectors, and all of them are dirty. */
static bool is_written(const struct sectored *c, uint32_t line)
{
    const uint32_t all = (1u << c->sectors) - 1;
    return c->line[line].dirty == all && c->line[line].there == all;
}

/* The set has a dirty line too many: another one than `line` that was written as a whole is written back, and stays. */
static void clean_one(struct sectored *c, uint32_t set, uint32_t line, struct cache_finding *f)
{
    uint64_t kept[MOST_WAYS / 64];
    for (uint32_t w = 0; w < c->kept_words; w++)
        kept[w] = c->clean[(uint64_t)set * c->kept_words + w] | c->kept[(uint64_t)set * c->kept_words + w];
    kept[(line - set * c->ways) / 64] |= 1ull << (line - set * c->ways) % 64;
    for (uint32_t way = 0; way < c->ways; way++)
        kept[way / 64] |= (uint64_t)!is_written(c, set * c->ways + way) << way % 64;
    if (!replacement_any_free(kept, c->ways))
        return;
    uint32_t oldest = set * c->ways + c->replacement.policy->victim(&c->replacement, set, kept);
    write_line_back(c, oldest, f);
    c->line[oldest].dirty = 0;
    count_dirty(c, set, oldest, false);
}

/* Marks a sector of the line dirty. */
static void soil(struct sectored *c, const struct spot *s, struct cache_finding *f)
{
    struct line *l = &c->line[s->line];
    bool was = l->dirty;
    l->dirty |= (uint8_t)(1u << s->sector);
    if (was || !c->dirty_ways)
        return;
    count_dirty(c, s->set, s->line, true);
    if (c->dirty[s->set] > c->dirty_ways)
        clean_one(c, s->set, s->line, f);
}

/* ---- making room ------------------------------------------------------------------------------------------------- */

/* The policy chooses a victim only if there is one: a refused look-up must not change its state, as engines may retry
 * it any number of times. */
static uint32_t line_to_fill(struct sectored *c, uint32_t set)
{
    const uint64_t *kept = kept_of(c, set);
    if (c->filled[set] < c->ways)
        return set * c->ways + c->filled[set]++;
    if (!replacement_any_free(kept, c->ways))
        return NO_LINE;
    return set * c->ways + c->replacement.policy->victim(&c->replacement, set, kept);
}

/* Makes room for the line. False: all lines of its set wait for sectors. */
static bool make_line(struct sectored *c, struct spot *s, enum cache_hint hint, struct cache_finding *f)
{
    uint32_t line = line_to_fill(c, s->set);
    if (line == NO_LINE)
        return false;
    if (c->line[line].dirty) {
        write_line_back(c, line, f);
        if (c->dirty_ways)
            count_dirty(c, s->set, line, false);
    }
    c->line[line] = (struct line){0};
    for (uint32_t i = 0; i < c->sectors; i++)
        c->sector[(uint64_t)line * c->sectors + i] = (struct sector){0};
    c->tag[line] = s->tag;
    c->mark[line] = mark_of(s->tag);
    s->line = line;
    replacement_fill(&c->replacement, s->set, line - s->set * c->ways, ++c->clock, hint);
    return true;
}

/* ---- sectors in flight ------------------------------------------------------------------------------------------- */

static uint16_t *bucket_of(const struct sectored *c, uint64_t number)
{
    return &c->bucket[(number ^ number >> 10) % BUCKETS];
}

/* The record of a sector in flight; NULL: it is not in flight. */
static struct sector *under_way(const struct sectored *c, const struct spot *s, uint64_t address)
{
    if (!c->on_fill)
        return s->line != NO_LINE && c->line[s->line].under_way >> s->sector & 1 ? sector_at(c, s) : NULL;
    uint64_t number = address >> c->sector_shift;
    for (uint16_t e = c->entries ? *bucket_of(c, number) : NO_ENTRY; e != NO_ENTRY; e = c->entry[e].next)
        if (c->entry[e].number == number)
            return &c->entry[e].sector;
    return NULL;
}

static struct sector *new_entry(struct sectored *c, uint64_t address, unsigned hint)
{
    uint16_t e = c->free_entry, *bucket = bucket_of(c, address >> c->sector_shift);
    if (e == NO_ENTRY)
        return NULL;
    c->free_entry = c->entry[e].next;
    c->entry[e] = (struct entry){.number = address >> c->sector_shift, .next = *bucket, .hint = (uint8_t)hint};
    *bucket = e;
    c->entries++;
    return &c->entry[e].sector;
}

static void drop_entry(struct sectored *c, struct entry *entry)
{
    uint16_t e = (uint16_t)(entry - c->entry), *at = bucket_of(c, entry->number);
    while (*at != e)
        at = &c->entry[*at].next;
    *at = entry->next;
    entry->next = c->free_entry;
    c->free_entry = e;
    c->entries--;
}

/* Marks the sector dirty: now, or when it arrives. */
static void make_dirty(struct sectored *c, const struct spot *s, struct sector *waited, struct cache_finding *f)
{
    if (s->line != NO_LINE && (!c->on_fill || !waited))
        soil(c, s, f);
    else
        ((struct entry *)waited)->dirty = true;
}

static struct sector *ask_for(struct sectored *c, struct spot *s, const struct cache_look_up *r,
                              struct cache_finding *f)
{
    if (c->on_fill)
        return new_entry(c, r->address, r->hint);
    if (s->line == NO_LINE && !make_line(c, s, r->hint, f))
        return NULL;
    c->line[s->line].under_way |= (uint8_t)(1u << s->sector);
    keep_line(c, s->set, s->line);
    return sector_at(c, s);
}

/* Fetches the sector, or refuses the request. */
static void fetch(struct sectored *c, struct spot *s, const struct cache_look_up *r, struct cache_finding *f)
{
    struct sector *asked = r->may_not_fetch ? NULL : ask_for(c, s, r, f);
    if (!asked) {
        f->refused = true;
        return;
    }
    asked->arrival = FETCHED_BY | r->fetch;
    asked->merged = !r->around;
    if (r->kind != CACHE_READ)
        make_dirty(c, s, asked, f);
    f->fetches = f->reads = true;
    f->place = asked;
}

static uint64_t later(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* Merges the request with an earlier fetch of the sector, or refuses it. */
static void join(struct sectored *c, const struct spot *s, struct sector *waited, const struct cache_look_up *r,
                 struct cache_finding *f)
{
    if (waited->merged >= c->most_merged) {
        f->refused = true;
        return;
    }
    f->served = true;
    f->hit = waited->merged || r->around;
    waited->merged += !r->around;
    if (r->kind != CACHE_READ)
        make_dirty(c, s, waited, f);
    if (waited->arrival & FETCHED_BY)
        f->from = (uint32_t)waited->arrival;
    else
        f->cycle = later(r->cycle, waited->arrival);
}

/* ---- look-ups ---------------------------------------------------------------------------------------------------- */

static bool is_there(const struct sectored *c, const struct spot *s)
{
    return s->line != NO_LINE && c->line[s->line].there >> s->sector & 1;
}

/* A read, or an atomic that is done at this level. */
static void look_up_read(struct sectored *c, struct spot *s, const struct cache_look_up *r, struct cache_finding *f)
{
    struct sector *waited;
    if (is_there(c, s)) {
        f->hit = f->served = true;
        f->cycle = later(r->cycle, sector_at(c, s)->arrival);
        if (r->kind != CACHE_READ)
            soil(c, s, f);
    } else if ((waited = under_way(c, s, r->address))) {
        join(c, s, waited, r, f);
    } else {
        fetch(c, s, r, f);
        return;
    }
    if (s->line != NO_LINE && !f->refused)
        touch(c, s, r->hint);
}

/* Keeps the bytes that are written. */
static void keep(struct sectored *c, const struct spot *s, const struct cache_look_up *r, struct cache_finding *f)
{
    struct sector *sector = sector_at(c, s);
    uint8_t bit = (uint8_t)(1u << s->sector);
    struct line *l = &c->line[s->line];
    sector->bytes |= r->bytes;
    if (sector->bytes == CACHE_ALL_BYTES && !(l->there & bit) && !(l->under_way & bit)) {
        l->there |= bit;
        sector->arrival = r->cycle;
    }
    if (c->back)
        soil(c, s, f);
    touch(c, s, r->hint);
}

static bool keeps_part(const struct sectored *c, const struct spot *s)
{
    return s->line != NO_LINE && sector_at(c, s)->bytes;
}

/* A write to a sector that is neither here nor in flight. */
static void write_absent(struct sectored *c, struct spot *s, const struct cache_look_up *r, struct cache_finding *f)
{
    if (c->write_miss == AROUND)
        return;
    if (c->write_miss == FETCH && r->bytes != CACHE_ALL_BYTES) {
        fetch(c, s, r, f);
        return;
    }
    if (s->line == NO_LINE && !make_line(c, s, r->hint, f)) {
        f->refused = true;
        return;
    }
    keep(c, s, r, f);
    f->served = c->back;
}

static void look_up_write(struct sectored *c, struct spot *s, const struct cache_look_up *r, struct cache_finding *f)
{
    struct sector *waited = under_way(c, s, r->address);
    bool there = is_there(c, s) || keeps_part(c, s);
    f->hit = there || waited;
    if (!f->hit) {
        write_absent(c, s, r, f);
        return;
    }
    if (waited && !there && c->write_miss == FETCH) {
        join(c, s, waited, r, f);
        return;
    }
    f->served = c->back;
    if (s->line != NO_LINE)
        keep(c, s, r, f);
    else if (c->back)
        make_dirty(c, s, waited, f);
}

static void look_up(void *state, const struct cache_look_up *r, struct cache_finding *f)
{
    struct sectored *c = state;
    struct spot s = spot_of(c, r->address);
    *f = (struct cache_finding){.from = CACHE_NO_FETCH, .cycle = r->cycle};
    if (r->kind == CACHE_READ || (r->kind == CACHE_ATOMIC && c->back))
        look_up_read(c, &s, r, f);
    else if (r->kind == CACHE_WRITE)
        look_up_write(c, &s, r, f);
    else
        f->hit = is_there(c, &s) || under_way(c, &s, r->address);
}

static void filled(void *state, void *place, uint32_t name, uint64_t cycle)
{
    (void)state;
    (void)name;
    ((struct sector *)place)->arrival = cycle;
}

static void come(struct sectored *c, const struct spot *s, uint64_t arrival)
{
    struct sector *sector = sector_at(c, s);
    c->line[s->line].there |= (uint8_t)(1u << s->sector);
    sector->arrival = arrival;
    sector->bytes = CACHE_ALL_BYTES;
    sector->merged = 0;
}

static void released_on_fill(struct sectored *c, struct entry *e, struct cache_finding *f)
{
    struct spot s = spot_of(c, e->number << c->sector_shift);
    if (s.line == NO_LINE)
        make_line(c, &s, e->hint, f); /* never fails: with allocation on fill no line waits */
    come(c, &s, e->sector.arrival);
    if (e->dirty)
        soil(c, &s, f);
    drop_entry(c, e);
}

static void released(void *state, void *place, struct cache_finding *f)
{
    struct sectored *c = state;
    *f = (struct cache_finding){.from = CACHE_NO_FETCH};
    if (c->on_fill) {
        released_on_fill(c, place, f);
        return;
    }
    uint64_t number = (uint64_t)((struct sector *)place - c->sector);
    struct spot s = {.line = (uint32_t)(number >> (c->line_shift - c->sector_shift)),
                     .sector = (unsigned)number & (c->sectors - 1)};
    c->line[s.line].under_way &= (uint8_t) ~(1u << s.sector);
    if (!c->line[s.line].under_way)
        release_line(c, s.line / c->ways, s.line);
    come(c, &s, ((struct sector *)place)->arrival);
}

static void preload(void *state, uint64_t address, uint64_t size)
{
    struct sectored *c = state;
    struct cache_finding ignored;
    uint64_t sector = 1ull << c->sector_shift, capacity = c->sets * c->ways << c->line_shift;
    if (size > capacity) { /* the first bytes would be replaced by the rest */
        address += size - capacity;
        size = capacity;
    }
    for (uint64_t at = address & -sector; at - (address & -sector) < size + (address & (sector - 1)) && size;
         at += sector) {
        struct spot s = spot_of(c, at);
        if (s.line == NO_LINE)
            make_line(c, &s, CACHE_HINT_NONE, &ignored);
        else
            touch(c, &s, CACHE_HINT_NONE);
        come(c, &s, 0);
    }
}

const struct cache_model cache_sectored = {
    .model = {.name = "sectored",
              .help = "set-associative, lines in sectors, MSHRs, banks; may refuse",
              .options = options_of,
              .option_count = MODEL_COUNT_OF(options_of),
              .state_size = state_size,
              .check = check},
    .keeps = true,
    .reset = reset,
    .preload = preload,
    .shape = shape,
    .look_up = look_up,
    .filled = filled,
    .released = released,
};
