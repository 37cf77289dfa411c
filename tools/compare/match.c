#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/compare/compare.h"
#include "tools/lib/names.h"
#include "tracefmt/plural.h"

/* ---- what is not matched ----------------------------------------------------------------------------------------- */

static bool __attribute__((format(printf, 4, 5)))
stray(struct compare *c, bool in_trace, size_t number, const char *format, ...)
{
    va_list list;
    struct compare_stray s = {.in_trace = in_trace, .number = number};
    /* a power of two elements are full */
    if (!(c->stray_count & (c->stray_count - 1))) {
        struct compare_stray *grown = reallocarray(c->strays, c->stray_count ? 2 * c->stray_count : 1, sizeof *grown);
        if (!grown)
            return false;
        c->strays = grown;
    }
    va_start(list, format);
    int length = vasprintf(&s.why, format, list);
    va_end(list);
    if (length < 0)
        return false;
    c->strays[c->stray_count++] = s;
    return true;
}

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

/* Kernels of the trace by name: modules may be loaded twice. */
struct kernels {
    const char **names; /* each once */
    uint32_t count;
    int64_t *of_measured; /* for each measured launch an index into names, or -1 */
    uint32_t *of_launch;  /* for each launch of the trace */
    bool *measured;       /* for each name */
};

static uint32_t add_name(struct kernels *k, const char *name)
{
    uint32_t n = 0;
    while (n < k->count && strcmp(k->names[n], name))
        n++;
    k->names[n] = name;
    k->count += n == k->count;
    return n;
}

static bool list_kernels(struct kernels *k, const struct rp_trace *trace)
{
    uint32_t all = rp_trace_kernel_count(trace), launches = rp_trace_launch_count(trace);
    uint32_t *number = calloc(all + 1, sizeof *number);
    k->names = calloc(all + 1, sizeof *k->names);
    k->measured = calloc(all + 1, sizeof *k->measured);
    k->of_launch = calloc(launches + 1, sizeof *k->of_launch);
    bool fine = number && k->names && k->measured && k->of_launch;
    for (uint32_t i = 0; fine && i < all; i++)
        number[i] = add_name(k, rp_trace_kernel(trace, i)->name);
    for (uint32_t l = 0; fine && l < launches; l++)
        k->of_launch[l] = number[rp_trace_launch(trace, l)->kernel];
    free(number);
    return fine;
}

/* A measured launch and its place, to be sorted by its kernel's name as ncu writes it. */
struct named {
    const char *kernel;
    size_t number;
};

static int by_kernel(const void *a, const void *b)
{
    const struct named *one = a, *other = b;
    int order = strcmp(one->kernel, other->kernel);
    return order ? order : (one->number > other->number) - (one->number < other->number);
}

/* For each measured launch the first one of the same kernel's name; NULL: out of memory. */
static size_t *list_firsts(const struct measured *m)
{
    struct named *all = calloc(m->count, sizeof *all);
    size_t *first = calloc(m->count, sizeof *first);
    for (size_t i = 0; all && i < m->count; i++)
        all[i] = (struct named){m->launches[i].kernel, i};
    if (all)
        qsort(all, m->count, sizeof *all, by_kernel);
    for (size_t i = 0; all && first && i < m->count; i++)
        first[all[i].number] =
            i && !strcmp(all[i].kernel, all[i - 1].kernel) ? first[all[i - 1].number] : all[i].number;
    if (!all) {
        free(first);
        first = NULL;
    }
    free(all);
    return first;
}

/* The kernel of a measured launch, the first one of this name. *why_not: the index of its stray if it is not known. */
static bool find_kernel(struct compare *c, struct kernels *k, size_t i, size_t *why_not)
{
    struct rp_error why;
    const char *name = choose_kernel(c->args->trace, k->names, k->count, c->measured.launches[i].kernel, &why);
    k->of_measured[i] = name ? (int64_t)add_name(k, name) : -1;
    if (name)
        k->measured[k->of_measured[i]] = true;
    *why_not = c->stray_count;
    return name || stray(c, false, i, "%s", why.text);
}

/* A measured launch whose kernel is not known is a stray. Each name is looked for once, as it takes a while. */
static bool find_kernels(struct compare *c, struct kernels *k)
{
    k->of_measured = calloc(c->measured.count, sizeof *k->of_measured);
    size_t *first = list_firsts(&c->measured), *why_not = calloc(c->measured.count, sizeof *why_not);
    bool fine = first && why_not && k->of_measured && list_kernels(k, c->trace);
    for (size_t i = 0; fine && i < c->measured.count; i++) {
        if (first[i] == i) {
            fine = find_kernel(c, k, i, &why_not[i]);
            continue;
        }
        k->of_measured[i] = k->of_measured[first[i]];
        if (k->of_measured[i] < 0)
            fine = stray(c, false, i, "%s", c->strays[why_not[first[i]]].why);
    }
    free(first);
    free(why_not);
    return fine;
}

static void free_kernels(struct kernels *k)
{
    free(k->names);
    free(k->of_measured);
    free(k->of_launch);
    free(k->measured);
}

/* ---- launches ---------------------------------------------------------------------------------------------------- */

static bool same_shape(const struct measured_launch *m, const struct rp_launch *l)
{
    return (!m->has_grid || !memcmp(m->grid, l->grid, sizeof l->grid)) &&
           (!m->has_block || !memcmp(m->block, l->block, sizeof l->block));
}

static void pair(struct compare *c, size_t measured, uint32_t launch)
{
    c->launch_of[measured] = launch;
    c->matched++;
}

/* The next launch of a measured kernel, from `launch` on. */
static uint32_t next_launch(const struct compare *c, const struct kernels *k, uint32_t launch)
{
    uint32_t count = rp_trace_launch_count(c->trace);
    while (launch < count && !k->measured[k->of_launch[launch]])
        launch++;
    return launch;
}

/* Launches of kernels that were measured, in the order of the trace, without the first ones (--launch-skip); there are
 * enough of them (check_count). */
static bool match_in_order(struct compare *c, const struct kernels *k)
{
    bool fine = true;
    uint32_t launch = next_launch(c, k, 0), count = rp_trace_launch_count(c->trace);
    for (long long i = 0; i < c->args->skip && launch < count; i++)
        launch = next_launch(c, k, launch + 1);
    for (size_t i = 0; fine && i < c->measured.count; i++) {
        if (k->of_measured[i] < 0)
            continue;
        if (k->of_launch[launch] != k->of_measured[i] ||
            !same_shape(&c->measured.launches[i], rp_trace_launch(c->trace, launch)))
            fine = stray(c, false, i,
                         "launch %" PRIu32 " of the trace, which is next, has another kernel, grid or block", launch);
        else
            pair(c, i, launch);
        launch = next_launch(c, k, launch + 1);
    }
    return fine;
}

/* The measured launches of the same kernel and shape as number `first`, and those of the trace. */
struct group {
    size_t *measured;
    uint32_t *launches;
    size_t measured_count, launch_count;
    bool *taken; /* for each launch of the trace: it is another group's already */
};

static bool same_group(const struct compare *c, const struct kernels *k, size_t a, size_t b)
{
    const struct measured_launch *one = &c->measured.launches[a], *other = &c->measured.launches[b];
    return k->of_measured[a] == k->of_measured[b] && one->has_grid == other->has_grid &&
           one->has_block == other->has_block && !memcmp(one->grid, other->grid, sizeof one->grid) &&
           !memcmp(one->block, other->block, sizeof one->block);
}

static void fill_group(const struct compare *c, const struct kernels *k, size_t first, struct group *g)
{
    g->measured_count = g->launch_count = 0;
    for (size_t i = first; i < c->measured.count; i++)
        if (same_group(c, k, first, i))
            g->measured[g->measured_count++] = i;
    for (uint32_t l = 0; l < rp_trace_launch_count(c->trace); l++)
        if (k->of_launch[l] == k->of_measured[first] &&
            same_shape(&c->measured.launches[first], rp_trace_launch(c->trace, l)))
            g->launches[g->launch_count++] = l;
}

/* Groups overlap where a file has the shapes of some launches, and not those of others. */
static bool overlaps(const struct group *g)
{
    bool taken = false;
    for (size_t i = 0; i < g->launch_count; i++)
        taken |= g->taken[g->launches[i]];
    return taken;
}

#define RECORD_ALL                                                                                                     \
    "record all that were measured (without --launches, --first and the like), or give a file of those that the "      \
    "trace has"

/* The line of a launch with the values of the group's first; 0: there is none. Counts may well be the same, but times
 * are not. */
static size_t line_of_twin(const struct compare *c, const struct group *g)
{
    const struct measured_launch *all = c->measured.launches, *first = &all[g->measured[0]];
    bool timed = first->has[QUANTITY_CYCLES] || first->has[QUANTITY_DURATION];
    for (size_t i = 1; timed && i < g->measured_count; i++)
        if (measured_same_values(first, &all[g->measured[i]]))
            return all[g->measured[i]].line;
    return 0;
}

/* More launches were measured than the trace has, and nothing says which are missing. */
static bool strays_of_many(struct compare *c, const struct group *g)
{
    size_t twin = line_of_twin(c, g);
    bool fine = true;
    char why[300];
    if (twin)
        snprintf(why, sizeof why, "lines %zu and %zu have the same values: does the output stand in the file twice?",
                 c->measured.launches[g->measured[0]].line, twin);
    for (size_t i = 0; i < g->measured_count && fine; i++)
        fine = stray(c, false, g->measured[i],
                     "measured %zu times, and the trace has %zu launch%s of this kernel and shape: %s",
                     g->measured_count, g->launch_count, g->launch_count == 1 ? "" : "es", twin ? why : RECORD_ALL);
    return fine;
}

static bool pair_group(struct compare *c, const struct group *g)
{
    bool fine = true;
    if (g->launch_count && g->measured_count > g->launch_count)
        return strays_of_many(c, g);
    const struct measured_launch *first = &c->measured.launches[g->measured[0]];
    if (g->launch_count > 1 && g->measured_count == g->launch_count && !(first->has_grid && first->has_block) &&
        !c->by_order)
        c->by_order = g->measured[0] + 1;
    bool taken = overlaps(g);
    for (size_t i = 0; i < g->measured_count && fine; i++)
        if (taken)
            fine = stray(c, false, g->measured[i],
                         "launches of this kernel with a grid and block, and others without, are in the file");
        else if (g->measured_count == g->launch_count) {
            g->taken[g->launches[i]] = true;
            pair(c, g->measured[i], g->launches[i]);
        } else if (!g->launch_count)
            fine = stray(c, false, g->measured[i], "no launch of this kernel in the trace has this grid and block");
        else
            fine = stray(
                c, false, g->measured[i],
                "measured %zu time%s, and the trace has %zu launch%s of this kernel and shape: say with --launch-skip "
                "how many of the trace's come before the first measured one",
                g->measured_count, rp_plural(g->measured_count), g->launch_count, g->launch_count == 1 ? "" : "es");
    return fine;
}

static bool match_groups(struct compare *c, const struct kernels *k)
{
    struct group g = {calloc(c->measured.count, sizeof *g.measured),
                      calloc(rp_trace_launch_count(c->trace) + 1, sizeof *g.launches), 0, 0,
                      calloc(rp_trace_launch_count(c->trace) + 1, sizeof *g.taken)};
    bool *done = calloc(c->measured.count, sizeof *done), fine = g.measured && g.launches && g.taken && done;
    for (size_t i = 0; fine && i < c->measured.count; i++) {
        if (k->of_measured[i] < 0 || done[i])
            continue;
        fill_group(c, k, i, &g);
        for (size_t j = 0; j < g.measured_count; j++)
            done[g.measured[j]] = true;
        fine = pair_group(c, &g);
    }
    free(g.measured);
    free(g.launches);
    free(g.taken);
    free(done);
    return fine;
}

static bool has_value(const struct measured_launch *l)
{
    bool some = false;
    for (size_t q = 0; q < QUANTITY_COUNT; q++)
        some |= l->has[q] && q != QUANTITY_CLOCK;
    return some;
}

/* Of launches without a value, as ncu prints n/a or nan for all that was asked for, nothing can be compared. */
static bool find_empty(struct compare *c)
{
    bool fine = true;
    for (size_t i = 0; i < c->measured.count && fine; i++)
        if (c->launch_of[i] >= 0 && !has_value(&c->measured.launches[i]))
            fine = stray(c, false, i, "it is launch %" PRId64 " of the trace, and no value of it can be compared",
                         c->launch_of[i]);
    return fine;
}

static bool find_unmeasured(struct compare *c)
{
    uint32_t count = rp_trace_launch_count(c->trace);
    bool *measured = calloc(count + 1, sizeof *measured), fine = measured;
    for (size_t i = 0; fine && i < c->measured.count; i++)
        if (c->launch_of[i] >= 0)
            measured[c->launch_of[i]] = true;
    for (uint32_t l = 0; fine && l < count; l++)
        fine = measured[l] || stray(c, true, l, "not measured");
    free(measured);
    return fine;
}

/* With --launch-skip the order alone says which launch is which, so the trace must have all of them. */
static bool check_count(const struct compare *c, const struct kernels *k, struct rp_error *err)
{
    size_t measured = 0, recorded = 0;
    for (size_t i = 0; i < c->measured.count; i++)
        measured += k->of_measured[i] >= 0;
    for (uint32_t l = next_launch(c, k, 0); l < rp_trace_launch_count(c->trace); l = next_launch(c, k, l + 1))
        recorded++;
    size_t left = recorded > (size_t)c->args->skip ? recorded - (size_t)c->args->skip : 0;
    return measured <= left || rp_fail(err, RP_BAD_INPUT,
                                       "%s has %zu launch%s of kernels of the trace, which with --launch-skip %lld has "
                                       "%zu of them: " RECORD_ALL,
                                       c->measured.path, measured, measured == 1 ? "" : "es", c->args->skip, left);
}

static bool match(struct compare *c, const struct kernels *k)
{
    return (c->args->skip >= 0 ? match_in_order(c, k) : match_groups(c, k)) && find_empty(c) && find_unmeasured(c);
}

bool compare_match(struct compare *c, struct rp_error *err)
{
    struct kernels k = {0};
    c->launch_of = malloc(c->measured.count * sizeof *c->launch_of);
    bool fine = c->launch_of;
    for (size_t i = 0; fine && i < c->measured.count; i++)
        c->launch_of[i] = -1;
    fine = fine && find_kernels(c, &k);
    bool enough = !fine || c->args->skip < 0 || check_count(c, &k, err);
    fine = fine && (!enough || match(c, &k));
    free_kernels(&k);
    if (!fine || !enough)
        return fine ? false : rp_fail(err, RP_SYSTEM, "out of memory");
    return c->matched ||
           rp_fail(err, RP_BAD_INPUT, "%s, line %zu: '%s': %s (of %zu launch%s none is in the trace)", c->measured.path,
                   c->measured.launches[c->strays[0].number].line, c->measured.launches[c->strays[0].number].kernel,
                   c->strays[0].why, c->measured.count, c->measured.count == 1 ? "" : "es");
}
