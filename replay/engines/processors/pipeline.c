#include "replay/engines/processors/processors.h"

static size_t state_size(const int64_t *options)
{
    (void)options;
    return 0;
}

const struct model pipeline_one_at_a_time = {
    .name = "one-at-a-time",
    .help = "a sub-core executes one instruction to its end before it begins the next",
    .state_size = state_size};
