/* Every access is one transaction, at the address of its lowest lane. */
#include "hw-models/coalescer/coalescer.h"

static size_t state_size(const int64_t *options)
{
    (void)options;
    return 0;
}

static uint64_t period(const int64_t *options)
{
    (void)options;
    return 1;
}

static uint32_t coalesce(const int64_t *options, const struct coalescer_access *access, uint64_t *out)
{
    (void)options;
    out[0] = access->address[__builtin_ctz(access->mask)];
    return 1;
}

const struct coalescer_model coalescer_ideal = {
    .model = {.name = "ideal",
              .help = "one transaction per access, wherever its lanes point",
              .state_size = state_size},
    .period = period,
    .coalesce = coalesce,
};
