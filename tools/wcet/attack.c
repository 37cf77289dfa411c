#include "tools/wcet/attack.h"

#include <inttypes.h>
#include <stdio.h>

#include "tools/lib/interrupt.h"
#include "tools/ui/progress.h"

/* ---- schedules ----------------------------------------------------------------------------------------------------
 */

enum policy { OLDEST, LRR, GTO, TWO_LEVEL, RANDOM, LEVELS };
static const char *const policy_names[] = {"oldest", "lrr", "gto", "two-level", "random", "levels"};
static const char *const orders[] = {"turns", "behind", "age", "ahead"};
#define ORDERS (sizeof orders / sizeof *orders)

struct schedule {
    enum policy policy;
    uint64_t group;                  /* of "two-level" */
    uint64_t seed, greed;            /* of "random" */
    uint64_t high, low, from, until; /* of "levels": slots, a bit each; issues of a section */
    unsigned order;
};

static const struct schedule known[] = {
    {.policy = OLDEST},
    {.policy = LRR},
    {.policy = GTO},
    {.policy = TWO_LEVEL, .group = 1},
    {.policy = TWO_LEVEL, .group = 2},
    {.policy = TWO_LEVEL, .group = 4},
    {.policy = TWO_LEVEL, .group = 8},
};
#define KNOWN (sizeof known / sizeof *known)

#define MOST_SETTINGS_OF_SCHEDULE 6
struct spelt {
    struct machine_setting settings[MOST_SETTINGS_OF_SCHEDULE];
    char number[MOST_SETTINGS_OF_SCHEDULE][24];
    size_t count;
};

static void word(struct spelt *s, const char *key, const char *value)
{
    s->settings[s->count++] = (struct machine_setting){key, value};
}

static void number(struct spelt *s, const char *key, uint64_t value)
{
    snprintf(s->number[s->count], sizeof s->number[0], "%" PRIu64, value);
    word(s, key, s->number[s->count]);
}

static void spell(const struct schedule *from, struct spelt *to)
{
    to->count = 0;
    word(to, "scheduler", policy_names[from->policy]);
    if (from->policy == TWO_LEVEL)
        number(to, "scheduler.group", from->group);
    if (from->policy == RANDOM) {
        number(to, "scheduler.seed", from->seed);
        number(to, "scheduler.greed", from->greed);
    }
    if (from->policy != LEVELS)
        return;
    word(to, "scheduler.order", orders[from->order]);
    if (from->high)
        number(to, "scheduler.high", from->high);
    number(to, "scheduler.low", from->low);
    if (from->from)
        number(to, "scheduler.from", from->from);
    if (from->until < INT64_MAX)
        number(to, "scheduler.until", from->until);
}

static void describe(const struct spelt *s, char *out, size_t size)
{
    int n = 0;
    for (size_t i = 0; i < s->count && (size_t)n < size; i++)
        n += snprintf(out + n, size - (size_t)n, "%s%s=%s", i ? " " : "", s->settings[i].key, s->settings[i].value);
}

/* ---- the search ---------------------------------------------------------------------------------------------------
 */

struct search {
    uint64_t random;        /* state of the random number generator */
    uint64_t slots, issues; /* warps on a sub-core at a time; instructions that it issues in a section, on average */
    struct schedule best;   /* of those with "levels" */
    uint64_t best_cycles;
};

/* splitmix64 (Steele, Lea, Flood 2014) */
static uint64_t below(struct search *s, uint64_t n)
{
    uint64_t z = s->random += 0x9e3779b97f4a7c15ull;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return (z ^ z >> 31) % n;
}

/* A schedule that starves one warp: the first or the last, with each order of the others. */
static struct schedule starving(const struct search *s, uint64_t i)
{
    return (struct schedule){.policy = LEVELS,
                             .order = (unsigned)(i % ORDERS),
                             .low = 1ull << (i / ORDERS % 2 ? 0 : s->slots - 1),
                             .until = INT64_MAX};
}
#define STARVING (2 * ORDERS)

static void random_stretch(struct search *s, struct schedule *x)
{
    x->from = below(s, 2) ? below(s, s->issues) : 0;
    x->until = below(s, 2) ? x->from + 1 + below(s, s->issues) : INT64_MAX;
}

static void random_level(struct search *s, struct schedule *x, uint64_t slot)
{
    uint64_t bit = 1ull << slot, level = below(s, 3);
    x->high = level == 0 ? x->high | bit : x->high & ~bit;
    x->low = level == 1 ? x->low | bit : x->low & ~bit;
}

static struct schedule fresh(struct search *s)
{
    if (below(s, 2))
        return (struct schedule){.policy = RANDOM, .seed = below(s, 1u << 31), .greed = below(s, 101)};
    struct schedule x = {.policy = LEVELS, .order = (unsigned)below(s, ORDERS), .until = INT64_MAX};
    for (uint64_t slot = 0; slot < s->slots; slot++)
        random_level(s, &x, slot);
    if (below(s, 2))
        random_stretch(s, &x);
    return x;
}

static struct schedule neighbour(struct search *s)
{
    struct schedule x = s->best;
    for (uint64_t changes = 1 + below(s, 2); changes; changes--)
        switch (below(s, 4)) {
        case 0: x.order = (unsigned)below(s, ORDERS); break;
        case 1: random_stretch(s, &x); break;
        default: random_level(s, &x, below(s, s->slots)); break;
        }
    return x;
}

static struct schedule choose(struct search *s, uint64_t i)
{
    if (i < KNOWN)
        return known[i];
    if (i < KNOWN + STARVING)
        return starving(s, i - KNOWN);
    return i % 4 ? neighbour(s) : fresh(s);
}

static bool attempt(struct rp_trace *t, uint32_t launch, const struct machine_args *args, const struct spelt *spelt,
                    uint64_t *cycles, struct rp_error *err)
{
    struct machine *m = machine_args_open(args, spelt->settings, spelt->count, err);
    struct replay_options options = {.launch = launch};
    struct replay_result result;
    bool fine = m && replay(t, m, &options, &result, err);
    machine_free(m);
    if (!fine)
        return false;
    *cycles = result.total.cycles;
    replay_result_free(&result);
    return true;
}

static bool begin(struct search *s, const struct wcet_bounds *b, const struct machine_args *args, struct rp_error *err)
{
    struct machine *m = machine_args_open(args, NULL, 0, err);
    if (!m)
        return false;
    uint64_t sections = b->section_count ? b->section_count : 1, subcores = (uint64_t)m->subcores;
    uint64_t slots = b->resident * ((b->warps / b->blocks + subcores - 1) / subcores);
    machine_free(m);
    *s = (struct search){.random = 1,
                         .slots = slots < 63 ? slots : 63, /* options hold 63 bits */
                         .issues = b->instructions / sections / subcores * b->resident + 1};
    return true;
}

static bool one_try(struct search *s, struct rp_trace *t, uint32_t launch, const struct machine_args *args,
                    struct wcet_attack *out, struct rp_error *err)
{
    struct schedule x = choose(s, out->schedules);
    struct spelt spelt;
    uint64_t cycles;
    spell(&x, &spelt);
    if (!attempt(t, launch, args, &spelt, &cycles, err))
        return false;
    out->schedules++;
    if (x.policy == LEVELS && cycles >= s->best_cycles) {
        s->best = x;
        s->best_cycles = cycles;
    }
    if (cycles > out->longest) {
        out->longest = cycles;
        describe(&spelt, out->schedule, sizeof out->schedule);
    }
    return true;
}

bool wcet_attack(struct rp_trace *t, const struct wcet_bounds *b, const struct machine_args *args, uint64_t count,
                 bool quiet, struct wcet_attack *out, struct rp_error *err)
{
    struct search s;
    struct progress bar;
    *out = (struct wcet_attack){0};
    bool fine = begin(&s, b, args, err);
    progress_begin(&bar, "attacking", "schedules", quiet);
    while (fine && out->schedules < count && !(interrupted() && out->schedules)) {
        fine = one_try(&s, t, b->launch, args, out, err);
        progress_update(&bar, out->schedules, count, 0, NULL);
    }
    progress_end(&bar);
    return fine;
}
