#include "hw-models/cache/staged.h"

#include "hw-models/cache/cache.h"

static const struct model_option options_of[] = {
#define X(id, key, unit, least, most, initial, help)                                                                   \
    [STAGED_CACHE_##id] = {key, OPTION_INTEGER, unit, least, most, initial, NULL, help},
    STAGED_CACHE_OPTIONS(X)
#undef X
        [STAGED_CACHE_REPLACEMENT] = REPLACEMENT_OPTION("replacement"),
};

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
    return o[STAGED_CACHE_SIZE] < STAGED_LINE * o[STAGED_CACHE_SETS] ||
                   o[STAGED_CACHE_SIZE] % (STAGED_LINE * o[STAGED_CACHE_SETS])
               ? "size must be a multiple of 128 bytes times sets"
               : NULL;
}

static void shape(const int64_t *o, struct cache_shape *s)
{
    uint64_t sets = (uint64_t)o[STAGED_CACHE_SETS];
    *s = (struct cache_shape){.sets = sets,
                              .ways = (uint64_t)o[STAGED_CACHE_SIZE] / STAGED_LINE / sets,
                              .line = STAGED_LINE,
                              .sector = 32,
                              .latency = (uint64_t)o[STAGED_CACHE_LATENCY],
                              .interval = 1,
                              .banks = (uint64_t)o[STAGED_CACHE_BANKS]};
}

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
};
