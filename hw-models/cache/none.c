/* No cache: every request goes on to the next level in the cycle of its arrival. */
#include "hw-models/cache/cache.h"

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

static void preload(void *state, uint64_t address, uint64_t size)
{
    (void)state;
    (void)address;
    (void)size;
}

static void shape(const int64_t *options, struct cache_shape *out)
{
    (void)options;
    *out = (struct cache_shape){.banks = 1};
}

static void look_up(void *state, const struct cache_look_up *request, struct cache_finding *finding)
{
    (void)state;
    *finding = (struct cache_finding){.from = CACHE_NO_FETCH, .cycle = request->cycle};
}

static void filled(void *state, void *place, uint32_t fetch, uint64_t cycle)
{
    (void)state;
    (void)place;
    (void)fetch;
    (void)cycle;
}

const struct cache_model cache_none = {
    .model = {.name = "none", .help = "no cache", .state_size = state_size},
    .reset = reset,
    .preload = preload,
    .shape = shape,
    .look_up = look_up,
    .filled = filled,
};
