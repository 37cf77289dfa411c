/* A TLB of sets and ways. An entry translates `page` bytes, which may be several pages of the tables: what is published
 * is the reach of an entry (Jia et al., arXiv:1804.06826, Table 3.1: 2 MiB in L1 and 32 MiB in L2 TLBs of GP104 and
 * GV100). set = (address / page) modulo sets; a set replaces the entry whose last look-up is longest ago. How real TLBs
 * choose sets and victims is not published.
 */
#include <string.h>

#include "hw-models/tlb/tlb.h"

enum { PAGE, ENTRIES, WAYS, LATENCY };
static const struct model_option options_of[] = {
    [PAGE] = {"page", OPTION_INTEGER, "bytes", 4096, INT64_C(1) << 40, 2 << 20, NULL,
              "that an entry translates, a power of two"},
    [ENTRIES] = {"entries", OPTION_INTEGER, "entries", 1, 4096, 16, NULL, "in all, a multiple of ways"},
    [WAYS] = {"ways", OPTION_INTEGER, "entries", 0, 1024, 0, NULL, "of a set; 0: all of them"},
    [LATENCY] = {"latency", OPTION_INTEGER, "cycles", 0, 100000, 0, NULL,
                 "of a look-up here, on top of what stands before it"},
};

struct entry {
    uint64_t tag;   /* page + 1; 0: empty */
    uint64_t ready; /* from which cycle it is there */
};

struct set_associative {
    uint64_t page, sets, ways;
    struct entry entries[]; /* [sets][ways], each set from the last looked up to the first */
};

static int64_t ways_of(const int64_t *o) { return o[WAYS] ? o[WAYS] : o[ENTRIES]; }

static const char *check(const int64_t *o)
{
    return o[PAGE] & (o[PAGE] - 1)   ? "page must be a power of two"
           : o[ENTRIES] % ways_of(o) ? "entries must be a multiple of ways"
                                     : NULL;
}

static size_t state_size(const int64_t *o)
{
    return sizeof(struct set_associative) + (size_t)o[ENTRIES] * sizeof(struct entry);
}

static void reset(void *state, const int64_t *o)
{
    struct set_associative *t = state;
    memset(t, 0, state_size(o));
    t->page = (uint64_t)o[PAGE];
    t->ways = (uint64_t)ways_of(o);
    t->sets = (uint64_t)o[ENTRIES] / t->ways;
}

static uint64_t latency(const int64_t *o) { return (uint64_t)o[LATENCY]; }

static uint64_t *look_up(void *state, uint64_t address, bool *hit)
{
    struct set_associative *t = state;
    uint64_t number = address / t->page, tag = number + 1, way = 0;
    struct entry *set = &t->entries[number % t->sets * t->ways];
    while (way < t->ways && set[way].tag != tag)
        way++;
    *hit = way < t->ways;
    struct entry entry = *hit ? set[way] : (struct entry){tag, 0};
    memmove(set + 1, set, (*hit ? way : t->ways - 1) * sizeof *set);
    set[0] = entry;
    return &set[0].ready;
}

const struct tlb_model tlb_set_associative = {
    .model = {.name = "set-associative",
              .help = "entries in sets, the longest unused is replaced",
              .options = options_of,
              .option_count = MODEL_COUNT_OF(options_of),
              .state_size = state_size,
              .check = check},
    .keeps = true,
    .reset = reset,
    .latency = latency,
    .look_up = look_up,
};
