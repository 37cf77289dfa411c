#include "tools/ablate/steps.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "replay/base/machine_parts.h"
#include "replay/base/sampled.h"
#include "replay/session/machine_open.h"
#include "tools/machine/machine_file.h"
#include "tools/ui/nearest.h"

bool steps_of_paper(struct steps *s, bool alone, const struct machine_args *args, struct rp_error *err)
{
    enum { ONE_SUBCORE = 1 };
    static const struct step steps[] = {
        {"perfect instruction cache", {{.key = "icache", .value = "perfect"}}, 1},
        [ONE_SUBCORE] = {"one sub-core",
                         {{.key = "subcores", .value = "1"},
                          {.key = "l1.subcores", .value = "1"},
                          {.key = "icache.subcores", .value = "1"}},
                         3},
        {"single issue", {{.key = "issue.width", .value = "1"}}, 1},
        {"no caches",
         {{.key = "l1", .value = "none"},
          {.key = "l2", .value = "none"},
          {.key = "l2.clock_mhz", .value = "0"},
          {.key = "warm_l2", .value = "false"}},
         4},
        {"all accesses coalesced", {{.key = "coalescer", .value = "ideal"}}, 1},
    };
    struct machine *m = machine_args_open(args, NULL, 0, err);
    if (!m)
        return false;
    memcpy(s->list, steps, sizeof steps);
    s->count = MODEL_COUNT_OF(steps);
    struct step *one = &s->list[ONE_SUBCORE];
    if (alone && machine_part_value(&m->icache, "caches", 1) > 1)
        one->settings[one->count++] = (struct machine_setting){.key = "icache.caches", .value = "1"};
    machine_free(m);
    return true;
}

static bool add_settings(struct step *step, char *rest, const char *text, struct rp_error *err)
{
    for (char *one; (one = strsep(&rest, ","));) {
        char *equals = strchr(one, '=');
        if (!equals || equals == one)
            return rp_fail(err, RP_USAGE,
                           "--step %s: give NAME:KEY=VALUE,KEY=VALUE, for example --step 'no L2:l2=none'", text);
        if (step->count == MOST_STEP_SETTINGS)
            return rp_fail(err, RP_USAGE, "--step %s: at most %d settings", text, MOST_STEP_SETTINGS);
        *equals = 0;
        step->settings[step->count++] = (struct machine_setting){.key = one, .value = equals + 1};
    }
    return true;
}

bool steps_add(struct steps *s, const char *text, struct rp_error *err)
{
    if (s->count == MOST_STEPS)
        return rp_fail(err, RP_USAGE, "--step %s: at most %d steps", text, MOST_STEPS);
    if (*text == ':')
        return rp_fail(err, RP_USAGE, "--step %s: the step has no name; for example --step 'small L1:l1.size=8K'",
                       text);
    char *copy = strdup(text), *name = strdup(text), *colon = copy ? strchr(copy, ':') : NULL;
    if (!copy || !name) {
        free(copy);
        free(name);
        return rp_fail(err, RP_SYSTEM, "out of memory");
    }
    char *equals = strchr(copy, '=');
    bool named = colon && (!equals || colon < equals);
    if (named)
        name[colon - copy] = 0;
    struct step *step = &s->list[s->count++];
    *step = (struct step){.name = name};
    s->texts[s->text_count++] = copy;
    return add_settings(step, named ? colon + 1 : copy, text, err);
}

void steps_free(struct steps *s)
{
    for (size_t i = 0; i < s->text_count; i++) {
        free(s->texts[i]);
        free((char *)s->list[i].name); /* given with the text: these steps are no others */
    }
    *s = (struct steps){0};
}

/* What the command line says of the machine is a file to the steps, so that options of a model go with it. */
static struct machine *change(const struct machine *base, const struct machine_setting *settings, size_t count,
                              struct rp_error *err)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    if (to)
        machine_file_print(base, to);
    struct machine *m = NULL;
    if (!to || fclose(to))
        rp_fail(err, RP_SYSTEM, "out of memory for machine %s", base->name);
    else
        m = machine_parse(&(struct machine_request){.name = base->name,
                                                    .settings = settings,
                                                    .setting_count = count,
                                                    .late_option = "a step",
                                                    .nearest = nearest_name},
                          text, size, err);
    free(text);
    return m;
}

/* Probabilities belong to a trace, and steps are the same for all. */
static struct machine *without_shares(struct machine *m, struct rp_error *err)
{
    if (!m || !*machine_samples_from(m))
        return m;
    rp_fail(err, RP_USAGE,
            "memory.from=%s: no ablation replays there; 'reprise replay --save-machine' writes a machine with "
            "the probabilities of a trace",
            machine_samples_from(m));
    machine_free(m);
    return NULL;
}

struct machine *steps_machine(const struct steps *s, size_t count, bool alone, const struct machine_args *args,
                              struct rp_error *err)
{
    struct machine_setting settings[MOST_STEPS * MOST_STEP_SETTINGS];
    size_t all = 0;
    for (size_t i = alone && count ? count - 1 : 0; i < count; i++)
        for (size_t j = 0; j < s->list[i].count; j++)
            settings[all++] = s->list[i].settings[j];
    struct machine *base = without_shares(machine_args_open(args, NULL, 0, err), err);
    if (!count || !base)
        return base;
    struct machine *m = change(base, settings, all, err);
    machine_free(base);
    return m;
}
