/* Strict priority, to search for bad schedules: a warp issues only when no warp of a higher level is ready. So a warp
 * can be starved until all others have ended. A bound for all work-conserving schedulers must cover that schedule.
 * Within a level, warps take turns, or the oldest goes first, or the one that has issued the fewest or the most
 * instructions.
 *
 * The levels hold from issue `from` to issue `until` of a section of the sub-core. A section begins with the launch,
 * and whenever each warp has waited at a barrier. Before `from` and after `until`, all warps are on one level.
 * Work-conserving.
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

struct strict_priority {
    uint64_t high, low, from, until;
    int order;
    struct scheduler_ages ages;
    uint64_t waited, issues; /* of this section: slots that have waited at its end, instructions issued */
    uint64_t issued[SCHEDULER_SLOTS];
    unsigned last; /* the slot that issued last */
};

static size_t state_size(const int64_t *options)
{
    (void)options;
    return sizeof(struct strict_priority);
}

static void reset(void *state, const int64_t *options)
{
    *(struct strict_priority *)state = (struct strict_priority){.high = (uint64_t)options[HIGH],
                                                                .low = (uint64_t)options[LOW],
                                                                .from = (uint64_t)options[FROM],
                                                                .until = (uint64_t)options[UNTIL],
                                                                .order = (int)options[ORDER],
                                                                .last = SCHEDULER_SLOTS - 1};
}

static void start(void *state, unsigned slot)
{
    struct strict_priority *p = state;
    scheduler_ages_start(&p->ages, slot);
    p->issued[slot] = 0;
}

static void new_section(struct strict_priority *p)
{
    if (p->ages.present & ~p->waited)
        return;
    p->waited = p->issues = 0;
    for (unsigned s = 0; s < SCHEDULER_SLOTS; s++)
        p->issued[s] = 0;
}

static void wait(void *state, unsigned slot)
{
    struct strict_priority *p = state;
    p->waited |= 1ull << slot;
    new_section(p);
}

static void end(void *state, unsigned slot)
{
    struct strict_priority *p = state;
    scheduler_ages_end(&p->ages, slot);
    p->waited &= ~(1ull << slot);
    new_section(p);
}

/* The highest level that has a ready slot. */
static uint64_t highest(const struct strict_priority *p, uint64_t ready)
{
    uint64_t first = ready & p->high, middle = ready & ~p->high & ~p->low;
    if (p->issues < p->from || p->issues >= p->until)
        return ready;
    return first ? first : middle ? middle : ready;
}

static unsigned next_turn(const struct strict_priority *p, uint64_t slots)
{
    uint64_t behind = p->last < SCHEDULER_SLOTS - 1 ? slots & ~0ull << (p->last + 1) : 0;
    return (unsigned)__builtin_ctzll(behind ? behind : slots);
}

static unsigned by_progress(const struct strict_priority *p, uint64_t slots)
{
    unsigned best = (unsigned)__builtin_ctzll(slots);
    for (uint64_t left = slots; left; left &= left - 1) {
        unsigned s = (unsigned)__builtin_ctzll(left);
        if (p->order == BEHIND ? p->issued[s] < p->issued[best] : p->issued[s] > p->issued[best])
            best = s;
    }
    return best;
}

static int pick(void *state, uint64_t ready)
{
    struct strict_priority *p = state;
    uint64_t slots = highest(p, ready);
    switch (p->order) {
    case TURNS: p->last = next_turn(p, slots); break;
    case AGE: p->last = (unsigned)scheduler_ages_oldest(&p->ages, slots); break;
    default: p->last = by_progress(p, slots); break;
    }
    p->issues++;
    p->issued[p->last]++;
    return (int)p->last;
}

const struct scheduler_model scheduler_strict_priority = {
    .model = {.name = "levels",
              .help = "levels of priority: warps of a level issue only when none of a higher one is ready",
              .options = options_of,
              .option_count = MODEL_COUNT_OF(options_of),
              .state_size = state_size},
    .conserving = true,
    .takes_turns = true, /* as its options are by default */
    .reset = reset,
    .start = start,
    .wait = wait,
    .end = end,
    .pick = pick,
};
