/* No TLB. In an SM: addresses need no translation, as in Accel-Sim. Behind SMs: each miss of an SM's TLB walks the page
 * tables. */
#include "hw-models/tlb/tlb.h"

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

static uint64_t latency(const int64_t *options)
{
    (void)options;
    return 0;
}

static uint64_t page(const int64_t *options)
{
    (void)options;
    return 0;
}

static uint64_t *look_up(void *state, uint64_t address, bool *hit)
{
    (void)state;
    (void)address;
    *hit = false;
    return NULL;
}

const struct tlb_model tlb_none = {
    .model = {.name = "none", .help = "no translations are kept", .state_size = state_size},
    .keeps = false,
    .reset = reset,
    .latency = latency,
    .page = page,
    .look_up = look_up,
};
