/* An instruction cache of sets and ways; with one way it is direct-mapped.
 *
 * set = (address / line) modulo sets. In a full set, `replacement` chooses the line to replace (GPGPU-Sim's
 * configurations have LRU: il1 "...,L:"). A fetch at cycle c that misses has its line at c + latency. Fetches of the
 * line until then wait for the same cycle, and count as hits. Misses do not wait for one another, and nothing is
 * prefetched. If a line is replaced while it is in flight, the fetches that wait for it still get it.
 */
#include "hw-models/instruction-cache/instruction-cache.h"
#include "hw-models/replacement/sets.h"

enum { LINE, SETS, WAYS, LATENCY, REPLACEMENT };
static const struct model_option options_of[] = {
    [LINE] = {"line", OPTION_INTEGER, "bytes", 8, 4096, 128, NULL, "line size, a power of two"},
    [SETS] = {"sets", OPTION_INTEGER, "sets", 1, 65536, 8, NULL, "places that an address may have"},
    [WAYS] = {"ways", OPTION_INTEGER, "lines", 1, 64, 4, NULL, "lines of a set; 1: direct-mapped"},
    [LATENCY] = {"latency", OPTION_INTEGER, "cycles", 0, 100000, 0, NULL,
                 "from a fetch that misses to the issue of its instruction, at least"},
    [REPLACEMENT] = REPLACEMENT_OPTION("replacement"),
};

struct set_associative {
    uint64_t line_bytes, sets, latency;
    struct set_table lines;
};

static const char *check(const int64_t *o) { return o[LINE] & (o[LINE] - 1) ? "line must be a power of two" : NULL; }

static size_t state_size(const int64_t *o)
{
    return sizeof(struct set_associative) + set_table_size(o[REPLACEMENT], (uint64_t)o[SETS], (uint32_t)o[WAYS]);
}

static void reset(void *state, const int64_t *o)
{
    struct set_associative *c = state;
    c->line_bytes = (uint64_t)o[LINE];
    c->sets = (uint64_t)o[SETS];
    c->latency = (uint64_t)o[LATENCY];
    set_table_begin(&c->lines, c + 1, o[REPLACEMENT], c->sets, (uint32_t)o[WAYS]);
}

static void fetch(void *state, unsigned subcore, uint64_t address, uint64_t cycle,
                  struct instruction_cache_reply *reply)
{
    struct set_associative *c = state;
    (void)subcore;
    uint64_t number = address / c->line_bytes;
    struct set_entry *line = set_table_look_up(&c->lines, number % c->sets, number, &reply->hit);
    if (!reply->hit)
        line->ready = cycle + c->latency;
    reply->cycle = line->ready > cycle ? line->ready : cycle;
}

const struct instruction_cache_model instruction_cache_set_associative = {
    .model = {.name = "set-associative",
              .help = "lines in sets, a miss takes a fixed time",
              .options = options_of,
              .option_count = MODEL_COUNT_OF(options_of),
              .state_size = state_size,
              .check = check},
    .keeps = true,
    .reset = reset,
    .fetch = fetch,
};
