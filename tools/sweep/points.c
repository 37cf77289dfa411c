/* The machines of a plan. */
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "replay/base/machine_parts.h"
#include "replay/base/sampled.h"
#include "tools/machine/option_line.h"
#include "tools/store/schema.h"
#include "tools/sweep/sweep.h"
#include "tools/ui/progress.h"
#include "tracefmt/plural.h"

static bool excluded_everywhere(const struct sweep_plan *p, size_t variant)
{
    size_t traces = conditions_ask_for_trace(&p->excluded) ? p->trace_count : 1;
    for (size_t t = 0; t < traces; t++)
        if (!sweep_plan_excludes(p, variant, p->traces[t]))
            return false;
    return true;
}

/* "scheduler=gto,l1.size=32K", of all but the machine. */
static void print_values(const struct axes *axes, const char *const values[MOST_KEYS], char *text, size_t size)
{
    size_t at = 0;
    *text = 0;
    for (size_t i = 0; i < axes->key_count && at < size; i++)
        if (values[i] && strcmp(axes->keys[i], VARIED_MACHINE))
            at += (size_t)snprintf(text + at, size - at, "%s%s=%s", at ? "," : "", axes->keys[i], values[i]);
}

static int compare_texts(const void *a, const void *b) { return strcmp(a, b); }

/* Whether the machine's values are in the tree already; else they are put there. */
static bool is_told(void **tree, const char *machine, const char *values, bool *told, struct rp_error *err)
{
    char *text, **node = NULL;
    if (asprintf(&text, "%s\n%s", machine, values) < 0 || !(node = tsearch(text, tree, compare_texts)))
        return rp_fail(err, RP_SYSTEM, "out of memory for the machines of the sweep");
    *told = *node != text;
    if (*told)
        free(text);
    return true;
}

/* Values that do not go together are kept with the reason. Combinations that differ only in what the machine does not
 * have are one. */
static bool add_refusal(struct sweep *s, void **tree, const char *const values[MOST_KEYS], const struct rp_error *why,
                        struct rp_error *err)
{
    char text[4096];
    bool told = false;
    struct machine_args named = s->args->plan.base;
    struct machine_setting settings[MOST_KEYS];
    size_t place[MOST_KEYS], count;
    variant_settings(&named, &s->args->plan.axes, values, settings, place, &count);
    print_values(&s->args->plan.axes, values, text, sizeof text);
    if (!is_told(tree, named.machine, text, &told, err))
        return false;
    s->count.same += told;
    if (told)
        return true;
    struct sweep_refusal *list = realloc(s->refusals, (s->count.refused + 1) * sizeof *list);
    if (!list)
        return rp_fail(err, RP_SYSTEM, "out of memory for the machines of the sweep");
    s->refusals = list;
    list[s->count.refused++] = (struct sweep_refusal){named.machine, strdup(text), strdup(why->text)};
    return (list[s->count.refused - 1].settings && list[s->count.refused - 1].reason) ||
           rp_fail(err, RP_SYSTEM, "out of memory for the machines of the sweep");
}

static bool add_point(struct sweep *s, size_t variant, struct machine *m, struct rp_error *err)
{
    struct sweep_point *points = s->points;
    if (!(s->point_count & (s->point_count - 1))) /* a power of two: it is full */
        points = realloc(points, (s->point_count ? 2 * s->point_count : 1) * sizeof *points);
    if (!points)
        return rp_fail(err, RP_SYSTEM, "out of memory for the machines of the sweep");
    s->points = points;
    struct sweep_point *p = &points[s->point_count++];
    *p = (struct sweep_point){.variant = variant, .chance = machine_has_chance(m), .machine = m};
    snprintf(p->hash, sizeof p->hash, "%s", m->hash);
    if (s->point_count > SWEEP_GROUP) {
        machine_free(m);
        p->machine = NULL;
    }
    return true;
}

/* Whether runs on the machine would need another one's replay before. */
static bool wants_another(const struct machine *m, struct rp_error *why)
{
    return *machine_samples_from(m) &&
           !rp_fail(why, RP_USAGE,
                    "memory.from=%s: a sweep does not take probabilities from another machine; 'reprise replay "
                    "--save-machine' writes a machine file that has them",
                    machine_samples_from(m));
}

/* Machines that are known already, by hash, with their areas, which are not hashed. */
struct seen_machine {
    char hash[sizeof((struct machine *)NULL)->hash];
    int64_t area;
};
struct seen {
    struct seen_machine *slots;
    size_t room;
    void *refusals; /* a tree of "machine\nvalues" */
    bool kept_area; /* it was said that an area stays */
};

/* NULL: it was not seen before. */
static const struct seen_machine *seen_before(struct seen *seen, const struct machine *m)
{
    char start[9];
    snprintf(start, sizeof start, "%.8s", m->hash);
    size_t at = strtoull(start, NULL, 16) % seen->room;
    for (; *seen->slots[at].hash; at = (at + 1) % seen->room)
        if (!strcmp(seen->slots[at].hash, m->hash))
            return &seen->slots[at];
    memcpy(seen->slots[at].hash, m->hash, sizeof m->hash);
    seen->slots[at].area = m->area;
    return NULL;
}

/* Whether the plan says what the area is. */
static bool gives_area(const struct sweep_plan *p)
{
    bool gives = axes_have(&p->axes, STORE_AREA);
    for (size_t i = 0; i < p->base.count; i++)
        gives |= !strcmp(p->base.settings[i].key, STORE_AREA);
    return gives;
}

/* With more or fewer SMs a chip is larger or smaller; its area stays until one is given. Said of the first machine. */
static void say_kept_area(const struct sweep *s, struct seen *seen, const struct machine *m)
{
    const struct sweep_plan *p = &s->args->plan;
    if (s->args->quiet || seen->kept_area || !m->area || !axes_have(&p->axes, "sms") || gives_area(p))
        return;
    seen->kept_area = true;
    fprintf(stderr,
            "reprise: note: sms varies, and the area of a machine (%s) stays the same; give one with each: --vary "
            "'sms=... with area=...'\n",
            m->name);
}

static bool make_point(struct sweep *s, size_t variant, struct seen *seen, struct rp_error *err)
{
    const char *values[MOST_KEYS];
    const struct sweep_plan *plan = &s->args->plan;
    struct machine *m;
    struct rp_error why;
    if (!variant_open(&plan->base, &plan->axes, variant, values, &m, &why, err))
        return false;
    if (m && wants_another(m, &why)) {
        machine_free(m);
        m = NULL;
        if (!axes_have(&plan->axes, "memory.from")) {
            *err = why;
            return false;
        }
    }
    if (!m)
        return add_refusal(s, &seen->refusals, values, &why, err);
    say_kept_area(s, seen, m);
    const struct seen_machine *same = seen_before(seen, m);
    bool another_area = same && same->area != m->area;
    if (!same)
        return add_point(s, variant, m, err);
    machine_free(m);
    if (another_area) {
        rp_fail(&why, RP_USAGE,
                "area: an earlier machine of the sweep is this one with another area, which affects no cycle; vary the "
                "area with what changes, for example 'l1.size=64K,128K with area=430,445'");
        return add_refusal(s, &seen->refusals, values, &why, err);
    }
    s->count.same++;
    return true;
}

/* ---- the axes ---------------------------------------------------------------------------------------------------- */

/* The option that a key of an axis is: "l1" is "l1.model". False: the machine has none of this name. */
static bool option_of(const struct machine *m, const char *key, char option[128])
{
    struct option_line line;
    const char *now = key;
    for (size_t i = 0; i < machine_alias_count; i++)
        if (!strcmp(machine_aliases[i].old, key))
            now = machine_aliases[i].key;
    if (!strcmp(now, STORE_AREA)) {
        snprintf(option, 128, "%s", now);
        return true;
    }
    for (const char *text = m->text; option_line_next(&text, &line);) {
        size_t n = strlen(now);
        if (strncmp(line.key, now, n) || (line.key[n] && strcmp(line.key + n, ".model")))
            continue;
        snprintf(option, 128, "%s", line.key);
        return true;
    }
    return false;
}

/* The options that vary are columns of their own; a machine that has the option says how it is called. */
static bool put_axes(struct sweep *s, const struct machine *m, bool put[MOST_KEYS], struct rp_error *err)
{
    char option[128];
    const struct axes *axes = &s->args->plan.axes;
    for (size_t i = 0; i < axes->key_count; i++) {
        if (put[i] || !strcmp(axes->keys[i], VARIED_MACHINE) || !option_of(m, axes->keys[i], option))
            continue;
        put[i] = true;
        if (!store_put_axis(&s->store, option, err))
            return false;
    }
    return true;
}

bool sweep_make_points(struct sweep *s, struct rp_error *err)
{
    size_t variants = sweep_plan_variants(&s->args->plan, err);
    struct seen seen = {.slots = calloc(2 * variants + 1, sizeof *seen.slots), .room = 2 * variants + 1};
    bool fine = variants && (seen.slots || rp_fail(err, RP_SYSTEM, "out of memory for the machines of the sweep"));
    struct progress bar;
    progress_begin(&bar, "opening machines", "variants", s->args->quiet);
    for (size_t v = 0; fine && v < variants; v++) {
        progress_update(&bar, v, variants, 0, NULL);
        s->count.variants++;
        if (excluded_everywhere(&s->args->plan, v))
            s->count.excluded++;
        else
            fine = make_point(s, v, &seen, err);
    }
    progress_end(&bar);
    free(seen.slots);
    tdestroy(seen.refusals, free);
    return fine &&
           (s->count.excluded < variants ||
            rp_fail(err, RP_USAGE, "--exclude: nothing is left to replay: all %zu combination%s of values %s excluded",
                    variants, rp_plural(variants), variants == 1 ? "is" : "are"));
}

/* What was said last of a machine. */
struct known_machine {
    char name[256], known[256];
};

/* Options that the database has under another name go on under that one. */
static bool say_known_machine(struct sweep *s, const struct machine *m, int64_t id, struct known_machine *said,
                              struct rp_error *err)
{
    bool fine = true;
    struct known_machine k;
    sqlite3_stmt *row = sql_bind(&s->store.sql, "SELECT name FROM machine WHERE id = ?", err, "i", id);
    if (!row || !sql_row(&s->store.sql, row, &fine, err))
        return false;
    snprintf(k.name, sizeof k.name, "%s", m->name);
    snprintf(k.known, sizeof k.known, "%s", (const char *)sqlite3_column_text(row, 0));
    sqlite3_reset(row);
    if (s->args->quiet || !strcmp(k.name, k.known) || (!strcmp(k.name, said->name) && !strcmp(k.known, said->known)))
        return true;
    *said = k;
    fprintf(stderr, "reprise: note: machine %s has the options of %s; its runs are in %s under that name\n", k.name,
            k.known, s->args->output);
    return true;
}

static bool put_point(struct sweep *s, struct sweep_point *p, bool axes[MOST_KEYS], struct known_machine *said,
                      struct rp_error *err)
{
    struct machine *m = p->machine ? p->machine : sweep_open_point(s, p, err);
    bool fine = m && store_put_machine(&s->store, m, gives_area(&s->args->plan), &p->id, err) &&
                say_known_machine(s, m, p->id, said, err) && put_axes(s, m, axes, err);
    if (!p->machine)
        machine_free(m);
    return fine;
}

bool sweep_put_points(struct sweep *s, struct rp_error *err)
{
    bool axes[MOST_KEYS] = {false}, fine = true;
    struct known_machine said = {"", ""};
    struct progress bar;
    progress_begin(&bar, "writing the plan", "machines", s->args->quiet);
    for (size_t i = 0; fine && i < s->point_count; i++) {
        progress_update(&bar, i, s->point_count, 0, NULL);
        bool others_wait = i % SWEEP_GROUP == SWEEP_GROUP - 1;
        fine = put_point(s, &s->points[i], axes, &said, err) &&
               (!others_wait || (store_commit(&s->store, err) && store_begin(&s->store, err)));
    }
    progress_end(&bar);
    for (size_t i = 0; fine && i < s->count.refused; i++)
        fine =
            store_put_refusal(&s->store, s->refusals[i].machine, s->refusals[i].settings, s->refusals[i].reason, err);
    return fine;
}

struct machine *sweep_open_point(const struct sweep *s, const struct sweep_point *p, struct rp_error *err)
{
    const char *values[MOST_KEYS];
    struct machine *m = NULL;
    struct rp_error why;
    if (!variant_open(&s->args->plan.base, &s->args->plan.axes, p->variant, values, &m, &why, err))
        return NULL;
    if (m && !strcmp(m->hash, p->hash))
        return m;
    machine_free(m);
    rp_fail(err, RP_SYSTEM, "a machine file changed while the sweep ran; start it again");
    return NULL;
}
