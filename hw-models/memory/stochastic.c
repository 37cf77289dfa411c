/* Memory whose accesses have a sampled level. Probabilities are in billionths, and random numbers are compared as
 * integers, so that every computer samples the same. */
#include "hw-models/memory/memory.h"

#define CERTAIN (UINT64_C(1) << 63)

static const char *const nowhere_else[] = {"1,0,0", NULL}, *const no_text[] = {"", NULL};
static const char *const samples[] = {"warp", "transaction", NULL}, *const shareds[] = {"local", "separate", NULL};

#define PROBABILITIES(key, of)                                                                                         \
    {                                                                                                                  \
        key, OPTION_FRACTIONS, "", 0, FRACTION(1), OPTION_LENGTH(3, 3), nowhere_else,                                  \
            "probabilities that " of " ends in L1, L2, DRAM; their sum is 1"                                           \
    }
#define COST(key, initial, of)                                                                                         \
    {                                                                                                                  \
        key, OPTION_INTEGER, "cycles", 1, 1000000, initial, NULL, "from the dispatch of an access that ends in " of    \
    }
static const struct model_option options_of[] = {
    [SAMPLE_GLOBAL_LOAD] = PROBABILITIES("global_load", "a load from global memory"),
    [SAMPLE_GLOBAL_STORE] = PROBABILITIES("global_store", "a store to global memory"),
    [SAMPLE_LOCAL_LOAD] = PROBABILITIES("local_load", "a load from local or shared memory"),
    [SAMPLE_LOCAL_STORE] = PROBABILITIES("local_store", "a store to local or shared memory"),
    [STOCHASTIC_COST + LEVEL_L1] = COST("cost.l1", 12, "L1"),
    [STOCHASTIC_COST + LEVEL_L2] = COST("cost.l2", 300, "L2"),
    [STOCHASTIC_COST + LEVEL_DRAM] = COST("cost.dram", 600, "DRAM"),
    [STOCHASTIC_SAMPLE] = {"draw", OPTION_CHOICE, "", 0, 1, 0, samples,
                           "one draw per warp instruction, or one per transaction, the slowest of which counts"},
    [STOCHASTIC_SHARED] =
        {"shared", OPTION_CHOICE, "", 0, 1, 0, shareds,
         "the level of shared memory is sampled as that of local memory is, or the part `shared` times it"},
    [STOCHASTIC_FROM] = {"from", OPTION_TEXT, "", 0, 0, OPTION_LENGTH(0, 200), no_text,
                         "a machine on which the trace is replayed first: its hits and misses are the probabilities"},
};

static size_t state_size(const int64_t *options)
{
    (void)options;
    return 0;
}

static const char *check(const int64_t *options)
{
    static const char *const wrong[SAMPLE_KINDS] = {
        "the probabilities of global_load do not sum to 1 within 1e-9",
        "the probabilities of global_store do not sum to 1 within 1e-9",
        "the probabilities of local_load do not sum to 1 within 1e-9",
        "the probabilities of local_store do not sum to 1 within 1e-9",
    };
    for (size_t k = 0; k < SAMPLE_KINDS; k++) {
        size_t count;
        const int64_t *p = option_list(options, k, &count);
        int64_t sum = p[0] + p[1] + p[2];
        if (sum < FRACTION_ONE - 1 || sum > FRACTION_ONE + 1)
            return wrong[k];
    }
    return NULL;
}

/* The random numbers below this are `part` billionths of all. */
static uint64_t share(int64_t part)
{
    return part >= FRACTION_ONE ? CERTAIN : (uint64_t)(((unsigned __int128)part << 63) / FRACTION_ONE);
}

void stochastic_of(const int64_t *options, struct stochastic *s)
{
    *s = (struct stochastic){.by_transaction = options[STOCHASTIC_SAMPLE],
                             .separate_shared = options[STOCHASTIC_SHARED],
                             .from = option_text(options, STOCHASTIC_FROM)};
    for (unsigned l = 0; l < SAMPLE_LEVELS; l++)
        s->cost[l] = (uint32_t)options[STOCHASTIC_COST + l];
    for (size_t k = 0; k < SAMPLE_KINDS; k++) {
        size_t count;
        const int64_t *p = option_list(options, k, &count);
        /* a level with probability 0 is never sampled, even if the sum is a billionth off */
        s->below[k][0] = p[1] || p[2] ? share(p[0]) : CERTAIN;
        s->below[k][1] = p[2] ? share(p[0] + p[1]) : CERTAIN;
        double first = (double)s->below[k][0] / (double)CERTAIN, two = (double)s->below[k][1] / (double)CERTAIN;
        s->probability[k][LEVEL_L1] = first;
        s->probability[k][LEVEL_L2] = two - first;
        s->probability[k][LEVEL_DRAM] = 1 - two;
        s->chance |= (p[0] > 0) + (p[1] > 0) + (p[2] > 0) > 1;
    }
}

const struct memory_model memory_stochastic = {
    .model = {.name = "stochastic",
              .help = "accesses draw whether they end in L1, L2 or DRAM",
              .options = options_of,
              .option_count = MODEL_COUNT_OF(options_of),
              .state_size = state_size,
              .check = check},
    .sampled = true,
};
