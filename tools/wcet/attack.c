#include "tools/wcet/attack.h"

#include <inttypes.h>
#include <stdio.h>

/* The policies that are not random come first; among random ones, half of the tries draw a new seed and greed, the
 * others keep the best greed so far and draw a seed. */
static const char *const fixed[][2] = {{"oldest", NULL},   {"lrr", NULL},      {"gto", NULL},     {"two-level", "1"},
                                       {"two-level", "2"}, {"two-level", "4"}, {"two-level", "8"}};
#define FIXED (sizeof fixed / sizeof *fixed)

struct draw {
    uint64_t seed;
    unsigned greed, best_greed;
};

static uint64_t next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15ull;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
}

static size_t choose(uint64_t i, struct draw *d, uint64_t *random, struct machine_setting s[3], char text[2][24])
{
    if (i < FIXED) {
        s[0] = (struct machine_setting){"scheduler", fixed[i][0]};
        s[1] = (struct machine_setting){"scheduler.group", fixed[i][1]};
        return fixed[i][1] ? 2 : 1;
    }
    d->seed = next(random) >> 32;
    d->greed = i % 2 ? (unsigned)(next(random) % 101) : d->best_greed;
    snprintf(text[0], sizeof text[0], "%" PRIu64, d->seed);
    snprintf(text[1], sizeof text[1], "%u", d->greed);
    s[0] = (struct machine_setting){"scheduler", "random"};
    s[1] = (struct machine_setting){"scheduler.seed", text[0]};
    s[2] = (struct machine_setting){"scheduler.greed", text[1]};
    return 3;
}

static void describe(const struct machine_setting *s, size_t count, char *out, size_t size)
{
    int n = 0;
    for (size_t i = 0; i < count && (size_t)n < size; i++)
        n += snprintf(out + n, size - (size_t)n, "%s%s=%s", i ? " " : "", s[i].key, s[i].value);
}

bool wcet_attack(struct rp_trace *t, uint32_t launch, const struct machine_args *args, uint64_t count,
                 struct wcet_attack *out, struct rp_error *err)
{
    struct draw d = {.best_greed = 50};
    uint64_t random = 1;
    *out = (struct wcet_attack){0};
    for (uint64_t i = 0; i < count; i++) {
        struct machine_setting settings[3];
        char text[2][24];
        size_t given = choose(i, &d, &random, settings, text);
        struct machine *m = machine_args_open(args, settings, given, err);
        struct replay_options options = {.launch = launch};
        struct replay_result result;
        bool fine = m && replay(t, m, &options, &result, err);
        machine_free(m);
        if (!fine)
            return false;
        out->schedules++;
        if (result.total.cycles > out->longest) {
            out->longest = result.total.cycles;
            d.best_greed = i < FIXED ? d.best_greed : d.greed;
            describe(settings, given, out->schedule, sizeof out->schedule);
        }
        replay_result_free(&result);
    }
    return true;
}
