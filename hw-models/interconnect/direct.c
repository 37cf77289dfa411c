/* Any number of packets moves between an SM and a slice in a cycle: only the SM's port limits them. */
#include "hw-models/interconnect/interconnect.h"

static size_t state_size(const int64_t *options)
{
    (void)options;
    return 0;
}

static void shape(const int64_t *options, struct interconnect_shape *out)
{
    (void)options;
    *out = (struct interconnect_shape){.replies = -1};
}

const struct interconnect_model interconnect_direct = {
    .model = {.name = "direct", .help = "nobody is in anybody's way", .state_size = state_size},
    .shape = shape,
};
