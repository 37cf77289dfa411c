/* Greedy then youngest: stay with the warp that issued last as long as it is ready, else take the youngest that is
 * (Huerta et al., "Dissecting and Modeling the Architecture of Modern GPU Cores", MICRO 2025, which found it on GA102).
 * The age of a warp is the order in which it started. */
#include "hw-models/scheduler/scheduler.h"

struct gty {
    struct scheduler_ages ages;
    uint64_t greedy; /* the slot that issued last, as a mask; 0: none */
};

static size_t state_size(const int64_t *options)
{
    (void)options;
    return sizeof(struct gty);
}

static void reset(void *state, const int64_t *options)
{
    (void)options;
    *(struct gty *)state = (struct gty){0};
}

static void start(void *state, unsigned slot) { scheduler_ages_start(&((struct gty *)state)->ages, slot); }

static void wait(void *state, unsigned slot)
{
    (void)state;
    (void)slot;
}

static void end(void *state, unsigned slot)
{
    struct gty *gty = state;
    scheduler_ages_end(&gty->ages, slot);
    gty->greedy &= ~(1ull << slot);
}

static int pick(void *state, uint64_t ready)
{
    struct gty *gty = state;
    if (ready & gty->greedy)
        return __builtin_ctzll(gty->greedy);
    int slot = scheduler_ages_youngest(&gty->ages, ready);
    gty->greedy = 1ull << slot;
    return slot;
}

const struct scheduler_model scheduler_gty = {
    .model = {.name = "gty",
              .help = "greedy then youngest: the same warp while it is ready, else the youngest",
              .state_size = state_size},
    .conserving = true,
    .reset = reset,
    .start = start,
    .wait = wait,
    .end = end,
    .pick = pick,
};
