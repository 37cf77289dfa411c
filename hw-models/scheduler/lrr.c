/* Loose round robin: the slots take turns, and a slot whose warp is not ready is skipped. The search begins after the
 * slot that issued last (Accel-Sim's "lrr"). */
#include "hw-models/scheduler/scheduler.h"

struct lrr {
    uint64_t after; /* slots behind the one that issued last */
};

static size_t state_size(const int64_t *options)
{
    (void)options;
    return sizeof(struct lrr);
}

static void reset(void *state, const int64_t *options)
{
    (void)options;
    ((struct lrr *)state)->after = ~0ull;
}

static void nothing(void *state, unsigned slot)
{
    (void)state;
    (void)slot;
}

static int pick(void *state, uint64_t ready)
{
    struct lrr *lrr = state;
    uint64_t behind = ready & lrr->after;
    int slot = __builtin_ctzll(behind ? behind : ready);
    lrr->after = ~1ull << slot;
    return slot;
}

const struct scheduler_model scheduler_lrr = {
    .model = {.name = "lrr", .help = "loose round robin: ready warps take turns", .state_size = state_size},
    .conserving = true,
    .takes_turns = true,
    .reset = reset,
    .start = nothing,
    .wait = nothing,
    .end = nothing,
    .pick = pick,
};
