#include "tools/wcet/compare.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/ui/nearest.h"

const char *const wcet_bound_names[WCET_BOUNDS] = {"gub", "serial", "unit"};

uint64_t wcet_bound_of(const struct wcet_bounds *b, enum wcet_bound which)
{
    return which == WCET_GUB ? b->gub : which == WCET_SERIAL ? b->serial : b->unit_bound;
}

/* ---- policies -----------------------------------------------------------------------------------------------------
 */

#define MOST_SCHEDULERS 64

/* The work-conserving schedulers, by name. Returns how many. */
static size_t conserving_names(const char *names[MOST_SCHEDULERS])
{
    size_t count = 0;
    for (const struct model *const *m = built_in_models.of[KIND_SCHEDULER]; *m && count < MOST_SCHEDULERS; m++)
        if (((const struct scheduler_model *)*m)->conserving)
            names[count++] = (*m)->name;
    return count;
}

static const struct model *scheduler_named(const char *name)
{
    for (const struct model *const *m = built_in_models.of[KIND_SCHEDULER]; *m; m++)
        if (!strcmp((*m)->name, name))
            return *m;
    return NULL;
}

/* Fails with the text, followed by the policies that exist. */
static bool policies_fail(const char *text, struct rp_error *err)
{
    const char *names[MOST_SCHEDULERS];
    char list[400] = "";
    size_t count = conserving_names(names), used = 0;
    for (size_t i = 0; i < count && used < sizeof list; i++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", names[i]);
    return rp_fail(err, RP_USAGE, "%s: %s", text, list);
}

static bool unknown_policy(const char *name, struct rp_error *err)
{
    const char *names[MOST_SCHEDULERS], *near = nearest_name(name, names, conserving_names(names));
    char text[120];
    if (near)
        return rp_fail(err, RP_USAGE, "unknown policy '%.40s'; did you mean '%s'?", name, near);
    snprintf(text, sizeof text, "unknown policy '%.40s'; there are", name);
    return policies_fail(text, err);
}

static bool add_policy(struct wcet_policies *p, char *name, struct rp_error *err)
{
    const struct model *m = scheduler_named(name);
    char text[160];
    snprintf(text, sizeof text,
             "scheduler %.40s lets ready warps wait while nothing issues; bounds hold for work-conserving ones only",
             name);
    if (!m)
        return unknown_policy(name, err);
    if (!((const struct scheduler_model *)m)->conserving)
        return policies_fail(text, err);
    for (size_t have = 0; have < p->count; have++)
        if (!strcmp(p->names[have], name))
            return rp_fail(err, RP_USAGE, "policy %s is named twice", name);
    if (p->count == WCET_POLICIES)
        return rp_fail(err, RP_USAGE, "too many policies; there may be %d", WCET_POLICIES);
    p->names[p->count++] = name;
    return true;
}

bool wcet_policies_parse(struct wcet_policies *p, char *text, struct rp_error *err)
{
    char *state, *name;
    for (name = strtok_r(text, ",", &state); name; name = strtok_r(NULL, ",", &state))
        if (!add_policy(p, name, err))
            return false;
    return p->count || policies_fail("no policy is named; there are", err);
}

/* ---- replay --------------------------------------------------------------------------------------------------------
 */

static struct wcet_launch *append(struct wcet_result *r, struct rp_error *err)
{
    if (r->count == r->capacity) {
        size_t capacity = r->capacity ? 2 * r->capacity : 16;
        struct wcet_launch *more = realloc(r->launches, capacity * sizeof *more);
        if (!more) {
            rp_fail(err, RP_SYSTEM, "out of memory for the results of a launch");
            return NULL;
        }
        r->launches = more;
        r->capacity = capacity;
    }
    struct wcet_launch *l = &r->launches[r->count++];
    memset(l, 0, sizeof *l);
    return l;
}

static bool under_policy(struct wcet_result *r, size_t first, size_t policy, struct rp_trace *t,
                         const struct machine_args *args, int64_t only, struct rp_error *err)
{
    struct machine_setting scheduler = {"scheduler", r->policies.names[policy]};
    struct machine *m = machine_args_open(args, &scheduler, 1, err);
    struct replay_options options = {.launch = only, .serial = true}; /* a bound is that of a launch that runs alone */
    struct replay_result result;
    bool fine = m && replay(t, m, &options, &result, err);
    if (fine) {
        for (uint32_t i = 0; i < result.count; i++)
            r->launches[first + i].cycles[policy] = result.launches[i].statistics.cycles;
        replay_result_free(&result);
    }
    machine_free(m);
    return fine;
}

/* After a search of all schedules, the exact worst case is the smallest possible bound. */
static bool exhaust(struct wcet_result *r, struct rp_trace *t, const struct machine *m, unsigned extensions,
                    const struct wcet_watch *watch, struct wcet_bounds *b, struct rp_error *err)
{
    struct wcet_exact exact;
    struct rp_error why;
    if (!wcet_exhaust(t, b->launch, m, extensions, &r->exhaust, watch, &exact, &why))
        return rp_fail(err, why.status, "launch %" PRIu32 ": %s", b->launch, why.text);
    b->exact = exact.cycles;
    b->too_many = exact.too_many;
    b->stopped = exact.stopped;
    if (b->exact && b->exact < b->unit_bound)
        b->unit_bound = b->exact;
    return true;
}

bool wcet_compare(struct wcet_result *r, struct rp_trace *t, const struct machine_args *args, int64_t only,
                  unsigned extensions, const struct wcet_watch *watch, struct rp_error *err)
{
    uint32_t begin = only < 0 ? 0 : (uint32_t)only, end = only < 0 ? rp_trace_launch_count(t) : begin + 1;
    size_t first = r->count;
    if (begin >= rp_trace_launch_count(t))
        return rp_fail(err, RP_BAD_INPUT, "%s: there is no launch %" PRIu32 "; the trace has %" PRIu32,
                       rp_trace_path(t), begin, rp_trace_launch_count(t));
    struct machine *m = machine_args_open(args, NULL, 0, err);
    bool fine = m;
    for (uint32_t l = begin; fine && l < end; l++) {
        struct wcet_launch *out = append(r, err);
        if (r->one_block)
            fine = out && wcet_analyse_block(t, l, r->block, m, extensions, watch, &out->bounds, err);
        else
            fine = out && wcet_analyse(t, l, m, extensions, watch, &out->bounds, err) &&
                   exhaust(r, t, m, extensions, watch, &out->bounds, err);
    }
    machine_free(m);
    for (size_t p = 0; fine && p < r->policies.count; p++)
        fine = under_policy(r, first, p, t, args, only, err);
    return fine;
}

void wcet_result_free(struct wcet_result *r)
{
    for (size_t i = 0; i < r->count; i++)
        wcet_bounds_free(&r->launches[i].bounds);
    free(r->launches);
    r->launches = NULL;
    r->count = r->capacity = 0;
}

/* ---- summary -------------------------------------------------------------------------------------------------------
 */

struct wcet_summary wcet_summarise(const struct wcet_result *r, size_t policy, enum wcet_bound which)
{
    struct wcet_summary s = {0};
    double sum = 0, squares = 0, weighted = 0, cycles = 0;
    for (size_t i = 0; i < r->count; i++) {
        const struct wcet_launch *l = &r->launches[i];
        uint64_t bound = wcet_bound_of(&l->bounds, which), took = l->cycles[policy];
        if (!bound || !took)
            continue;
        double over = wcet_overestimation(bound, took);
        s.launches++;
        s.violations += took > bound;
        s.greatest = s.launches == 1 || over > s.greatest ? over : s.greatest;
        sum += over;
        squares += over * over;
        weighted += over * (double)took;
        cycles += (double)took;
    }
    if (!s.launches)
        return s;
    double n = (double)s.launches;
    s.mean = sum / n;
    s.weighted_mean = weighted / cycles;
    double variance = squares / n - s.mean * s.mean;
    s.deviation = variance > 0 ? sqrt(variance) : 0;
    return s;
}
