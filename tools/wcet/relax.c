#include "tools/wcet/relax.h"

#include <stdio.h>
#include <string.h>

static bool add_setting(struct wcet_relaxed *r, struct machine_args *args, const char *setting, struct rp_error *err)
{
    if (r->count == WCET_MOST_RELAXED)
        return rp_fail(err, RP_BAD_INPUT, "--relax: machine %s needs more than %d changes", args->machine,
                       WCET_MOST_RELAXED);
    if (!r->count)
        r->first = args->count;
    char *text = r->text[r->count++];
    snprintf(text, sizeof r->text[0], "%s", setting);
    return machine_args_set(args, text, err);
}

static bool add_settings(struct wcet_relaxed *r, struct machine_args *args, const struct wcet_needs *n,
                         struct rp_error *err)
{
    for (size_t i = 0; i < n->count; i++) {
        char copy[sizeof n->list[0].settings], *rest;
        snprintf(copy, sizeof copy, "%s", n->list[i].settings);
        for (char *one = strtok_r(copy, " ", &rest); one; one = strtok_r(NULL, " ", &rest))
            if (!add_setting(r, args, one, err))
                return false;
    }
    return true;
}

static bool can_be_mended(const struct wcet_needs *n)
{
    for (size_t i = 0; i < n->count; i++)
        if (n->list[i].settings[0])
            return true;
    return false;
}

/* A setting may bring up what another model needs, so this goes on until nothing is left that a setting mends. */
static bool relax_for(struct wcet_relaxed *r, struct machine_args *args, unsigned *extensions,
                      const struct rp_kernel *k, const struct rp_launch *l, struct rp_error *err)
{
    struct wcet_needs n;
    for (;;) {
        struct machine *m = machine_args_open(args, NULL, 0, err);
        if (!m)
            return false;
        wcet_needs_find(&n, m, k, l, *extensions);
        machine_free(m);
        r->assumed |= n.missing;
        *extensions |= n.missing;
        if (!can_be_mended(&n))
            return true;
        if (!add_settings(r, args, &n, err))
            return false;
    }
}

bool wcet_relax(struct wcet_relaxed *r, struct machine_args *args, unsigned *extensions, struct rp_trace *t,
                const char *block, struct rp_error *err)
{
    uint32_t kernel = UINT32_MAX;
    bool blocks = false, fine = true;
    for (uint32_t i = 0; fine && i < rp_trace_launch_count(t); i++) {
        struct rp_launch l = *rp_trace_launch(t, i);
        if (block)
            l.grid[0] = l.grid[1] = l.grid[2] = 1;
        if (l.kernel == kernel && blocks == (rp_launch_blocks(&l) > 1))
            continue;
        kernel = l.kernel;
        blocks = rp_launch_blocks(&l) > 1;
        fine = relax_for(r, args, extensions, rp_trace_kernel(t, l.kernel), &l, err);
    }
    return fine;
}
