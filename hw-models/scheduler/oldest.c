/* Strict age: always the oldest warp that is ready. The age of a warp is the order in which it started. The youngest
 * warp runs only when all others wait, which makes this a hard case for bounds on its delay. */
#include "hw-models/scheduler/scheduler.h"

static size_t state_size(const int64_t *options)
{
    (void)options;
    return sizeof(struct scheduler_ages);
}

static void reset(void *state, const int64_t *options)
{
    (void)options;
    *(struct scheduler_ages *)state = (struct scheduler_ages){0};
}

static void start(void *state, unsigned slot) { scheduler_ages_start(state, slot); }

static void wait(void *state, unsigned slot)
{
    (void)state;
    (void)slot;
}

static void end(void *state, unsigned slot) { scheduler_ages_end(state, slot); }

static int pick(void *state, uint64_t ready) { return scheduler_ages_oldest(state, ready); }

const struct scheduler_model scheduler_oldest = {
    .model = {.name = "oldest", .help = "the oldest warp that is ready, always", .state_size = state_size},
    .conserving = true,
    .reset = reset,
    .start = start,
    .wait = wait,
    .end = end,
    .pick = pick,
};
