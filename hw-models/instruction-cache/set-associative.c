/* An instruction cache of sets and ways; with one way it is direct-mapped.
 *
 * set = (address / line) modulo sets. A set replaces the line whose last fetch is longest ago (LRU, as GPGPU-Sim's
 * configurations say: il1 "...,L:"). A fetch at cycle c whose line is not there asks for it, and has it at c + latency;
 * fetches of the line until then wait for the same cycle, and count as hits. Misses do not wait for one another, and
 * nothing is fetched ahead. A line may be replaced while it is on its way: who asked for it still gets it.
 */
#include <string.h>

#include "hw-models/instruction-cache/instruction-cache.h"

enum { LINE, SETS, WAYS, LATENCY };
static const struct model_option options_of[] = {
    [LINE] = {"line", OPTION_INTEGER, "bytes", 8, 4096, 128, NULL, "line size, a power of two"},
    [SETS] = {"sets", OPTION_INTEGER, "sets", 1, 65536, 8, NULL, "places that an address may have"},
    [WAYS] = {"ways", OPTION_INTEGER, "lines", 1, 64, 4, NULL, "lines of a set; 1: direct-mapped"},
    [LATENCY] = {"latency", OPTION_INTEGER, "cycles", 0, 100000, 0, NULL,
                 "from a fetch that misses to the issue of its instruction, at least"},
};

struct line {
    uint64_t tag; /* line address + 1; 0: empty */
    uint64_t arrival;
};

struct set_associative {
    uint64_t line_bytes, sets, ways, latency;
    struct line lines[]; /* [sets][ways], each set from the last fetched to the first */
};

static const char *check(const int64_t *o) { return o[LINE] & (o[LINE] - 1) ? "line must be a power of two" : NULL; }

static size_t state_size(const int64_t *o)
{
    return sizeof(struct set_associative) + (size_t)(o[SETS] * o[WAYS]) * sizeof(struct line);
}

static void reset(void *state, const int64_t *o)
{
    struct set_associative *c = state;
    memset(c, 0, state_size(o));
    c->line_bytes = (uint64_t)o[LINE];
    c->sets = (uint64_t)o[SETS];
    c->ways = (uint64_t)o[WAYS];
    c->latency = (uint64_t)o[LATENCY];
}

static void fetch(void *state, unsigned subcore, uint64_t address, uint64_t cycle,
                  struct instruction_cache_reply *reply)
{
    struct set_associative *c = state;
    (void)subcore;
    uint64_t number = address / c->line_bytes, tag = number + 1, way = 0;
    struct line *set = &c->lines[number % c->sets * c->ways];
    while (way < c->ways && set[way].tag != tag)
        way++;
    reply->hit = way < c->ways;
    struct line line = reply->hit ? set[way] : (struct line){tag, cycle + c->latency};
    memmove(set + 1, set, (reply->hit ? way : c->ways - 1) * sizeof *set);
    set[0] = line;
    reply->cycle = line.arrival > cycle ? line.arrival : cycle;
}

const struct instruction_cache_model instruction_cache_set_associative = {
    .model = {.name = "set-associative",
              .help = "lines in sets, the longest unused is replaced, a miss takes a fixed time",
              .options = options_of,
              .option_count = MODEL_COUNT_OF(options_of),
              .state_size = state_size,
              .check = check},
    .keeps = true,
    .reset = reset,
    .fetch = fetch,
};
