#include "tools/wcet/output.h"

#include <inttypes.h>
#include <stdio.h>

#include "tools/lib/names.h"
#include "tools/ui/table.h"
#include "tracefmt/plural.h"

/* ---- JSON ----------------------------------------------------------------------------------------------------------
 */

static json_t *number(uint64_t n) { return json_integer((json_int_t)n); }

static json_t *phase_json(const struct wcet_profile_phase *p)
{
    return json_pack("{s:I, s:I, s:I, s:s, s:I}", "section", (json_int_t)p->place.section, "start",
                     (json_int_t)p->phase.start, "duration", (json_int_t)p->phase.duration, "kind",
                     p->phase.kind == WCET_EXEC ? "exec" : "idle", "instructions", (json_int_t)p->phase.instructions);
}

static json_t *warps_json(const struct wcet_profile *p)
{
    json_t *warps = json_array(), *phases = NULL;
    for (size_t i = 0; i < p->phase_count; i++) {
        const struct wcet_profile_phase *e = &p->phases[i];
        if (!i || e[-1].place.block != e->place.block || e[-1].place.warp != e->place.warp) {
            phases = json_array();
            json_add(warps, json_pack("{s:I, s:I, s:o}", "block", (json_int_t)e->place.block, "warp",
                                      (json_int_t)e->place.warp, "phases", phases));
        }
        json_add(phases, phase_json(e));
    }
    return warps;
}

static json_t *sections_json(const struct wcet_bounds *b)
{
    json_t *sections = json_array();
    for (uint64_t i = 0; i < b->section_count; i++) {
        const struct wcet_section *s = &b->sections[i];
        json_add(sections, json_pack("{s:I, s:I, s:I, s:I, s:I, s:I}", "warps", (json_int_t)s->warps, "instructions",
                                     (json_int_t)s->issues, "alone", (json_int_t)s->alone, "gub", (json_int_t)s->gub,
                                     "serial_bound", (json_int_t)s->serial, "unit_bound", (json_int_t)s->sections));
    }
    return sections;
}

static json_t *overestimation_json(const struct wcet_launch *l, size_t policy)
{
    json_t *o = json_object();
    for (unsigned b = 0; b < WCET_BOUNDS; b++) {
        uint64_t bound = wcet_bound_of(&l->bounds, b);
        if (bound)
            json_put(o, wcet_bound_names[b], json_real(wcet_overestimation(bound, l->cycles[policy])));
    }
    return o;
}

static json_t *classes_json(const struct wcet_cache_counts *c, enum wcet_level level)
{
    return json_pack("{s:I, s:I, s:I, s:I}", "always_hit", (json_int_t)c->at[level].hits, "first_miss",
                     (json_int_t)c->at[level].first, "always_miss", (json_int_t)c->at[level].misses, "requests",
                     (json_int_t)c->requests[level]);
}

/* Null: there are no caches, or their content is unknown. */
static json_t *caches_json(const struct wcet_cache_counts *c)
{
    if (!c->classified)
        return json_null();
    return json_pack("{s:o, s:o, s:{s:I}}", "l1", classes_json(c, WCET_L1), "l2", classes_json(c, WCET_L2), "dram",
                     "requests", (json_int_t)c->requests[WCET_MEMORY]);
}

static json_t *extent_json(const uint32_t e[3]) { return json_pack("[iii]", (int)e[0], (int)e[1], (int)e[2]); }

double wcet_attack_closeness(const struct wcet_bounds *b, const struct wcet_attack *attack)
{
    return b->unit_bound ? 100 * (double)attack->longest / (double)b->unit_bound : 0;
}

json_t *wcet_launch_json(const struct rp_trace *t, const struct machine *m, const struct wcet_result *r,
                         const struct wcet_launch *l, const struct wcet_profile *profile,
                         const struct wcet_attack *attack)
{
    const struct wcet_bounds *b = &l->bounds;
    json_t *replay = json_object(), *over = json_object();
    for (size_t p = 0; p < r->policies.count; p++) {
        json_put(replay, r->policies.names[p], number(l->cycles[p]));
        json_put(over, r->policies.names[p], overestimation_json(l, p));
    }
    const struct rp_launch *launch = rp_trace_launch(t, b->launch);
    json_t *o = json_pack("{s:I}", "launch", (json_int_t)b->launch);
    json_put_kernel(o, rp_trace_kernel(t, launch->kernel)->name);
    json_put(o, "grid", extent_json(launch->grid));
    json_put(o, "block", extent_json(launch->block));
    json_join(o, json_pack("{s:I, s:I, s:I, s:o, s:I, s:I, s:I, s:o, s:f, s:o, s:o, s:o, s:o}", "blocks",
                           (json_int_t)b->blocks, "warp_count", (json_int_t)b->warps, "warp_instructions",
                           (json_int_t)b->instructions, "gub", b->gub_applies ? number(b->gub) : json_null(),
                           "serial_bound", (json_int_t)b->serial, "overlap_bound", (json_int_t)b->overlap, "unit_bound",
                           (json_int_t)b->unit_bound, "exact", b->exact ? number(b->exact) : json_null(), "us",
                           (double)b->unit_bound / fraction_value(m->clock_mhz), "caches", caches_json(&b->caches),
                           "sections", sections_json(b), "replay", replay, "overestimation", over));
    json_put(o, "assumptions", wcet_assumptions_json(b->assumed));
    if (b->stopped)
        json_put(o, "stopped", json_true());
    if (attack)
        json_put(o, "attack",
                 json_pack("{s:I, s:I, s:f, s:s}", "schedules", (json_int_t)attack->schedules, "longest",
                           (json_int_t)attack->longest, "per_cent_of_unit_bound", wcet_attack_closeness(b, attack),
                           "schedule", attack->schedule));
    if (profile)
        json_put(o, "warps", warps_json(profile));
    return o;
}

json_t *wcet_summary_json(const struct wcet_result *r)
{
    json_t *all = json_object();
    for (size_t p = 0; p < r->policies.count; p++) {
        json_t *o = json_object();
        for (unsigned b = 0; b < WCET_BOUNDS; b++) {
            struct wcet_summary s = wcet_summarise(r, p, b);
            if (s.launches)
                json_put(o, wcet_bound_names[b],
                         json_pack("{s:I, s:f, s:f, s:f, s:f, s:I}", "launches", (json_int_t)s.launches, "mean", s.mean,
                                   "greatest", s.greatest, "weighted_mean", s.weighted_mean, "deviation", s.deviation,
                                   "violations", (json_int_t)s.violations));
        }
        json_put(all, r->policies.names[p], o);
    }
    return all;
}

/* ---- tables
 * ---------------------------------------------------------------------------------------------------------- */

static const char *kernel_of(const struct rp_trace *t, const struct wcet_launch *l)
{
    return rp_trace_kernel(t, rp_trace_launch(t, l->bounds.launch)->kernel)->name;
}

static void microseconds(struct table *table, const struct machine *m, uint64_t cycles)
{
    table_cell(table, "%.3f", (double)cycles / fraction_value(m->clock_mhz));
}

static void launch_row(struct table *table, const struct wcet_view *v, const struct wcet_launch *l,
                       const struct wcet_attack *attack)
{
    const struct wcet_bounds *b = &l->bounds;
    char plain[PLAIN_NAME];
    if (v->several)
        table_cell(table, "%s", rp_trace_path(v->trace));
    table_cell(table, "%" PRIu32, b->launch);
    table_cell(table, "%s", plain_kernel_name(kernel_of(v->trace, l), plain));
    table_number(table, b->warps);
    table_number(table, b->section_count);
    if (b->gub_applies)
        table_number(table, b->gub);
    else
        table_cell(table, "-");
    table_number(table, b->serial);
    table_number(table, b->unit_bound);
    table_cell(table, "%s", b->exact ? "yes" : "-");
    microseconds(table, v->machine, b->unit_bound);
    if (attack) {
        table_number(table, attack->longest);
        table_cell(table, "%.2f %%", wcet_attack_closeness(b, attack));
    }
}

struct table *wcet_launch_table(bool several, bool attacked)
{
    static const char *const heading[] = {"trace",  "launch",     "kernel", "warps", "sections", "GUB",
                                          "serial", "unit-aware", "exact",  "us",    "attacked", "of unit-aware"};
    size_t headings = sizeof heading / sizeof *heading - (attacked ? 0 : 2);
    char columns[] = "nrnrrrrrlrrr";
    _Static_assert(sizeof columns - 1 == sizeof heading / sizeof *heading, "a letter each");
    columns[headings] = 0;
    struct table *table = table_new(columns + !several);
    for (size_t i = !several; i < headings; i++)
        table_cell(table, "%s", heading[i]);
    return table;
}

void wcet_launch_rows(struct table *table, const struct wcet_view *v, const struct wcet_result *r,
                      const struct wcet_attack *attacks)
{
    for (size_t i = 0; i < r->count; i++)
        launch_row(table, v, &r->launches[i], attacks ? &attacks[i] : NULL);
}

void wcet_print_attacks(const struct wcet_result *r, const struct wcet_attack *attacks)
{
    for (size_t i = 0; attacks && i < r->count; i++)
        printf("%slaunch %" PRIu32 ": longest of %" PRIu64 " schedule%s under %s\n", i ? "" : "\n",
               r->launches[i].bounds.launch, attacks[i].schedules, rp_plural(attacks[i].schedules),
               attacks[i].schedule);
}

struct table *wcet_replay_table(bool several)
{
    static const char *const heading[] = {"trace", "launch", "policy", "cycles", "us", "unit-aware is larger by"};
    struct table *table = table_new(&"nrlrrr"[!several]);
    for (size_t i = !several; i < sizeof heading / sizeof *heading; i++)
        table_cell(table, "%s", heading[i]);
    return table;
}

void wcet_replay_rows(struct table *table, const struct wcet_view *v, const struct wcet_result *r)
{
    for (size_t i = 0; i < r->count; i++)
        for (size_t p = 0; p < r->policies.count; p++) {
            const struct wcet_launch *l = &r->launches[i];
            if (v->several)
                table_cell(table, "%s", rp_trace_path(v->trace));
            table_cell(table, "%" PRIu32, l->bounds.launch);
            table_cell(table, "%s", r->policies.names[p]);
            table_number(table, l->cycles[p]);
            microseconds(table, v->machine, l->cycles[p]);
            table_cell(table, "%.2f %%", wcet_overestimation(l->bounds.unit_bound, l->cycles[p]));
        }
}

/* A single section is not printed, as it is the whole launch. */
void wcet_print_sections(const struct machine *m, const struct wcet_result *r)
{
    static const char *const heading[] = {"launch", "section",    "warps", "instructions", "alone", "GUB",
                                          "serial", "unit-aware", "us"};
    bool any = false;
    for (size_t i = 0; i < r->count; i++)
        any |= r->launches[i].bounds.section_count > 1 && r->launches[i].bounds.section_count <= WCET_SECTIONS_SHOWN;
    if (!any)
        return;
    struct table *table = table_new("rrrrrrrrr");
    for (size_t i = 0; i < sizeof heading / sizeof *heading; i++)
        table_cell(table, "%s", heading[i]);
    for (size_t i = 0; i < r->count; i++) {
        const struct wcet_bounds *b = &r->launches[i].bounds;
        for (size_t s = 0; b->section_count > 1 && b->section_count <= WCET_SECTIONS_SHOWN && s < b->section_count;
             s++) {
            const struct wcet_section *one = &b->sections[s];
            table_cell(table, "%" PRIu32, b->launch);
            table_number(table, s);
            table_number(table, one->warps);
            table_number(table, one->issues);
            table_number(table, one->alone);
            table_number(table, one->gub);
            table_number(table, one->serial);
            table_number(table, one->sections);
            microseconds(table, m, one->sections);
        }
    }
    puts("\nSections");
    table_print(table, stdout);
}

void wcet_count_exact(struct wcet_exactness *e, const struct wcet_result *r)
{
    e->launches += r->count;
    e->tried |= r->exhaust.launch != 0;
    for (size_t i = 0; i < r->count; i++) {
        e->exact += r->launches[i].bounds.exact != 0;
        e->too_many += r->launches[i].bounds.too_many;
        e->stopped += r->launches[i].bounds.stopped;
    }
}

void wcet_print_exact(const struct wcet_exactness *e, bool one_block)
{
    size_t others = e->launches - e->exact - e->too_many - e->stopped;
    if (e->exact)
        puts("\nexact: all schedules were gone through, and some take as long as the unit-aware bound says.");
    if (!e->tried || e->exact == e->launches)
        return;
    printf("\nNot exact: ");
    if (one_block)
        puts("schedules are gone through for whole launches, not for --block.");
    if (!one_block && e->stopped)
        printf("%zu launch%s whose search was stopped%s", e->stopped, e->stopped == 1 ? "" : "es",
               e->too_many || others ? "; " : ".\n");
    if (!one_block && e->too_many)
        printf("%zu launch%s with more schedules than were allowed (--exhaust N)%s", e->too_many,
               e->too_many == 1 ? "" : "es", others ? "; " : ".\n");
    if (!one_block && others)
        printf("%zu of a kind for which there is no exact figure (docs/wcet-proofs.md).\n", others);
}

static void class_row(struct table *table, const struct wcet_bounds *b, const char *cache, enum wcet_level level)
{
    table_cell(table, "%" PRIu32, b->launch);
    table_cell(table, "%s", cache);
    table_number(table, b->caches.at[level].hits);
    table_number(table, b->caches.at[level].first);
    table_number(table, b->caches.at[level].misses);
    table_number(table, b->caches.requests[level]);
}

void wcet_print_caches(const struct wcet_result *r, const struct machine *m)
{
    static const char *const heading[] = {"launch", "cache", "always-hit", "first-miss", "always-miss", "requests"};
    bool any = false;
    for (size_t i = 0; i < r->count; i++)
        any |= r->launches[i].bounds.caches.classified;
    if (!any)
        return;
    puts("\nTransactions by what is sure of them, and requests that are made at most");
    struct table *table = table_new("rlrrrr");
    for (size_t i = 0; i < sizeof heading / sizeof *heading; i++)
        table_cell(table, "%s", heading[i]);
    for (size_t i = 0; i < r->count; i++) {
        const struct wcet_bounds *b = &r->launches[i].bounds;
        if (b->caches.classified && ((const struct cache_model *)m->l1.model)->keeps)
            class_row(table, b, "L1", WCET_L1);
        if (b->caches.classified && ((const struct cache_model *)m->l2.model)->keeps)
            class_row(table, b, "L2", WCET_L2);
    }
    table_print(table, stdout);
}

void wcet_print_summary(const struct wcet_result *r)
{
    static const char *const heading[] = {"policy",   "bound",         "launches", "mean",
                                          "greatest", "weighted mean", "std. dev."};
    struct table *table = table_new("llrrrrr");
    for (size_t i = 0; i < sizeof heading / sizeof *heading; i++)
        table_cell(table, "%s", heading[i]);
    for (size_t p = 0; p < r->policies.count; p++)
        for (unsigned b = 0; b < WCET_BOUNDS; b++) {
            struct wcet_summary s = wcet_summarise(r, p, b);
            if (!s.launches)
                continue;
            table_cell(table, "%s", r->policies.names[p]);
            table_cell(table, "%s", wcet_bound_names[b]);
            table_number(table, s.launches);
            table_cell(table, "%.2f %%", s.mean);
            table_cell(table, "%.2f %%", s.greatest);
            table_cell(table, "%.2f %%", s.weighted_mean);
            table_cell(table, "%.2f %%", s.deviation);
        }
    table_print(table, stdout);
}

/* ---- what bounds are valid for ------------------------------------------------------------------------------------
 */

json_t *wcet_assumptions_json(unsigned assumed)
{
    json_t *names = json_array();
    for (unsigned e = 0; e < WCET_EXTENSION_COUNT; e++)
        if (assumed >> e & 1)
            json_add(names, json_string(wcet_extension_names[e]));
    return names;
}

static const struct machine_setting *relaxed_setting(const struct wcet_validity *v, size_t i)
{
    return &v->settings->settings[v->relaxed->first + i];
}

static size_t relaxed_count(const struct wcet_validity *v) { return v->relaxed ? v->relaxed->count : 0; }

json_t *wcet_validity_json(const struct wcet_validity *v)
{
    json_t *relaxed = json_object();
    for (size_t i = 0; i < relaxed_count(v); i++)
        json_put(relaxed, relaxed_setting(v, i)->key, option_json(relaxed_setting(v, i)->value));
    return json_pack("{s:s, s:s, s:s, s:o, s:o}", "path", "recorded", "machine", v->machine->name, "hash",
                     v->machine->hash, "assumptions", wcet_assumptions_json(v->assumed), "relaxed", relaxed);
}

char *wcet_relaxed_text(const struct wcet_validity *v)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    for (size_t i = 0; to && i < relaxed_count(v); i++)
        fprintf(to, "%s%s=%s", i ? " " : "", relaxed_setting(v, i)->key, relaxed_setting(v, i)->value);
    if (to)
        fclose(to);
    return text;
}

void wcet_print_validity(const struct wcet_validity *v)
{
    bool any = false;
    printf(
        "\nBounds are valid for the path that each warp took in the trace, on machine %s as 'reprise replay' defines\n"
        "it. Other inputs may take other paths.\n",
        v->machine->name);
    for (unsigned e = 0; e < WCET_EXTENSION_COUNT; e++)
        if (v->assumed >> e & 1) {
            printf("%s%s",
                   any ? ", " : "Beyond the paper, and proved in docs/wcet-proofs.md: ", wcet_extension_names[e]);
            any = true;
        }
    if (any)
        puts(".");
    if (!relaxed_count(v))
        return;
    printf("Relaxed, so that these are bounds of another machine than %s:\n", v->machine->name);
    for (size_t i = 0; i < relaxed_count(v); i++)
        printf("%s--set %s=%s", i ? " " : "", relaxed_setting(v, i)->key, relaxed_setting(v, i)->value);
    puts("");
    char ready[WCET_MACHINE_NAME];
    if (wcet_machine_for_bounds(v->machine, ready))
        printf("'--machine %s --assume all' is %s for bounds, changed with more care.\n", ready, v->machine->name);
}
