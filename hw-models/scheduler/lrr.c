/* Loose round robin: the slots take turns, and a slot whose warp is not ready is skipped. The search begins after the
 * slot that issued last (Accel-Sim's "lrr"). Greedy then round robin begins it with that slot: a warp issues as long as
 * it is ready, and then the next one. */
#include "hw-models/scheduler/scheduler.h"

struct lrr {
    uint64_t after; /* slots with which the search begins: behind the one that issued last; of `grr` with it */
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

static int first_from(uint64_t from, uint64_t ready) { return __builtin_ctzll(ready & from ? ready & from : ready); }

static int pick(void *state, uint64_t ready)
{
    struct lrr *lrr = state;
    int slot = first_from(lrr->after, ready);
    lrr->after = ~1ull << slot;
    return slot;
}

static int pick_greedy(void *state, uint64_t ready)
{
    struct lrr *lrr = state;
    int slot = first_from(lrr->after, ready);
    lrr->after = ~0ull << slot;
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

const struct scheduler_model scheduler_grr = {
    .model = {.name = "grr",
              .help = "greedy then round robin: the same warp while it is ready, else the next in turn",
              .state_size = state_size},
    .conserving = true,
    .reset = reset,
    .start = nothing,
    .wait = nothing,
    .end = nothing,
    .pick = pick_greedy,
};
