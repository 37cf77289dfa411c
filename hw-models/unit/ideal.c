/* Any number of units: every instruction is dispatched when it is issued. */
#include "hw-models/unit/unit.h"

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

static uint64_t accepts(const void *state, uint64_t now)
{
    (void)state;
    return now;
}

static uint64_t dispatch(void *state, uint64_t now, uint32_t initiation)
{
    (void)state;
    (void)initiation;
    return now;
}

const struct unit_model unit_ideal = {
    .model = {.name = "ideal", .help = "never busy", .state_size = state_size},
    .reset = reset,
    .accepts = accepts,
    .dispatch = dispatch,
};
