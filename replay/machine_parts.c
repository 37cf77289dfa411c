#include "replay/machine_parts.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const machine_placements[] = {"warp-id", "balanced", NULL};
const char *const machine_fences[] = {"scope", "all", NULL};

const char *const machine_dependencies[] = {"scoreboard", "control-words", NULL};

const struct model_option machine_option_rows[] = {
#define X(field, key, type, unit, least, most, initial, names, help)                                                   \
    {key, type, unit, least, most, initial, names, help},
    MACHINE_OPTIONS(X)
#undef X
};
const size_t machine_option_count = MODEL_COUNT_OF(machine_option_rows);

static const size_t option_offsets[] = {
#define X(field, ...) offsetof(struct machine, field),
    MACHINE_OPTIONS(X)
#undef X
};

const struct machine_alias machine_aliases[] = {
#define X(old, key) {old, key},
    MACHINE_ALIASES(X)
#undef X
};
const size_t machine_alias_count = MODEL_COUNT_OF(machine_aliases);

int64_t *machine_option_value(struct machine *m, size_t row) { return (int64_t *)((char *)m + option_offsets[row]); }

const struct machine_slot machine_slots[MACHINE_SLOTS] = {
    {"scheduler", KIND_SCHEDULER, offsetof(struct machine, scheduler)},
    {"shared", KIND_SHARED_MEMORY, offsetof(struct machine, shared)},
    {"coalescer", KIND_COALESCER, offsetof(struct machine, coalescer)},
    {"l1", KIND_CACHE, offsetof(struct machine, l1)},
    {"l2", KIND_CACHE, offsetof(struct machine, l2)},
    {"dram", KIND_DRAM, offsetof(struct machine, dram)},
    {"icache", KIND_INSTRUCTION_CACHE, offsetof(struct machine, icache)},
    {"pipeline", KIND_PIPELINE, offsetof(struct machine, pipeline)},
};

struct machine_part *machine_part_of(struct machine *m, size_t index, enum model_kind *kind, char key[40])
{
    if (index < MACHINE_SLOTS) {
        *kind = machine_slots[index].kind;
        snprintf(key, 40, "%s", machine_slots[index].key);
        return (struct machine_part *)((char *)m + machine_slots[index].at);
    }
    *kind = KIND_UNIT;
    snprintf(key, 40, "units.%s", m->unit_name[index - MACHINE_SLOTS]);
    return &m->units[index - MACHINE_SLOTS];
}

static bool parse_integer(const struct model_option *o, const char *text, int64_t *value)
{
    char *end;
    errno = 0;
    long long n = strtoll(text, &end, 0);
    const char suffixes[] = "KkMmGg", *suffix = *end ? strchr(suffixes, *end) : NULL;
    int shift = suffix ? 10 * (1 + (int)(suffix - suffixes) / 2) : 0;
    end += shift != 0;
    if (end == text || *end || errno || n > INT64_MAX >> shift || n < INT64_MIN >> shift)
        return false;
    *value = (int64_t)n * ((int64_t)1 << shift);
    return *value >= o->least && *value <= o->most;
}

/* "4KB": a number with letters behind it, more than one or no suffix. */
static bool has_other_suffix(const char *text)
{
    size_t digits = strspn(text, "0123456789");
    return digits && isalpha((unsigned char)text[digits]) && (text[digits + 1] || !strchr("KkMmGg", text[digits]));
}

static bool parse_boolean(const char *text, int64_t *value)
{
    static const char *const words[][2] = {{"false", "true"}, {"0", "1"}, {"no", "yes"}, {"off", "on"}};
    for (size_t i = 0; i < MODEL_COUNT_OF(words); i++)
        for (int64_t v = 0; v < 2; v++)
            if (!strcmp(text, words[i][v])) {
                *value = v;
                return true;
            }
    return false;
}

bool option_parse(const struct model_option *o, const char *text, int64_t *value, char *why, size_t size)
{
    switch (o->type) {
    case OPTION_INTEGER:
        if (parse_integer(o, text, value))
            return true;
        snprintf(why, size, "'%.40s' is not a whole number from %" PRId64 " to %" PRId64 "%s%s%s", text, o->least,
                 o->most, *o->unit ? " " : "", o->unit,
                 has_other_suffix(text) ? "; only K, M and G may stand behind it, for powers of 1024" : "");
        return false;
    case OPTION_BOOLEAN:
        if (parse_boolean(text, value))
            return true;
        snprintf(why, size, "'%.40s' is neither true nor false", text);
        return false;
    case OPTION_CHOICE:
        for (int64_t i = 0; o->names[i]; i++)
            if (!strcmp(text, o->names[i])) {
                *value = i;
                return true;
            }
        int n = snprintf(why, size, "'%.40s' is not one of", text);
        for (size_t i = 0; o->names[i] && n > 0 && (size_t)n < size; i++)
            n += snprintf(why + n, size - (size_t)n, "%s %s", i ? "," : "", o->names[i]);
        return false;
    }
    return false;
}

void option_print(const struct model_option *o, int64_t value, char *out, size_t size)
{
    if (o->type == OPTION_CHOICE)
        snprintf(out, size, "%s", o->names[value]);
    else if (o->type == OPTION_BOOLEAN)
        snprintf(out, size, "%s", value ? "true" : "false");
    else
        snprintf(out, size, "%" PRId64, value);
}

static void print_timing(FILE *to, const struct machine *m, const char *kind, const char *name,
                         const struct machine_timing *t)
{
    fprintf(to, "%s.%s.unit = %s\n", kind, name, m->unit_name[t->unit]);
    fprintf(to, "%s.%s.initiation = %" PRIu32 "\n", kind, name, t->initiation);
    fprintf(to, "%s.%s.latency = %" PRIu32 "\n", kind, name, t->latency);
}

/* Whether the row belongs to this part, as `l1.mshrs` does to `l1`. */
static bool belongs(const struct model_option *row, const char *part)
{
    size_t n = strlen(part);
    return !strncmp(row->key, part, n) && row->key[n] == '.';
}

static bool belongs_to_slot(const struct model_option *row)
{
    for (size_t i = 0; i < MACHINE_SLOTS; i++)
        if (belongs(row, machine_slots[i].key))
            return true;
    return false;
}

/* The chip's own options: those of a part, or, for NULL, of none. */
static void print_options(FILE *to, struct machine *m, const char *part)
{
    char value[64];
    for (size_t i = 0; i < machine_option_count; i++) {
        const struct model_option *row = &machine_option_rows[i];
        if (part ? !belongs(row, part) : belongs_to_slot(row))
            continue;
        option_print(row, *machine_option_value(m, i), value, sizeof value);
        fprintf(to, "%s = %s\n", row->key, value);
    }
}

static void print_all(FILE *to, struct machine *m)
{
    char value[64], key[40];
    print_options(to, m, NULL);
    for (size_t i = 0; i < machine_part_count(m); i++) {
        enum model_kind kind;
        const struct machine_part *part = machine_part_of(m, i, &kind, key);
        if (!part->model)
            continue;
        fprintf(to, "%s.model = %s\n", key, part->model->name);
        print_options(to, m, key);
        for (unsigned o = 0; o < part->model->option_count; o++) {
            option_print(&part->model->options[o], part->options[o], value, sizeof value);
            fprintf(to, "%s.%s = %s\n", key, part->model->options[o].key, value);
        }
    }
    for (unsigned c = 0; c < RP_CLASS_COUNT; c++)
        if (machine_class_has_row(c))
            print_timing(to, m, "classes", rp_class_name((enum rp_class)c), &m->classes[c]);
    for (unsigned s = 0; s < RP_SPACE_COUNT; s++)
        if (machine_space_has_row(s))
            print_timing(to, m, "spaces", rp_space_name((enum rp_space)s), &m->spaces[s]);
}

char *machine_text(struct machine *m)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    if (!to)
        return NULL;
    print_all(to, m);
    bool failed = ferror(to);
    if (fclose(to) || failed) {
        free(text);
        return NULL;
    }
    return text;
}

void machine_each_model(const struct model_set *models, void (*visit)(void *, const char *part, const struct model *),
                        void *data)
{
    models = models ? models : &built_in_models;
    for (size_t i = 0; i < MACHINE_SLOTS; i++)
        for (const struct model *const *m = models->of[machine_slots[i].kind]; m && *m; m++)
            visit(data, machine_slots[i].key, *m);
    for (const struct model *const *m = models->of[KIND_UNIT]; *m; m++)
        visit(data, "units.NAME", *m);
}

void machine_each_option(void (*visit)(void *, const struct model_option *), void *data)
{
    for (size_t i = 0; i < machine_option_count; i++)
        visit(data, &machine_option_rows[i]);
}
