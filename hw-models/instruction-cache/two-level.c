/* Two caches of sets and ways, one behind the other: L0 and L1, or L1 and L1.5, of instructions or constants.
 *
 * A fetch at c that misses in the first has its line at c + latency if the second has it, else at c + latency +
 * next.latency. The second is looked up with what the first misses only. Both replace the line whose last look-up is
 * longest ago. Fetches of a line that is on its way wait for it, and count as hits; misses do not wait for one another,
 * and nothing is fetched ahead. A line may be replaced while it is on its way: who asked for it still gets it.
 */
#include <string.h>

#include "hw-models/instruction-cache/instruction-cache.h"

enum { LINE, SETS, WAYS, LATENCY, NEXT_LINE, NEXT_SETS, NEXT_WAYS, NEXT_LATENCY };
static const struct model_option options_of[] = {
    [LINE] = {"line", OPTION_INTEGER, "bytes", 8, 4096, 64, NULL, "line size of the first, a power of two"},
    [SETS] = {"sets", OPTION_INTEGER, "sets", 1, 65536, 8, NULL, "places that an address may have there"},
    [WAYS] = {"ways", OPTION_INTEGER, "lines", 1, 64, 4, NULL, "lines of a set there"},
    [LATENCY] = {"latency", OPTION_INTEGER, "cycles", 0, 100000, 0, NULL,
                 "from a fetch that misses in the first to its use, at least"},
    [NEXT_LINE] = {"next.line", OPTION_INTEGER, "bytes", 8, 4096, 256, NULL,
                   "line size of the second, a power of two, at least that of the first"},
    [NEXT_SETS] = {"next.sets", OPTION_INTEGER, "sets", 1, 65536, 16, NULL, "places that an address may have there"},
    [NEXT_WAYS] = {"next.ways", OPTION_INTEGER, "lines", 1, 64, 8, NULL, "lines of a set there"},
    [NEXT_LATENCY] = {"next.latency", OPTION_INTEGER, "cycles", 0, 100000, 0, NULL,
                      "added where the second misses, too"},
};

struct line {
    uint64_t tag; /* line address + 1; 0: empty */
    uint64_t arrival;
};

struct level {
    uint64_t line_bytes, sets, ways, latency;
    struct line *lines; /* [sets][ways], each set from the last looked up to the first */
};

struct two_level {
    struct level first, next;
    struct line lines[];
};

static const char *check(const int64_t *o)
{
    return o[LINE] & (o[LINE] - 1)             ? "line must be a power of two"
           : o[NEXT_LINE] & (o[NEXT_LINE] - 1) ? "next.line must be a power of two"
           : o[NEXT_LINE] < o[LINE]            ? "next.line must be at least line"
                                               : NULL;
}

static size_t state_size(const int64_t *o)
{
    return sizeof(struct two_level) + (size_t)(o[SETS] * o[WAYS] + o[NEXT_SETS] * o[NEXT_WAYS]) * sizeof(struct line);
}

static struct level level_of(const int64_t *o, unsigned row, struct line *lines)
{
    return (struct level){(uint64_t)o[row + LINE], (uint64_t)o[row + SETS], (uint64_t)o[row + WAYS],
                          (uint64_t)o[row + LATENCY], lines};
}

static void reset(void *state, const int64_t *o)
{
    struct two_level *c = state;
    memset(c, 0, state_size(o));
    c->first = level_of(o, LINE, c->lines);
    c->next = level_of(o, NEXT_LINE, c->lines + o[SETS] * o[WAYS]);
}

/* The line for the address, which is the first of its set then. */
static struct line *look_up(const struct level *l, uint64_t address, bool *hit)
{
    uint64_t number = address / l->line_bytes, tag = number + 1, way = 0;
    struct line *set = &l->lines[number % l->sets * l->ways];
    while (way < l->ways && set[way].tag != tag)
        way++;
    *hit = way < l->ways;
    struct line line = *hit ? set[way] : (struct line){tag, 0};
    memmove(set + 1, set, (*hit ? way : l->ways - 1) * sizeof *set);
    set[0] = line;
    return set;
}

static void fetch(void *state, uint64_t address, uint64_t cycle, struct instruction_cache_reply *reply)
{
    struct two_level *c = state;
    bool next_hit;
    struct line *line = look_up(&c->first, address, &reply->hit);
    if (!reply->hit) {
        struct line *next = look_up(&c->next, address, &next_hit);
        uint64_t there = cycle + c->first.latency;
        if (!next_hit)
            next->arrival = there + c->next.latency;
        line->arrival = next->arrival > there ? next->arrival : there;
    }
    reply->cycle = line->arrival > cycle ? line->arrival : cycle;
}

const struct instruction_cache_model instruction_cache_two_level = {
    {.name = "two-level",
     .help = "two caches one behind the other, as L0 and L1, or L1 and L1.5",
     .options = options_of,
     .option_count = MODEL_COUNT_OF(options_of),
     .state_size = state_size,
     .check = check},
    true,
    reset,
    fetch,
};
