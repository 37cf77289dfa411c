/* Greedy then oldest: stay with the warp that issued last as long as it is ready, else take the oldest that is. The
 * age of a warp is the order in which it started (Rogers et al., "Cache-Conscious Wavefront Scheduling", MICRO 2012).
 * Greedy then youngest takes the youngest instead (Huerta et al., "Dissecting and Modeling the Architecture of Modern
 * GPU Cores", MICRO 2025, which found it on GA102).
 */
#include "hw-models/scheduler/gto.h"

enum { STAYS };
enum { STAYS_WITH_WARP, STAYS_WITH_SLOT };
static const char *const stays[] = {"warp", "slot", NULL};
static const struct model_option options_of[] = {
    [STAYS] = {"stays_with", OPTION_CHOICE, "", 0, 1, STAYS_WITH_WARP, stays,
               "the warp, or its slot and so the next warp there, too, from slot 0 on (Accel-Sim)"},
};

static size_t state_size(const int64_t *options)
{
    (void)options;
    return sizeof(struct gto);
}

static void reset(void *state, const int64_t *options)
{
    bool slot = options[STAYS] == STAYS_WITH_SLOT;
    *(struct gto *)state = (struct gto){.slot = slot, .greedy = slot};
}

static void reset_youngest(void *state, const int64_t *options)
{
    (void)options;
    *(struct gto *)state = (struct gto){0};
}

static void start(void *state, unsigned slot) { scheduler_ages_start(&((struct gto *)state)->ages, slot); }

static void wait(void *state, unsigned slot)
{
    (void)state;
    (void)slot;
}

static void end(void *state, unsigned slot)
{
    struct gto *gto = state;
    scheduler_ages_end(&gto->ages, slot);
    if (!gto->slot)
        gto->greedy &= ~(1ull << slot);
}

static int pick_oldest(void *state, uint64_t ready) { return gto_pick(state, ready, false); }
static int pick_youngest(void *state, uint64_t ready) { return gto_pick(state, ready, true); }

const struct scheduler_model scheduler_gto = {
    .model = {.name = "gto",
              .help = "greedy then oldest: the same warp while it is ready, else the oldest",
              .options = options_of,
              .option_count = MODEL_COUNT_OF(options_of),
              .state_size = state_size},
    .conserving = true,
    .reset = reset,
    .start = start,
    .wait = wait,
    .end = end,
    .pick = pick_oldest,
};

const struct scheduler_model scheduler_gty = {
    .model = {.name = "gty",
              .help = "greedy then youngest: the same warp while it is ready, else the youngest",
              .state_size = state_size},
    .conserving = true,
    .reset = reset_youngest,
    .start = start,
    .wait = wait,
    .end = end,
    .pick = pick_youngest,
};
