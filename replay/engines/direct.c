/* The pipeline of the fast and the reference engine. */
#include "replay/engines/engine.h"

static size_t state_size(const int64_t *options)
{
    (void)options;
    return 0;
}

const struct model pipeline_direct = {
    .name = "direct", .help = "an instruction's timing is decided when it issues", .state_size = state_size};
