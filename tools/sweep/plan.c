#include "tools/sweep/plan.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/replaying/sampling.h"
#include "tools/store/store.h"

static bool fail_memory(struct rp_error *err) { return rp_fail(err, RP_SYSTEM, "out of memory"); }

static char *append(char ***list, size_t *count, const char *text, size_t length, struct rp_error *err)
{
    char **longer = realloc(*list, (*count + 1) * sizeof *longer);
    if (!longer) {
        fail_memory(err);
        return NULL;
    }
    *list = longer;
    if (!(longer[*count] = strndup(text, length))) {
        fail_memory(err);
        return NULL;
    }
    return longer[(*count)++];
}

/* Names between commas, unless there is a file whose name has them. */
static bool add_machines(struct sweep_plan *p, const char *names, struct rp_error *err)
{
    if (strchr(names, ',') && !access(names, F_OK))
        return append(&p->machines, &p->machine_count, names, strlen(names), err);
    for (size_t n; n = strcspn(names, ","), true; names += n + 1) {
        if (!n)
            return rp_fail(err, RP_USAGE, "--machine: a name is missing; write --machine rtx2060,v100");
        if (!append(&p->machines, &p->machine_count, names, n, err))
            return false;
        if (!names[n])
            return true;
    }
}

static bool add_setting(struct sweep_plan *p, const char *text, struct rp_error *err)
{
    char *copy = append(&p->texts, &p->text_count, text, strlen(text), err);
    return copy && machine_args_set(&p->base, copy, err);
}

static bool add_engine(struct sweep_plan *p, const char *name, struct rp_error *err)
{
    p->replay.engine = strcmp(name, "reference") ? REPLAY_FAST : REPLAY_REFERENCE;
    return p->replay.engine == REPLAY_REFERENCE || !strcmp(name, "fast") ||
           rp_fail(err, RP_USAGE, "--engine %s: there are fast and reference", name);
}

static bool add_number(struct sweep_plan *p, const char *option, const char *text, struct rp_error *err)
{
    long long number;
    bool launch = !strcmp(option, "launch");
    if (!parse_number(launch ? "--launch" : "--seed", text, 0, launch ? UINT32_MAX : INT64_MAX, &number, err))
        return false;
    if (launch)
        p->replay.launch = number;
    else
        p->replay.seed = (uint64_t)number;
    return true;
}

static bool remember(struct sweep_plan *p, const char *option, const char *value, struct rp_error *err)
{
    struct sweep_given *given = realloc(p->given, (p->given_count + 1) * sizeof *given);
    if (!given)
        return fail_memory(err);
    p->given = given;
    char *copy = value ? strdup(value) : NULL;
    if (value && !copy)
        return fail_memory(err);
    given[p->given_count++] = (struct sweep_given){option, copy};
    return true;
}

bool sweep_plan_add(struct sweep_plan *p, const char *option, const char *value, struct rp_error *err)
{
    if (!remember(p, option, value, err))
        return false;
    if (!strcmp(option, "trace"))
        return append(&p->traces, &p->trace_count, value, strlen(value), err);
    if (!strcmp(option, "machine"))
        return add_machines(p, value, err);
    if (!strcmp(option, "set"))
        return add_setting(p, value, err);
    if (!strcmp(option, "vary"))
        return axes_add(&p->axes, value, err);
    if (!strcmp(option, "exclude"))
        return conditions_add(&p->excluded, value, err);
    if (!strcmp(option, "sample"))
        return sample_parse(value, &p->replay.sample, err);
    if (!strcmp(option, "batches") || !strcmp(option, "confidence") || !strcmp(option, "width"))
        return repeat_parse(option, value, &p->batches, err);
    if (!strcmp(option, "engine"))
        return add_engine(p, value, err);
    if (!strcmp(option, "launches") || !strcmp(option, "stalls")) {
        p->detail |= *option == 'l' ? STORE_LAUNCHES : STORE_STALLS;
        return true;
    }
    return add_number(p, option, value, err);
}

/* Several machines are an axis, the slowest. */
static bool add_machine_axis(struct sweep_plan *p, struct rp_error *err)
{
    struct axes *a = &p->axes;
    if (a->count == MOST_KEYS || a->key_count == MOST_KEYS)
        return rp_fail(err, RP_USAGE, "--machine beside --vary: at most %d keys may be varied", MOST_KEYS);
    if (p->machine_count > MOST_POINTS)
        return rp_fail(err, RP_USAGE, "--machine: more than %d machines", MOST_POINTS);
    const char **names = calloc(p->machine_count, sizeof *names);
    if (!names)
        return fail_memory(err);
    for (size_t i = 0; i < p->machine_count; i++)
        names[i] = p->machines[i];
    memmove(a->list + 1, a->list, a->count++ * sizeof *a->list);
    a->list[0] = (struct axis){.first = a->key_count, .keys = 1, .values = names, .points = p->machine_count};
    a->keys[a->key_count++] = VARIED_MACHINE;
    return true;
}

/* Estimates are of whole replays. */
static bool check_estimates(const struct sweep_plan *p, struct rp_error *err)
{
    bool sample = p->replay.sample.error > 0, batches = p->batches.request.least;
    const char *option = sample ? "--sample" : "--batches";
    if (sample && batches)
        return rp_fail(err, RP_USAGE, "--sample beside --batches: leave out one of them");
    if ((sample || batches) && p->detail & STORE_STALLS)
        return rp_fail(err, RP_USAGE, "--stalls beside %s: stalls of instructions are those of one whole replay",
                       option);
    if (batches && p->detail & STORE_LAUNCHES)
        return rp_fail(err, RP_USAGE, "--launches beside --batches: the means are those of all launches");
    return repeat_agrees(&p->batches, err);
}

/* What varies has no one value beside. */
static bool check_settings(const struct sweep_plan *p, struct rp_error *err)
{
    for (size_t i = 0; i < p->base.count; i++)
        if (axes_have(&p->axes, p->base.settings[i].key))
            return rp_fail(err, RP_USAGE, "--set %s=%s beside --vary %s=...: leave out one of them",
                           p->base.settings[i].key, p->base.settings[i].value, p->base.settings[i].key);
    return true;
}

bool sweep_plan_finish(struct sweep_plan *p, struct rp_error *err)
{
    const char *varied = axes_machine(&p->axes);
    if (!p->trace_count)
        return rp_fail(err, RP_USAGE, "which traces? Name them, or a plan.cfg that does");
    if (varied && p->machine_count)
        return rp_fail(err, RP_USAGE, "--machine %s beside --vary machine=...: leave out one of them", p->machines[0]);
    if (!varied && !p->machine_count)
        return rp_fail(err, RP_USAGE, "on which machines? Name them with --machine; 'reprise machine list' shows them");
    p->base.machine = varied ? varied : p->machines[0];
    if (p->machine_count > 1 && !add_machine_axis(p, err))
        return false;
    variant_base(&p->base, &p->axes);
    p->excluded.machine = p->base.machine;
    p->excluded.traces = p->traces;
    p->excluded.trace_count = p->trace_count;
    return check_estimates(p, err) && check_settings(p, err) && conditions_check(&p->excluded, &p->axes, err);
}

static void free_list(char **list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(list[i]);
    free(list);
}

void sweep_plan_free(struct sweep_plan *p)
{
    for (size_t i = 0; i < p->given_count; i++)
        free(p->given[i].value);
    free(p->given);
    free_list(p->traces, p->trace_count);
    free_list(p->machines, p->machine_count);
    free_list(p->texts, p->text_count);
    axes_free(&p->axes);
    conditions_free(&p->excluded);
    *p = (struct sweep_plan){.trace_count = 0};
}

size_t sweep_plan_variants(const struct sweep_plan *p, struct rp_error *err)
{
    return axes_variants(&p->axes, MOST_SWEPT, err);
}

bool sweep_plan_excludes(const struct sweep_plan *p, size_t variant, const char *trace)
{
    const char *values[MOST_KEYS];
    axes_values(&p->axes, variant, values);
    return conditions_hold(&p->excluded, &p->axes, values, trace);
}
