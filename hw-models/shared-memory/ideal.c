/* No banks: every access is one transaction and takes no time beyond its unit's. */
#include "hw-models/shared-memory/shared-memory.h"

static size_t state_size(const int64_t *options)
{
    (void)options;
    return 0;
}

static void cost(const int64_t *options, const struct shared_memory_access *access, struct shared_memory_cost *out)
{
    (void)options;
    (void)access;
    *out = (struct shared_memory_cost){.transactions = 1};
}

const struct shared_memory_model shared_memory_ideal = {
    .model = {.name = "ideal",
              .help = "one transaction per access, no conflicts, no time of its own",
              .state_size = state_size},
    .period = 1,
    .cost = cost,
};
