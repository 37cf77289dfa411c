/* Machines: from settings to a resolved struct machine. */
#include "replay/base/machine.h"
#include "replay/base/built_in.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "replay/base/machine_check.h"
#include "replay/base/machine_parts.h"
#include "replay/base/machine_settings.h"
#include "tracefmt/sha256.h"

#define MODEL_KEY ".model"

struct resolver {
    struct machine *machine;
    struct settings *settings;
    const struct machine_request *request;
    const struct model_set *models;
    machine_fits_fn *fits;
    uint8_t class_fields[RP_CLASS_COUNT], space_fields[RP_SPACE_COUNT]; /* what was given: a bit per FIELD_ */
    unsigned model_level[MACHINE_SLOTS + MACHINE_UNITS];                /* of the setting that chose it */
    bool model_is_late[MACHINE_SLOTS + MACHINE_UNITS];                  /* by a late setting */
};

enum { FIELD_UNIT, FIELD_INITIATION, FIELD_LATENCY, FIELD_COUNT };
static const struct model_option timing_rows[FIELD_COUNT] = {
    [FIELD_UNIT] = {.key = "unit"},
    [FIELD_INITIATION] = {"initiation", OPTION_INTEGER, "cycles", 1, 100000, 1, NULL, ""},
    [FIELD_LATENCY] = {"latency", OPTION_INTEGER, "cycles", 0, 1000000, 0, NULL, ""},
};

#define BASE_KEY "base" /* of a machine file, for the machine that it changes */

static bool fail_at(const struct setting *s, struct rp_error *err, const char *text)
{
    char place[400];
    settings_place(s, place, sizeof place);
    return settings_fail(place, !s->line, text, err);
}

/* The model of a machine that names none; NULL: it must name one. */
static const struct model *default_model(const struct resolver *r, enum model_kind kind)
{
    if (kind == KIND_PIPELINE)
        return r->models->of[kind][0];
    return kind == KIND_MEMORY           ? &memory_hierarchy.model
           : kind == KIND_INTERCONNECT   ? &interconnect_direct.model
           : kind == KIND_TLB            ? &tlb_none.model
           : kind == KIND_CONSTANT_CACHE ? &instruction_cache_perfect.model
                                         : NULL;
}

/* A program's own set may lack kinds that have a default: they have the built-in models. */
static const struct model *const *models_of(const struct resolver *r, enum model_kind kind)
{
    return default_model(r, kind) && !r->models->of[kind] ? built_in_models.of[kind] : r->models->of[kind];
}

/* ---- unknown keys ---------------------------------------------------------------------------------------------- */

/* Cuts "key = value" lines down to their keys; returns how many. The text is changed. */
static size_t keys_of(char *text, const char **keys, size_t most)
{
    size_t count = 0;
    for (char *line = text; *line && count < most;) {
        char *end = strchr(line, '\n'), *equals = strstr(line, " = ");
        if (!end || !equals)
            break;
        *equals = 0;
        keys[count++] = line;
        line = end + 1;
    }
    return count;
}

/* The part that the key belongs to, if any: "scheduler" of "scheduler.limit". */
static bool part_of_key(const struct resolver *r, const char *typed, enum model_kind *kind, char part[40])
{
    for (size_t p = 0; p < machine_part_count(r->machine); p++) {
        machine_part_of(r->machine, p, kind, part);
        size_t n = strlen(part);
        if (!strncmp(typed, part, n) && typed[n] == '.')
            return true;
    }
    return false;
}

/* Lists the keys of the part that the key belongs to, for all of its models: "scheduler.active (two-level-active),
 * ...". False: the key belongs to no part, or the keys are too many for a message. */
static bool list_keys(const struct resolver *r, const char *typed, char *text, size_t size)
{
    enum model_kind kind;
    char part[40];
    size_t at = 0;
    if (!part_of_key(r, typed, &kind, part))
        return false;
    for (const struct model *const *m = models_of(r, kind); *m; m++)
        for (unsigned o = 0; o < (*m)->option_count && at < size; o++)
            at += (size_t)snprintf(text + at, size - at, "%s%s.%s (%s)", at ? ", " : "", part, (*m)->options[o].key,
                                   (*m)->name);
    return at && at < size;
}

/* Whether the key's first name, up to a dot, is `name`. */
static bool begins_with_name(const char *key, const char *name, size_t length)
{
    return !strncmp(key, name, length) && (key[length] == '.' || !key[length]);
}

/* Whether this is the first name of keys that there are: an option, a part, or a group of either. */
static bool is_first_name(const char *name, size_t length)
{
    static const char *const groups[] = {"units", "classes", "spaces"};
    bool is = false;
    for (size_t i = 0; i < MODEL_COUNT_OF(groups); i++)
        is |= begins_with_name(groups[i], name, length);
    for (size_t i = 0; i < MACHINE_SLOTS; i++)
        is |= begins_with_name(machine_slots[i].key, name, length);
    for (size_t i = 0; i < machine_option_count; i++)
        is |= begins_with_name(machine_option_rows[i].key, name, length);
    return is;
}

static bool unknown_key(const struct resolver *r, const struct setting *s, struct rp_error *err)
{
    const char *keys[512], *now = machine_former_key(s->key), *typed = s->typed ? s->typed : s->key;
    char text[640], list[500];
    if (now) {
        snprintf(text, sizeof text, "'%.80s' is '%s' now", s->key, now);
        return fail_at(s, err, text);
    }
    if (!strchr(s->key, '.') && is_first_name(s->key, strlen(s->key))) {
        snprintf(text, sizeof text, "'%.80s' is a group; give its keys: %.80s.KEY, or %.80s: { KEY = ...; }", s->key,
                 s->key, s->key);
        return fail_at(s, err, text);
    }
    char *all = machine_text(r->machine), *device = machine_device_text(r->machine);
    size_t most = MODEL_COUNT_OF(keys) - MACHINE_SLOTS - 1, count = all ? keys_of(all, keys, most) : 0;
    count += device ? keys_of(device, keys + count, most - count) : 0;
    for (size_t i = 0; i < MACHINE_SLOTS; i++)
        keys[count++] = machine_slots[i].key;
    if (s->line)
        keys[count++] = BASE_KEY;
    const char *near = r->request->nearest ? r->request->nearest(typed, keys, count) : NULL;
    if (near)
        snprintf(text, sizeof text, "unknown key '%.80s'; did you mean '%s'?", typed, near);
    else if (list_keys(r, typed, list, sizeof list))
        snprintf(text, sizeof text, "unknown key '%.80s'; known are %s", typed, list);
    else
        snprintf(text, sizeof text, "unknown key '%.80s'; 'reprise machine options' lists them", typed);
    free(all);
    free(device);
    return fail_at(s, err, text);
}

static bool is_option(const char *key)
{
    for (size_t i = 0; i < machine_option_count; i++)
        if (!strcmp(machine_option_rows[i].key, key))
            return true;
    return false;
}

/* Fails because the machine lacks something. A mistyped key can be why, so that an unknown one is reported instead. */
static bool fail_incomplete(const struct resolver *r, const char *text, struct rp_error *err)
{
    for (size_t i = 0; i < r->settings->count; i++) {
        const struct setting *s = &r->settings->items[i];
        size_t length = strcspn(s->key, ".");
        if (!is_first_name(s->key, length) || (!s->key[length] && !is_option(s->key)))
            return unknown_key(r, s, err);
    }
    return rp_fail(err, RP_BAD_INPUT, "%s: %s", r->settings->file, text);
}

static bool unknown_name(const struct resolver *r, const struct setting *s, const char *what, const char *const *names,
                         size_t count, struct rp_error *err)
{
    char text[512];
    const char *near = r->request->nearest ? r->request->nearest(s->value, names, count) : NULL;
    int n = snprintf(text, sizeof text, "unknown %s '%.60s'", what, s->value);
    if (near)
        snprintf(text + n, sizeof text - (size_t)n, "; did you mean '%s'?", near);
    for (size_t i = 0; !near && i < count && (size_t)n < sizeof text; i++)
        n += snprintf(text + n, sizeof text - (size_t)n, "%s %s", i ? "," : "; known are", names[i]);
    return fail_at(s, err, text);
}

/* ---- models ----------------------------------------------------------------------------------------------------- */

/* Whether it is a part's own key: `scheduler` and `units.alu` stand for `scheduler.model` and `units.alu.model`. */
static bool names_part(const char *key)
{
    if (!strncmp(key, "units.", 6) && !strchr(key + 6, '.'))
        return true;
    for (size_t s = 0; s < MACHINE_SLOTS; s++)
        if (!strcmp(key, machine_slots[s].key))
            return true;
    return false;
}

static const char *alias_of(const char *key)
{
    for (size_t i = 0; i < machine_alias_count; i++)
        if (!strcmp(key, machine_aliases[i].old))
            return machine_aliases[i].key;
    return key;
}

/* Replaces keys by their full and present form. */
static bool complete_keys(struct settings *settings, struct rp_error *err)
{
    for (size_t i = 0; i < settings->count; i++) {
        char *key = settings->items[i].key;
        const char *now = alias_of(key);
        if (now == key && !names_part(key))
            continue;
        char *full = malloc(strlen(now) + sizeof MODEL_KEY);
        if (!full)
            return rp_fail(err, RP_SYSTEM, "%s: out of memory", settings->file);
        strcpy(full, now);
        if (now == key)
            strcat(full, MODEL_KEY);
        settings->items[i].typed = key;
        settings->items[i].key = full;
    }
    return true;
}

/* Checks that no file gives an option by its older and by its present name. */
static bool given_once(const struct settings *settings, struct rp_error *err)
{
    for (size_t i = 0; i < settings->count; i++) {
        const struct setting *old = &settings->items[i];
        if (!old->line || !old->typed || alias_of(old->typed) == old->typed)
            continue;
        for (size_t k = 0; k < settings->count; k++) {
            const struct setting *now = &settings->items[k];
            if (k == i || now->level != old->level || strcmp(now->key, old->key) != 0)
                continue;
            return rp_fail(err, RP_BAD_INPUT, "%s:%d: '%s' is an older name of '%s', which line %d gives; keep one",
                           old->file, old->line, old->typed, old->key, now->line);
        }
    }
    return true;
}

static int unit_by_name(const struct machine *m, const char *name, size_t length)
{
    for (uint32_t u = 0; u < m->unit_count; u++)
        if (strlen(m->unit_name[u]) == length && !memcmp(m->unit_name[u], name, length))
            return (int)u;
    return -1;
}

/* Reads the names of the units from the group `units` of the file. */
static bool collect_units(struct resolver *r, struct rp_error *err)
{
    struct machine *m = r->machine;
    if (machine_is_cores(m))
        return true;
    for (size_t i = 0; i < r->settings->count; i++) {
        const struct setting *s = &r->settings->items[i];
        if (!s->line || strncmp(s->key, "units.", 6))
            continue;
        const char *name = s->key + 6;
        size_t length = strcspn(name, ".");
        if (unit_by_name(m, name, length) >= 0)
            continue;
        if (length >= sizeof m->unit_name[0])
            return fail_at(s, err, "the unit's name is too long");
        if (m->unit_count == MACHINE_UNITS)
            return fail_at(s, err, "too many units; there may be 16");
        memcpy(m->unit_name[m->unit_count], name, length);
        m->unit_name[m->unit_count++][length] = 0;
    }
    return m->unit_count || fail_incomplete(r, "there are no units; the machine cannot execute anything", err);
}

static bool choose_model(struct resolver *r, const struct setting *s, struct machine_part *part, enum model_kind kind,
                         struct rp_error *err)
{
    const char *names[64];
    size_t count = 0;
    for (const struct model *const *m = models_of(r, kind); *m; m++) {
        if (!strcmp((*m)->name, s->value)) {
            part->model = *m;
            return true;
        }
        if (count < MODEL_COUNT_OF(names))
            names[count++] = (*m)->name;
    }
    return unknown_name(r, s, "model", names, count, err);
}

/* Whether it is a late setting of the request (struct machine_request). */
static bool is_late(const struct resolver *r, const struct setting *s)
{
    return !s->line && r->request->late_option && s->number >= r->request->late;
}

static bool begin_options(struct machine_part *part, struct rp_error *err)
{
    const struct model *m = part->model;
    size_t used = MODEL_OPTIONS;
    if (m->option_count > MODEL_OPTIONS)
        return rp_fail(err, RP_BAD_INPUT, "model '%s' has more options than a model may have", m->name);
    for (unsigned o = 0; o < m->option_count; o++) {
        const char *why = option_begin(&m->options[o], machine_part_place(part, o), &used, MODEL_OPTIONS + MODEL_LISTS);
        if (why)
            return rp_fail(err, RP_BAD_INPUT, "model '%s', option '%s': %s", m->name, m->options[o].key, why);
    }
    return true;
}

static bool begin_own_options(struct machine *m, struct rp_error *err)
{
    size_t used = 0;
    for (size_t i = 0; i < machine_option_count; i++) {
        const char *why = option_begin(&machine_option_rows[i], machine_option_place(m, i), &used, MACHINE_LISTS);
        if (why)
            return rp_fail(err, RP_BAD_INPUT, "option '%s': %s", machine_option_rows[i].key, why);
    }
    return true;
}

/* A part that the machine's kind does not have gets a model, so that none is without. Chips of many cores have the
 * pipeline of their kind's name. */
static bool fill_part(const struct resolver *r, struct machine_part *part, enum model_kind kind, struct rp_error *err)
{
    const struct model *const *m = models_of(r, kind);
    while (kind == KIND_PIPELINE && *m && strcmp((*m)->name, machine_kinds[MACHINE_CORES]))
        m++;
    part->model = *m;
    return *m ? begin_options(part, err)
              : rp_fail(err, RP_BAD_INPUT, "%s: no engine carries out machines of kind '%s'", r->settings->file,
                        machine_kinds[MACHINE_CORES]);
}

static bool choose_models(struct resolver *r, struct rp_error *err)
{
    for (size_t p = 0; p < machine_part_count(r->machine); p++) {
        enum model_kind kind;
        char key[40], full[48];
        struct machine_part *part = machine_part_of(r->machine, p, &kind, key);
        if (p < MACHINE_SLOTS && !machine_kind_has_slot(r->machine->kind, p)) {
            if (!fill_part(r, part, kind, err))
                return false;
            continue;
        }
        snprintf(full, sizeof full, "%s" MODEL_KEY, key);
        for (size_t i = 0; i < r->settings->count; i++) {
            struct setting *s = &r->settings->items[i];
            if (strcmp(s->key, full))
                continue;
            if (!choose_model(r, s, part, kind, err))
                return false;
            s->used = true;
            r->model_level[p] = s->level;
            r->model_is_late[p] = is_late(r, s);
        }
        if (!part->model)
            part->model = default_model(r, kind);
        if (!part->model) {
            char text[100];
            snprintf(text, sizeof text, "'%s' is missing: no model is chosen for it", key);
            return fail_incomplete(r, text, err);
        }
        if (!begin_options(part, err))
            return false;
    }
    return true;
}

/* ---- values ----------------------------------------------------------------------------------------------------- */

/* Of a late setting: another value, or another machine, may do. */
static void note_impossible(const struct resolver *r, const struct setting *s)
{
    if (r->request->inconsistent && is_late(r, s))
        *r->request->inconsistent = true;
}

static bool set_value(const struct resolver *r, struct setting *s, const struct model_option *row,
                      struct option_place place, struct rp_error *err)
{
    char why[300], text[400];
    s->used = true;
    if (option_parse(row, s->value, place, why, sizeof why))
        return true;
    if (option_beyond_limits(row, s->value))
        note_impossible(r, s);
    snprintf(text, sizeof text, "%s: %s", s->key, why);
    return fail_at(s, err, text);
}

static bool spared(const struct resolver *r, enum model_kind kind, const char *model)
{
    for (size_t i = 0; kind == KIND_SCHEDULER && i < r->request->scheduler_count; i++)
        if (!strcmp(r->request->schedulers[i], model))
            return true;
    return false;
}

/* The model of the part is another one in other variants: a late setting chose it, or the file of one of several
 * machines did. */
static bool model_varies(const struct resolver *r, const struct setting *s, size_t p)
{
    return r->model_is_late[p] || (r->request->machine_varies && r->model_level[p] < s->level);
}

/* Looks for an option that the chosen model lacks in the other models of its kind. *is: one has it. True: it is
 * ignored, as the model was chosen at a higher level than the option was given, or as the request names a scheduler
 * that has it. */
static bool other_models_option(const struct resolver *r, struct setting *s, size_t p, enum model_kind kind,
                                const char *name, bool *is, struct rp_error *err)
{
    char owners[160] = "";
    size_t length = 0;
    for (const struct model *const *m = models_of(r, kind); *m; m++)
        for (unsigned o = 0; o < (*m)->option_count; o++) {
            if (strcmp((*m)->options[o].key, name))
                continue;
            *is = s->used = true;
            if (r->request->left_out && is_late(r, s) && model_varies(r, s, p))
                return r->request->left_out[s->number] = true;
            if (s->level < r->model_level[p] || spared(r, kind, (*m)->name))
                return true;
            if (length < sizeof owners)
                length +=
                    (size_t)snprintf(owners + length, sizeof owners - length, "%s'%s'", length ? ", " : "", (*m)->name);
        }
    if (!*is)
        return true;
    char key[40], text[400];
    snprintf(text, sizeof text, "%.80s is an option of %s, and the model chosen is '%s'", s->key, owners,
             machine_part_of(r->machine, p, &kind, key)->model->name);
    return fail_at(s, err, text);
}

static bool apply_part(struct resolver *r, struct setting *s, struct rp_error *err)
{
    for (size_t p = 0; p < machine_part_count(r->machine); p++) {
        enum model_kind kind;
        char key[40];
        if (p < MACHINE_SLOTS && !machine_kind_has_slot(r->machine->kind, p))
            continue;
        struct machine_part *part = machine_part_of(r->machine, p, &kind, key);
        size_t n = strlen(key);
        if (strncmp(s->key, key, n) || s->key[n] != '.')
            continue;
        for (unsigned o = 0; o < part->model->option_count; o++)
            if (!strcmp(part->model->options[o].key, s->key + n + 1))
                return set_value(r, s, &part->model->options[o], machine_part_place(part, o), err);
        bool is = false;
        if (!other_models_option(r, s, p, kind, s->key + n + 1, &is, err))
            return false;
        if (is)
            return true;
    }
    return true;
}

static bool apply_timing(struct resolver *r, struct setting *s, struct machine_timing *t, uint8_t *given,
                         const char *field, struct rp_error *err)
{
    struct machine *m = r->machine;
    for (unsigned f = 0; f < FIELD_COUNT; f++) {
        if (strcmp(field, timing_rows[f].key))
            continue;
        *given |= (uint8_t)(1u << f);
        if (f == FIELD_UNIT) {
            const char *names[MACHINE_UNITS];
            for (uint32_t u = 0; u < m->unit_count; u++)
                names[u] = m->unit_name[u];
            int unit = unit_by_name(m, s->value, strlen(s->value));
            s->used = true;
            t->unit = unit >= 0 ? (uint8_t)unit : 0;
            if (unit < 0 && r->request->machine_varies)
                note_impossible(r, s);
            return unit >= 0 || unknown_name(r, s, "unit", names, m->unit_count, err);
        }
        int64_t value;
        if (!set_value(r, s, &timing_rows[f], (struct option_place){&value, NULL}, err))
            return false;
        *(f == FIELD_INITIATION ? &t->initiation : &t->latency) = (uint32_t)value;
        return true;
    }
    return true;
}

static bool apply_timings(struct resolver *r, struct setting *s, struct rp_error *err)
{
    bool class = !strncmp(s->key, "classes.", 8);
    if (!class && strncmp(s->key, "spaces.", 7))
        return true;
    const char *name = s->key + (class ? 8 : 7), *dot = strchr(name, '.');
    if (!dot)
        return true;
    size_t n = (size_t)(dot - name);
    for (unsigned c = 0; c < (class ? RP_CLASS_COUNT : RP_SPACE_COUNT); c++) {
        const char *is = class ? rp_class_name((enum rp_class)c) : rp_space_name((enum rp_space)c);
        bool row = class ? machine_class_has_row(c) : machine_space_has_row(c);
        if (!row || strlen(is) != n || memcmp(is, name, n))
            continue;
        struct machine *m = r->machine;
        return apply_timing(r, s, class ? &m->classes[c] : &m->spaces[c],
                            class ? &r->class_fields[c] : &r->space_fields[c], dot + 1, err);
    }
    return true;
}

/* Whether an option or part of the machine's kind begins with the key's first name. */
static bool begins_own_option(const struct resolver *r, const char *key)
{
    bool begins = false;
    for (size_t i = 0; i < machine_option_count; i++)
        begins |= machine_kind_has(r->machine->kind, i) &&
                  begins_with_name(machine_option_rows[i].key, key, strcspn(key, "."));
    return begins;
}

/* Whether machines of the other kind have the key, by its first name or as an option. */
static bool is_of_other_kind(const struct resolver *r, const char *key)
{
    for (size_t i = 0; i < machine_option_count; i++)
        if (!machine_kind_has(r->machine->kind, i) && !strcmp(machine_option_rows[i].key, key))
            return true;
    return machine_is_cores(r->machine) && strchr(key, '.') && is_first_name(key, strcspn(key, ".")) &&
           !begins_own_option(r, key);
}

/* An option that the machine's kind does not have. It is ignored where machines of both kinds are compared. */
static bool refuse_kind(const struct resolver *r, struct setting *s, struct rp_error *err)
{
    char text[300];
    const char *own = machine_kinds[r->machine->kind], *other = machine_kinds[!r->machine->kind];
    if (r->request->left_out && is_late(r, s) && r->request->machine_varies)
        return s->used = r->request->left_out[s->number] = true;
    snprintf(text, sizeof text,
             "%.80s is no option of this machine, which is of kind '%s'; those of kind '%s' may have it",
             s->typed ? s->typed : s->key, own, other);
    return fail_at(s, err, text);
}

static bool apply(struct resolver *r, struct setting *s, struct rp_error *err)
{
    if (s->used)
        return true;
    for (size_t i = 0; i < machine_option_count; i++)
        if (machine_kind_has(r->machine->kind, i) && !strcmp(machine_option_rows[i].key, s->key))
            return set_value(r, s, &machine_option_rows[i], machine_option_place(r->machine, i), err);
    if (!apply_part(r, s, err) || (!s->used && !machine_is_cores(r->machine) && !apply_timings(r, s, err)))
        return false;
    if (!s->used && is_of_other_kind(r, s->key))
        return refuse_kind(r, s, err);
    if (!s->used && r->request->machine_varies && !strncmp(s->key, "units.", 6))
        note_impossible(r, s);
    return s->used || unknown_key(r, s, err);
}

/* ---- all of it -------------------------------------------------------------------------------------------------- */

static bool all_given(const struct resolver *r, struct rp_error *err)
{
    if (machine_is_cores(r->machine))
        return true;
    for (unsigned i = 0; i < RP_CLASS_COUNT + RP_SPACE_COUNT; i++) {
        bool class = i < RP_CLASS_COUNT;
        unsigned c = class ? i : i - RP_CLASS_COUNT;
        unsigned given = class ? r->class_fields[c] : r->space_fields[c];
        if (class ? !machine_class_has_row(c) : !machine_space_has_row(c))
            continue;
        for (unsigned f = 0; f < FIELD_COUNT; f++)
            if (!(given >> f & 1))
                return rp_fail(
                    err, RP_BAD_INPUT, "%s: '%s.%s.%s' is missing", r->settings->file, class ? "classes" : "spaces",
                    class ? rp_class_name((enum rp_class)c) : rp_space_name((enum rp_space)c), timing_rows[f].key);
    }
    return true;
}

/* The kind decides which options there are, so it is set first. */
static bool choose_kind(struct resolver *r, struct rp_error *err)
{
    for (size_t i = 0; i < r->settings->count; i++)
        if (!strcmp(r->settings->items[i].key, "kind") && !apply(r, &r->settings->items[i], err))
            return false;
    return true;
}

static bool resolve(struct resolver *r, struct rp_error *err)
{
    struct machine *m = r->machine;
    if (!begin_own_options(m, err) || !complete_keys(r->settings, err) || !given_once(r->settings, err) ||
        !choose_kind(r, err) || !collect_units(r, err) || !choose_models(r, err))
        return false;
    for (size_t i = 0; i < r->settings->count; i++)
        if (!apply(r, &r->settings->items[i], err))
            return false;
    if (machine_is_cores(m))
        m->sms = m->cores;
    if (settings_level(r->settings, "l1.size") > settings_level(r->settings, "l1.unified"))
        m->l1_unified = 0; /* a size that is given replaces the unified array's share */
    const struct machine_check check = {m, r->settings, r->request->inconsistent, r->fits};
    if (!all_given(r, err) || !machine_consistent(&check, err))
        return false;
    if (!(m->text = machine_text(m)) || !(m->device_text = machine_device_text(m)))
        return rp_fail(err, RP_SYSTEM, "%s: out of memory", r->settings->file);
    struct sha256 sha;
    uint8_t digest[32];
    sha256_begin(&sha);
    sha256_add(&sha, m->text, strlen(m->text));
    sha256_end(&sha, digest);
    sha256_hex(digest, m->hash);
    return true;
}

static void name_machine(struct machine *m, const char *from)
{
    const char *slash = strrchr(from, '/');
    snprintf(m->name, sizeof m->name, "%s", slash ? slash + 1 : from);
    char *dot = strrchr(m->name, '.');
    if (dot && !strcmp(dot, ".cfg"))
        *dot = 0;
}

/* ---- files and their bases -------------------------------------------------------------------------------------- */

#define LEVEL_OF_SET (SETTINGS_BASES + 1)

/* Finds the file of a base: by name, or by a path relative to the folder of the file that names it. */
static bool find_base(const struct machine_request *request, const struct setting *base, char path[4096],
                      struct rp_error *err)
{
    struct rp_error why;
    const char *slash = strrchr(base->file, '/');
    if (!machine_find(base->value, request->nearest, path, &why))
        return fail_at(base, err, why.text);
    if (strcmp(path, base->value) || *path == '/' || !slash)
        return true;
    int folder = (int)(slash - base->file);
    return snprintf(path, 4096, "%.*s/%s", folder, base->file, base->value) < 4096 ||
           fail_at(base, err, "the path is too long");
}

static bool add_file(const struct machine_request *, struct settings *all, const char *file, const char *text,
                     size_t size, struct rp_error *err);

/* Whether the file is one of those whose settings are being read. */
static bool is_under_way(const struct settings *all, const char *path)
{
    struct stat one, other;
    bool found = false;
    if (stat(path, &one))
        return false;
    for (size_t i = 0; i <= all->path_count && !found; i++)
        found = !stat(i ? all->paths[i - 1] : all->file, &other) && one.st_dev == other.st_dev &&
                one.st_ino == other.st_ino;
    return found;
}

static bool add_base(const struct machine_request *request, struct settings *all, const struct setting *base,
                     struct rp_error *err)
{
    char path[4096];
    size_t size;
    if (!find_base(request, base, path, err))
        return false;
    if (is_under_way(all, path))
        return fail_at(base, err, "with this base the machine builds on itself; name another one");
    if (all->path_count == SETTINGS_BASES)
        return fail_at(base, err, "this is the base of a base of a base, and so on; there may be 8");
    char *copy = strdup(path), *text = copy ? machine_file_read(copy, &size, err) : NULL;
    if (!copy)
        return rp_fail(err, RP_SYSTEM, "%s: out of memory", path);
    all->paths[all->path_count++] = copy;
    bool fine = text && add_file(request, all, copy, text, size, err);
    free(text);
    return fine;
}

/* Adds the settings of a file: first those of its base, then its own. */
static bool add_file(const struct machine_request *request, struct settings *all, const char *file, const char *text,
                     size_t size, struct rp_error *err)
{
    struct settings own = {.file = file, .level = (unsigned)(SETTINGS_BASES - all->path_count)};
    struct setting base = {0};
    bool fine = settings_parse(&own, text, size, err);
    if (fine && settings_take(&own, BASE_KEY, &base))
        fine = add_base(request, all, &base, err);
    fine = fine && settings_move(all, &own, err);
    free(base.key);
    free(base.value);
    settings_free(&own);
    return fine;
}

static bool add_request(struct settings *all, const struct machine_request *r, size_t i, struct rp_error *err)
{
    if (!settings_add(all, r->settings[i].key, r->settings[i].value, 0, err))
        return false;
    all->items[all->count - 1].option = r->late_option && i >= r->late ? r->late_option : "--set";
    all->items[all->count - 1].number = i;
    return true;
}

static struct machine *machine_build(const struct machine_request *request, const struct machine_rules *rules,
                                     const char *file, const char *text, size_t size, struct rp_error *err)
{
    struct settings settings = {.file = file, .level = LEVEL_OF_SET};
    struct machine *m = calloc(1, sizeof *m);
    struct resolver r = {
        .machine = m, .settings = &settings, .request = request, .models = rules->models, .fits = rules->fits};
    bool fine = m || rp_fail(err, RP_SYSTEM, "%s: out of memory", file);
    fine = fine && add_file(request, &settings, file, text, size, err);
    for (size_t i = 0; fine && i < request->setting_count; i++)
        fine = add_request(&settings, request, i, err);
    if (fine)
        name_machine(m, request->name);
    fine = fine && resolve(&r, err);
    settings_free(&settings);
    if (fine)
        return m;
    machine_free(m);
    return NULL;
}

struct machine *machine_read_text(const struct machine_request *request, const struct machine_rules *rules,
                                  const char *text, size_t size, struct rp_error *err)
{
    return machine_build(request, rules, request->name, text, size, err);
}

struct machine *machine_read(const struct machine_request *request, const struct machine_rules *rules,
                             struct rp_error *err)
{
    char path[4096];
    if (!machine_find(request->name, request->nearest, path, err))
        return NULL;
    size_t size;
    char *text = machine_file_read(path, &size, err);
    if (!text)
        return NULL;
    struct machine *m = machine_build(request, rules, path, text, size, err);
    free(text);
    return m;
}

void machine_free(struct machine *m)
{
    if (!m)
        return;
    free(m->text);
    free(m->device_text);
    free(m);
}
