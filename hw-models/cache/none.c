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

static void access(void *state, const struct cache_request *request, struct cache_reply *reply)
{
    (void)state;
    *reply = (struct cache_reply){.cycle = request->cycle};
}

static void fill(void *state, uint64_t address, uint64_t cycle)
{
    (void)state;
    (void)address;
    (void)cycle;
}

static void preload(void *state, uint64_t address, uint64_t size)
{
    (void)state;
    (void)address;
    (void)size;
}

const struct cache_model cache_none = {
    {.name = "none", .help = "no cache", .state_size = state_size}, false, reset, access, fill, preload};
