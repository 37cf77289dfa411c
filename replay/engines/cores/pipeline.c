#include "replay/engines/cores/cores.h"

static size_t state_size(const int64_t *options)
{
    (void)options;
    return 0;
}

const struct model pipeline_cores = {
    .name = "cores",
    .help = "lanes are in-order cores with caches of their own: machines of kind 'cores', which have no other pipeline",
    .state_size = state_size};
