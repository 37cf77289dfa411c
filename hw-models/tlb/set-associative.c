/* A TLB of sets and ways. An entry translates `page` bytes, which may be several pages of the page tables, because
 * published figures give the reach of an entry (Jia et al., arXiv:1804.06826, Table 3.1: 2 MiB in L1 and 32 MiB in L2
 * TLBs of GP104 and GV100). set = (address / page) modulo sets. In a full set, `replacement` chooses the entry to
 * replace. How real TLBs choose sets and victims is not published. */
#include "hw-models/replacement/sets.h"
#include "hw-models/tlb/tlb.h"

enum { PAGE, ENTRIES, WAYS, LATENCY, REPLACEMENT };
static const struct model_option options_of[] = {
    [PAGE] = {"page", OPTION_INTEGER, "bytes", 4096, INT64_C(1) << 40, 2 << 20, NULL,
              "that an entry translates, a power of two"},
    [ENTRIES] = {"entries", OPTION_INTEGER, "entries", 1, 4096, 16, NULL, "in all, a multiple of ways"},
    [WAYS] = {"ways", OPTION_INTEGER, "entries", 0, 1024, 0, NULL, "of a set; 0: all of them"},
    [LATENCY] = {"latency", OPTION_INTEGER, "cycles", 0, 100000, 0, NULL,
                 "of a look-up here, on top of what stands before it"},
    [REPLACEMENT] = REPLACEMENT_OPTION("replacement"),
};

struct set_associative {
    uint64_t page, sets;
    struct set_table table;
};

static int64_t ways_of(const int64_t *o) { return o[WAYS] ? o[WAYS] : o[ENTRIES]; }

static uint64_t sets_of(const int64_t *o) { return (uint64_t)(o[ENTRIES] / ways_of(o)); }

static const char *check(const int64_t *o)
{
    return o[PAGE] & (o[PAGE] - 1)   ? "page must be a power of two"
           : o[ENTRIES] % ways_of(o) ? "entries must be a multiple of ways"
                                     : NULL;
}

static size_t state_size(const int64_t *o)
{
    return sizeof(struct set_associative) + set_table_size(o[REPLACEMENT], sets_of(o), (uint32_t)ways_of(o));
}

static void reset(void *state, const int64_t *o)
{
    struct set_associative *t = state;
    t->page = (uint64_t)o[PAGE];
    t->sets = sets_of(o);
    set_table_begin(&t->table, t + 1, o[REPLACEMENT], t->sets, (uint32_t)ways_of(o));
}

static uint64_t latency(const int64_t *o) { return (uint64_t)o[LATENCY]; }

static uint64_t page(const int64_t *o) { return (uint64_t)o[PAGE]; }

static uint64_t *look_up(void *state, uint64_t address, bool *hit)
{
    struct set_associative *t = state;
    uint64_t number = address / t->page;
    return &set_table_look_up(&t->table, number % t->sets, number, hit)->ready;
}

const struct tlb_model tlb_set_associative = {
    .model = {.name = "set-associative",
              .help = "entries in sets",
              .options = options_of,
              .option_count = MODEL_COUNT_OF(options_of),
              .state_size = state_size,
              .check = check},
    .keeps = true,
    .reset = reset,
    .latency = latency,
    .page = page,
    .look_up = look_up,
};
