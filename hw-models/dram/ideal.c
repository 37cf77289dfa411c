/* Memory whose response comes in the cycle of the request. */
#include "hw-models/dram/dram.h"

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

static enum dram_status offer(void *state, const struct dram_request *request, uint64_t now, uint64_t *cycle)
{
    (void)state;
    (void)request;
    *cycle = now;
    return DRAM_DONE;
}

static uint64_t ahead(const int64_t *options)
{
    (void)options;
    return 0;
}

static bool may_refuse(const int64_t *options)
{
    (void)options;
    return false;
}

static bool is_fixed(const int64_t *options)
{
    (void)options;
    return true;
}

const struct dram_model dram_ideal = {
    .model = {.name = "ideal", .help = "the response comes in the cycle of the request", .state_size = state_size},
    .reset = reset,
    .offer = offer,
    .ahead = ahead,
    .may_refuse = may_refuse,
    .is_fixed = is_fixed,
};
