/* Static wavefront limiting (Rogers et al., "Cache-Conscious Wavefront Scheduling", MICRO 2012): only the oldest warps
 * of a sub-core may issue, so that fewer warps share the caches. Among them it is greedy then oldest. While a warp
 * waits at a barrier, the next oldest may issue in its place, so that blocks complete their barriers. Not
 * work-conserving. */
#include "hw-models/scheduler/scheduler.h"

enum { WARPS };
static const struct model_option options_of[] = {
    [WARPS] = {"warps", OPTION_INTEGER, "warps", 1, SCHEDULER_SLOTS, 4, NULL, "of a sub-core that may issue"},
};

struct swl {
    unsigned most;
    struct scheduler_ages ages;
    uint64_t waiting; /* slots that went to a barrier and have not issued since */
    uint64_t greedy;  /* the slot that issued last, as a mask; 0: none */
};

static size_t state_size(const int64_t *options)
{
    (void)options;
    return sizeof(struct swl);
}

static void reset(void *state, const int64_t *options)
{
    *(struct swl *)state = (struct swl){.most = (unsigned)options[WARPS]};
}

static void start(void *state, unsigned slot) { scheduler_ages_start(&((struct swl *)state)->ages, slot); }

static void wait(void *state, unsigned slot) { ((struct swl *)state)->waiting |= 1ull << slot; }

static void end(void *state, unsigned slot)
{
    struct swl *l = state;
    scheduler_ages_end(&l->ages, slot);
    l->waiting &= ~(1ull << slot);
    l->greedy &= ~(1ull << slot);
}

/* The oldest slots that do not wait at a barrier. A slot that is ready waits no longer. */
static uint64_t allowed(const struct swl *l, uint64_t ready)
{
    uint64_t left = l->ages.present & ~(l->waiting & ~ready), chosen = 0;
    for (unsigned n = 0; left && n < l->most; n++) {
        uint64_t oldest = 1ull << scheduler_ages_oldest(&l->ages, left);
        chosen |= oldest;
        left &= ~oldest;
    }
    return chosen;
}

static int pick(void *state, uint64_t ready)
{
    struct swl *l = state;
    uint64_t may = ready & allowed(l, ready);
    if (!may)
        return -1;
    int slot = may & l->greedy ? __builtin_ctzll(l->greedy) : scheduler_ages_oldest(&l->ages, may);
    l->greedy = 1ull << slot;
    l->waiting &= ~l->greedy;
    return slot;
}

const struct scheduler_model scheduler_swl = {
    .model = {.name = "limited",
              .help = "the oldest few warps only, among them greedy then oldest (static wavefront limiting)",
              .options = options_of,
              .option_count = MODEL_COUNT_OF(options_of),
              .state_size = state_size},
    .reset = reset,
    .start = start,
    .wait = wait,
    .end = end,
    .pick = pick,
};
