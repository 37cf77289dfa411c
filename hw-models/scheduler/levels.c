/* Levels of priority, to look for bad schedules: a warp issues only when none of a higher level is ready, so that a
 * warp can be starved until all others are through. That is the schedule that bounds for any work-conserving scheduler
 * must allow for. Within a level the warps take turns, or go by age, or by how far they are.
 *
 * The levels hold while the sub-core issues instruction `from` to `until` of a section, which begins with the launch
 * and whenever every warp has waited at a barrier; before and after, all warps are on one level. Work-conserving.
 */
#include "hw-models/scheduler/scheduler.h"

enum { HIGH, LOW, ORDER, FROM, UNTIL };
enum { TURNS, AGE, BEHIND, AHEAD };
static const char *const order_names[] = {"turns", "age", "behind", "ahead", NULL};
static const struct model_option options_of[] = {
    [HIGH] = {"high", OPTION_INTEGER, "bits", 0, INT64_MAX, 0, NULL, "slots that go first, a bit each"},
    [LOW] = {"low", OPTION_INTEGER, "bits", 0, INT64_MAX, 0, NULL, "slots that go last, a bit each"},
    [ORDER] = {"order", OPTION_CHOICE, "", TURNS, AHEAD, TURNS, order_names,
               "within a level: round robin; the oldest first; the one that has issued least since its section began "
               "first, or most"},
    [FROM] = {"from", OPTION_INTEGER, "issues", 0, INT64_MAX, 0, NULL,
              "of the section, before which all slots are on one level"},
    [UNTIL] = {"until", OPTION_INTEGER, "issues", 0, INT64_MAX, INT64_MAX, NULL,
               "of the section, after which all slots are on one level"},
};

struct levels {
    uint64_t high, low, from, until;
    int order;
    struct scheduler_ages ages;
    uint64_t waited, issues; /* of this section: slots that came to its end, instructions issued */
    uint64_t issued[SCHEDULER_SLOTS];
    unsigned last; /* the slot that issued last */
};

static size_t state_size(const int64_t *options)
{
    (void)options;
    return sizeof(struct levels);
}

static void reset(void *state, const int64_t *options)
{
    *(struct levels *)state = (struct levels){.high = (uint64_t)options[HIGH],
                                              .low = (uint64_t)options[LOW],
                                              .from = (uint64_t)options[FROM],
                                              .until = (uint64_t)options[UNTIL],
                                              .order = (int)options[ORDER],
                                              .last = SCHEDULER_SLOTS - 1};
}

static void start(void *state, unsigned slot)
{
    struct levels *l = state;
    scheduler_ages_start(&l->ages, slot);
    l->issued[slot] = 0;
}

static void new_section(struct levels *l)
{
    if (l->ages.present & ~l->waited)
        return;
    l->waited = l->issues = 0;
    for (unsigned s = 0; s < SCHEDULER_SLOTS; s++)
        l->issued[s] = 0;
}

static void wait(void *state, unsigned slot)
{
    struct levels *l = state;
    l->waited |= 1ull << slot;
    new_section(l);
}

static void end(void *state, unsigned slot)
{
    struct levels *l = state;
    scheduler_ages_end(&l->ages, slot);
    l->waited &= ~(1ull << slot);
    new_section(l);
}

/* The highest level that has a ready slot. */
static uint64_t highest(const struct levels *l, uint64_t ready)
{
    uint64_t first = ready & l->high, middle = ready & ~l->high & ~l->low;
    if (l->issues < l->from || l->issues >= l->until)
        return ready;
    return first ? first : middle ? middle : ready;
}

static unsigned next_turn(const struct levels *l, uint64_t slots)
{
    uint64_t behind = l->last < SCHEDULER_SLOTS - 1 ? slots & ~0ull << (l->last + 1) : 0;
    return (unsigned)__builtin_ctzll(behind ? behind : slots);
}

static unsigned by_progress(const struct levels *l, uint64_t slots)
{
    unsigned best = (unsigned)__builtin_ctzll(slots);
    for (uint64_t left = slots; left; left &= left - 1) {
        unsigned s = (unsigned)__builtin_ctzll(left);
        if (l->order == BEHIND ? l->issued[s] < l->issued[best] : l->issued[s] > l->issued[best])
            best = s;
    }
    return best;
}

static int pick(void *state, uint64_t ready)
{
    struct levels *l = state;
    uint64_t slots = highest(l, ready);
    switch (l->order) {
    case TURNS: l->last = next_turn(l, slots); break;
    case AGE: l->last = (unsigned)scheduler_ages_oldest(&l->ages, slots); break;
    default: l->last = by_progress(l, slots); break;
    }
    l->issues++;
    l->issued[l->last]++;
    return (int)l->last;
}

const struct scheduler_model scheduler_levels = {
    .model = {.name = "levels",
              .help = "levels of priority: warps of a level issue only when none of a higher one is ready",
              .options = options_of,
              .option_count = MODEL_COUNT_OF(options_of),
              .state_size = state_size},
    .conserving = true,
    .reset = reset,
    .start = start,
    .wait = wait,
    .end = end,
    .pick = pick,
};
