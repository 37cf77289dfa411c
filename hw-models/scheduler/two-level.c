/* Two-level round robin: neighbouring slots form groups. The warps of the current group take turns. When none of them
 * is ready, the next group with a ready warp becomes the current one (Narasiman et al., "Improving GPU Performance via
 * Large Warps and Two-Level Warp Scheduling", MICRO 2011). Work-conserving. */
#include "hw-models/scheduler/scheduler.h"

enum { GROUP };
static const struct model_option options_of[] = {
    [GROUP] = {"group", OPTION_INTEGER, "warps", 1, SCHEDULER_SLOTS, 8, NULL, "slots of a group"},
};

struct two_level {
    unsigned group;   /* the option */
    unsigned current; /* first slot of the current group */
    unsigned last;    /* the slot that issued last */
};

static size_t state_size(const int64_t *options)
{
    (void)options;
    return sizeof(struct two_level);
}

static void reset(void *state, const int64_t *options)
{
    *(struct two_level *)state = (struct two_level){(unsigned)options[GROUP], 0, SCHEDULER_SLOTS - 1};
}

static void nothing(void *state, unsigned slot)
{
    (void)state;
    (void)slot;
}

/* Slots from..SCHEDULER_SLOTS-1. */
static uint64_t from(unsigned slot) { return slot < SCHEDULER_SLOTS ? ~0ull << slot : 0; }

/* The first slot of the mask behind `slot`, going round. */
static unsigned next(uint64_t mask, unsigned slot)
{
    uint64_t behind = mask & from(slot + 1);
    return (unsigned)__builtin_ctzll(behind ? behind : mask);
}

static int pick(void *state, uint64_t ready)
{
    struct two_level *t = state;
    uint64_t here = ready & from(t->current) & ~from(t->current + t->group);
    if (!here) {
        unsigned slot = next(ready, t->current + t->group - 1);
        t->current = slot - slot % t->group;
        here = ready & from(t->current) & ~from(t->current + t->group);
    }
    t->last = next(here, t->last);
    return (int)t->last;
}

const struct scheduler_model scheduler_two_level = {
    .model = {.name = "two-level",
              .help = "round robin within a group of warps; the next group when none of them is ready",
              .options = options_of,
              .option_count = MODEL_COUNT_OF(options_of),
              .state_size = state_size},
    .conserving = true,
    .takes_turns = true,
    .reset = reset,
    .start = nothing,
    .wait = nothing,
    .end = nothing,
    .pick = pick,
};
