#include "hw-models/memory/memory.h"

static size_t state_size(const int64_t *options)
{
    (void)options;
    return 0;
}

const struct memory_model memory_hierarchy = {
    .model = {.name = "hierarchy", .help = "caches, ports and device memory", .state_size = state_size},
};
