/* Two-level scheduling by what warps wait for: there are a few active warps, and a queue of the others. An active warp
 * that waits at a barrier, for an atomic, or for a register that a load from global or local memory writes goes to the
 * end of the queue, and the first warp of the queue becomes active. The active warps issue in round robin (Gebhart et
 * al., "Energy-efficient Mechanisms for Managing Thread Context in Throughput Processors", ISCA 2011; Accel-Sim's
 * "two_level_active:N:0:1"). It needs a pipeline that calls observe(), which `direct` does not. */
#include <string.h>

#include "hw-models/scheduler/scheduler.h"

enum { ACTIVE };
static const struct model_option options_of[] = {
    [ACTIVE] = {"active", OPTION_INTEGER, "warps", 1, SCHEDULER_SLOTS, 6, NULL, "that may issue"},
};

struct two_level_active {
    unsigned most, active_count, queued;
    uint8_t active[SCHEDULER_SLOTS], queue[SCHEDULER_SLOTS];
};

static size_t state_size(const int64_t *options)
{
    (void)options;
    return sizeof(struct two_level_active);
}

static void reset(void *state, const int64_t *options)
{
    struct two_level_active *t = state;
    *t = (struct two_level_active){.most = (unsigned)options[ACTIVE]};
    for (unsigned s = 0; s < SCHEDULER_SLOTS; s++)
        if (s < t->most)
            t->active[t->active_count++] = (uint8_t)s;
        else
            t->queue[t->queued++] = (uint8_t)s;
}

static void nothing(void *state, unsigned slot)
{
    (void)state;
    (void)slot;
}

/* Drops the slots that the sub-core does not have: they would wait for ever in the queue. */
static void limit(void *state, unsigned slots)
{
    struct two_level_active *t = state;
    unsigned kept = 0;
    while (t->active_count && t->active[t->active_count - 1] >= slots)
        t->active_count--;
    for (unsigned i = 0; i < t->queued; i++)
        if (t->queue[i] < slots)
            t->queue[kept++] = t->queue[i];
    t->queued = kept;
}

static void observe(void *state, uint64_t waits)
{
    struct two_level_active *t = state;
    unsigned kept = 0;
    for (unsigned i = 0; i < t->active_count; i++)
        if (waits >> t->active[i] & 1)
            t->queue[t->queued++] = t->active[i];
        else
            t->active[kept++] = t->active[i];
    t->active_count = kept;
    while (t->active_count < t->most && t->queued) {
        t->active[t->active_count++] = t->queue[0];
        memmove(t->queue, t->queue + 1, --t->queued);
    }
}

/* The active slots behind the one that issues come first from now on. */
static int pick(void *state, uint64_t ready)
{
    struct two_level_active *t = state;
    for (unsigned i = 0; i < t->active_count; i++) {
        uint8_t slot = t->active[i], order[SCHEDULER_SLOTS];
        if (!(ready >> slot & 1))
            continue;
        for (unsigned j = 0; j < t->active_count; j++)
            order[j] = t->active[(i + 1 + j) % t->active_count];
        memcpy(t->active, order, t->active_count);
        return slot;
    }
    return -1;
}

const struct scheduler_model scheduler_two_level_active = {
    .model = {.name = "two-level-active",
              .help =
                  "round robin among a few active warps; those that wait for memory or at barriers make way for others",
              .options = options_of,
              .option_count = MODEL_COUNT_OF(options_of),
              .state_size = state_size},
    .takes_turns = true,
    .reset = reset,
    .start = nothing,
    .wait = nothing,
    .end = nothing,
    .pick = pick,
    .limit = limit,
    .observe = observe,
};
