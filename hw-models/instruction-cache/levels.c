/* Several levels of caches of sets and ways: L0 and L1, L1 and L1.5, or all three, for instructions or constants.
 *
 * There may be several first caches, each for some of the sub-cores. Their misses are looked up in one second cache,
 * and its misses in one third cache, if there is one. A fetch at c that misses in the first has its line at c + latency
 * if the second has it; next.latency later if not; and last.latency later still if the third misses, too. In a full
 * set, the level's `replacement` chooses the line to replace. Fetches of a line in flight wait for it, and count as
 * hits. Misses do not wait for one another. With `ahead = n`, a fetch from another line than the first cache's fetch
 * before asks for the next n lines as well, as if they were fetched in that cycle; nothing else is prefetched. If a
 * line is replaced while it is in flight, the fetches that wait for it still get it.
 */
#include "hw-models/instruction-cache/instruction-cache.h"
#include "hw-models/replacement/sets.h"

#include <string.h>

enum { LINE, SETS, WAYS, LATENCY, REPLACEMENT, ROWS_OF_LEVEL };
enum {
    CACHES,
    AHEAD,
    FIRST,
    NEXT = FIRST + ROWS_OF_LEVEL,
    LAST = NEXT + ROWS_OF_LEVEL,
    MOST_ROWS = LAST + ROWS_OF_LEVEL
};
#define MOST_LEVELS 3u
#define MOST_CACHES 16

#define LEVEL(at, of, line, sets, ways, what, latency)                                                                 \
    [at + LINE] = {of "line", OPTION_INTEGER, "bytes", 8, 4096, line, NULL, what},                                     \
          [at + SETS] = {of "sets", OPTION_INTEGER, "sets", 1,                                                         \
                         65536,     sets,           NULL,   "places that an address may have there"},                  \
          [at + WAYS] = {of "ways", OPTION_INTEGER, "lines", 1, 64, ways, NULL, "lines of a set there"},               \
          [at + LATENCY] = {of "latency", OPTION_INTEGER, "cycles", 0, 100000, 0, NULL, latency},                      \
          [at + REPLACEMENT] = REPLACEMENT_OPTION(of "replacement")
static const struct model_option options_of[] = {
    [CACHES] = {"caches", OPTION_INTEGER, "caches", 1, MOST_CACHES, 1, NULL,
                "first ones: the n-th of the sub-cores that share the others uses the (n modulo caches)-th"},
    [AHEAD] = {"ahead", OPTION_INTEGER, "lines", 0, 8, 0, NULL,
               "of the first, fetched ahead behind each line that is turned to"},
    LEVEL(FIRST, "", 64, 8, 4, "line size of the first, a power of two",
          "from a fetch that misses in the first to its use, at least"),
    LEVEL(NEXT, "next.", 256, 16, 8, "line size of the second, a power of two, at least that of the first",
          "added where the second misses, too"),
    LEVEL(LAST, "last.", 512, 64, 8, "line size of the third, a power of two, at least that of the second",
          "added where the third misses, too"),
};

struct level {
    uint64_t line_bytes, sets, latency;
    struct set_table lines; /* level 0: the sets of all first caches */
};

struct levels {
    unsigned count, caches, ahead;
    uint64_t last[MOST_CACHES]; /* the line of the last fetch of each first cache */
    struct level level[MOST_LEVELS];
};

static const char *check(const int64_t *o, unsigned count)
{
    static const char *const odd[] = {"line must be a power of two", "next.line must be a power of two",
                                      "last.line must be a power of two"};
    static const char *const less[] = {NULL, "next.line must be at least line", "last.line must be at least next.line"};
    for (unsigned i = 0; i < count; i++) {
        int64_t line = o[FIRST + i * ROWS_OF_LEVEL + LINE], before = i ? o[FIRST + (i - 1) * ROWS_OF_LEVEL + LINE] : 0;
        if (line & (line - 1))
            return odd[i];
        if (line < before)
            return less[i];
    }
    return NULL;
}

static const int64_t *rows_of(const int64_t *o, unsigned level) { return o + FIRST + level * ROWS_OF_LEVEL; }

/* The sets of all caches of a level. */
static uint64_t sets_of(const int64_t *o, unsigned level)
{
    return (uint64_t)(rows_of(o, level)[SETS] * (level ? 1 : o[CACHES]));
}

static size_t lines_size(const int64_t *o, unsigned level)
{
    const int64_t *rows = rows_of(o, level);
    return set_table_size(rows[REPLACEMENT], sets_of(o, level), (uint32_t)rows[WAYS]);
}

static size_t state_size(const int64_t *o, unsigned count)
{
    size_t size = sizeof(struct levels);
    for (unsigned i = 0; i < count; i++)
        size += lines_size(o, i);
    return size;
}

static void reset(void *state, const int64_t *o, unsigned count)
{
    struct levels *c = state;
    char *lines = (char *)(c + 1);
    c->count = count;
    c->caches = (unsigned)o[CACHES];
    c->ahead = (unsigned)o[AHEAD];
    memset(c->last, 0xff, sizeof c->last);
    for (unsigned i = 0; i < count; i++) {
        const int64_t *rows = rows_of(o, i);
        c->level[i] = (struct level){
            .line_bytes = (uint64_t)rows[LINE], .sets = (uint64_t)rows[SETS], .latency = (uint64_t)rows[LATENCY]};
        set_table_begin(&c->level[i].lines, lines, rows[REPLACEMENT], sets_of(o, i), (uint32_t)rows[WAYS]);
        lines += lines_size(o, i);
    }
}

/* Looks the address up. `cache`: which of the level's caches. */
static struct set_entry *look_up(struct level *l, uint64_t cache, uint64_t address, bool *hit)
{
    uint64_t number = address / l->line_bytes;
    return set_table_look_up(&l->lines, cache * l->sets + number % l->sets, number, hit);
}

static void fetch_line(struct levels *c, unsigned cache, uint64_t address, uint64_t cycle,
                       struct instruction_cache_reply *reply)
{
    struct set_entry *missed[MOST_LEVELS], *line = look_up(&c->level[0], cache, address, &reply->hit);
    uint64_t there = cycle;
    unsigned misses = 0;
    for (bool hit = reply->hit; !hit;) {
        missed[misses] = line;
        there += c->level[misses++].latency;
        hit = misses == c->count;
        line = hit ? NULL : look_up(&c->level[misses], 0, address, &hit);
    }
    if (line && line->ready > there)
        there = line->ready;
    while (misses-- > 0)
        missed[misses]->ready = there;
    reply->cycle = there;
}

static void fetch(void *state, unsigned subcore, uint64_t address, uint64_t cycle,
                  struct instruction_cache_reply *reply)
{
    struct levels *c = state;
    unsigned cache = subcore % c->caches;
    uint64_t bytes = c->level[0].line_bytes, line = address / bytes;
    struct instruction_cache_reply ignored;
    fetch_line(c, cache, address, cycle, reply);
    if (!c->ahead || line == c->last[cache])
        return;
    c->last[cache] = line;
    for (unsigned i = 1; i <= c->ahead; i++)
        fetch_line(c, cache, (line + i) * bytes, cycle, &ignored);
}

static const char *check_two(const int64_t *o) { return check(o, 2); }
static size_t size_two(const int64_t *o) { return state_size(o, 2); }
static void reset_two(void *state, const int64_t *o) { reset(state, o, 2); }
static const char *check_three(const int64_t *o) { return check(o, 3); }
static size_t size_three(const int64_t *o) { return state_size(o, 3); }
static void reset_three(void *state, const int64_t *o) { reset(state, o, 3); }

const struct instruction_cache_model instruction_cache_two_level = {
    .model = {.name = "two-level",
              .help = "caches one behind the other, as L0 and L1, or L1 and L1.5",
              .options = options_of,
              .option_count = LAST,
              .state_size = size_two,
              .check = check_two},
    .keeps = true,
    .reset = reset_two,
    .fetch = fetch,
};

const struct instruction_cache_model instruction_cache_three_level = {
    .model = {.name = "three-level",
              .help = "caches one behind the other, as L0, L1 and L1.5",
              .options = options_of,
              .option_count = MOST_ROWS,
              .state_size = size_three,
              .check = check_three},
    .keeps = true,
    .reset = reset_three,
    .fetch = fetch,
};
