#include "replay/base/machine_parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const machine_kinds[] = {"gpu", "cores", NULL};
const char *const machine_coherences[] = {"none", "msi", NULL};
const char *const machine_placements[] = {"warp-id", "balanced", "even", "rotating", NULL};
const char *const machine_no_name[] = {"", NULL};
const char *const machine_capabilities[] = {"unknown", "50",  "52",  "53",  "60",  "61",  "62", "70",
                                            "72",      "75",  "80",  "86",  "87",  "88",  "89", "90",
                                            "100",     "101", "103", "110", "120", "121", NULL};
const char *const machine_measures[] = {"grid", "processor", NULL};
const char *const machine_fences[] = {"scope", "all", NULL};
const char *const machine_shared_sizes[] = {"0", NULL};
const char *const machine_hashes[] = {"none", "xor", "ipoly", NULL};

const char *const machine_fp32_compares[] = {"fp32", "int", NULL};
const char *const machine_dependencies[] = {"scoreboard", "control-words", NULL};

const struct model_option machine_option_rows[] = {
#define X(field, key, type, unit, least, most, initial, names, help)                                                   \
    {key, type, unit, least, most, initial, names, help},
    MACHINE_OPTIONS(X) DEVICE_OPTIONS(X) CORE_OPTIONS(X)
#undef X
};
const size_t machine_option_count = MODEL_COUNT_OF(machine_option_rows);
#define X(...) +1
enum { DEVICE_OPTION = 0 MACHINE_OPTIONS(X), CORE_OPTION = DEVICE_OPTION DEVICE_OPTIONS(X) }; /* first rows of tables */
#undef X

/* Options of GPUs that chips of many cores have, too. */
static bool is_shared_option(const char *key)
{
    return !strcmp(key, "clock_mhz") || !strcmp(key, "barrier_latency") || !strcmp(key, "area") ||
           !strncmp(key, "dram.", 5);
}

bool machine_kind_has(int64_t kind, size_t row)
{
    if (row == CORE_OPTION) /* `kind` */
        return true;
    return kind == MACHINE_CORES ? row > CORE_OPTION || is_shared_option(machine_option_rows[row].key)
                                 : row < CORE_OPTION;
}

bool machine_kind_has_slot(int64_t kind, size_t slot)
{
    return kind != MACHINE_CORES || machine_slots[slot].kind == KIND_DRAM;
}

static const size_t option_offsets[] = {
#define X(field, ...) offsetof(struct machine, field),
    MACHINE_OPTIONS(X) DEVICE_OPTIONS(X) CORE_OPTIONS(X)
#undef X
};

const struct machine_alias machine_aliases[] = {
#define X(old, key) {old, key},
    MACHINE_ALIASES(X)
#undef X
};
const size_t machine_alias_count = MODEL_COUNT_OF(machine_aliases);

const char *machine_former_key(const char *old)
{
    static const struct machine_alias former[] = {
#define X(old, key) {old, key},
        MACHINE_FORMER_KEYS(X)
#undef X
    };
    for (size_t i = 0; i < MODEL_COUNT_OF(former); i++)
        if (!strcmp(former[i].old, old))
            return former[i].key;
    return NULL;
}

struct option_place machine_option_place(struct machine *m, size_t row)
{
    return (struct option_place){(int64_t *)((char *)m + option_offsets[row]), m->lists};
}

struct option_place machine_part_place(struct machine_part *part, size_t row)
{
    return (struct option_place){&part->options[row], part->options};
}

int64_t machine_part_value(const struct machine_part *part, const char *key, int64_t otherwise)
{
    for (unsigned i = 0; i < part->model->option_count; i++)
        if (!strcmp(part->model->options[i].key, key))
            return part->options[i];
    return otherwise;
}

const struct machine_slot machine_slots[MACHINE_SLOTS] = {
    {"scheduler", KIND_SCHEDULER, offsetof(struct machine, scheduler)},
    {"shared", KIND_SHARED_MEMORY, offsetof(struct machine, shared)},
    {"coalescer", KIND_COALESCER, offsetof(struct machine, coalescer)},
    {"l1", KIND_CACHE, offsetof(struct machine, l1)},
    {"l2", KIND_CACHE, offsetof(struct machine, l2)},
    {"dram", KIND_DRAM, offsetof(struct machine, dram)},
    {"interconnect", KIND_INTERCONNECT, offsetof(struct machine, interconnect)},
    {"tlb", KIND_TLB, offsetof(struct machine, tlb)},
    {"l2_tlb", KIND_TLB, offsetof(struct machine, l2_tlb)},
    {"icache", KIND_INSTRUCTION_CACHE, offsetof(struct machine, icache)},
    {"constants", KIND_CONSTANT_CACHE, offsetof(struct machine, constants)},
    {"pipeline", KIND_PIPELINE, offsetof(struct machine, pipeline)},
    {"memory", KIND_MEMORY, offsetof(struct machine, memory)},
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

static void print_option(FILE *to, struct machine *m, size_t row)
{
    char value[OPTION_PRINTED];
    option_print(&machine_option_rows[row], machine_option_place(m, row), value);
    fprintf(to, "%s = %s\n", machine_option_rows[row].key, value);
}

/* The chip's own options: those of a part, or, for NULL, of none. */
static void print_options(FILE *to, struct machine *m, const char *part)
{
    for (size_t i = 0; i < DEVICE_OPTION; i++)
        if (part ? belongs(&machine_option_rows[i], part) : !belongs_to_slot(&machine_option_rows[i]))
            print_option(to, m, i);
}

static void print_device(FILE *to, struct machine *m)
{
    for (size_t i = DEVICE_OPTION; i < CORE_OPTION; i++)
        if (machine_kind_has(m->kind, i))
            print_option(to, m, i);
}

static void print_part(FILE *to, struct machine *m, size_t number)
{
    char value[OPTION_PRINTED], key[40];
    enum model_kind kind;
    struct machine_part *part = machine_part_of(m, number, &kind, key);
    if (!part->model)
        return;
    fprintf(to, "%s.model = %s\n", key, part->model->name);
    print_options(to, m, key);
    for (unsigned o = 0; o < part->model->option_count; o++) {
        option_print(&part->model->options[o], machine_part_place(part, o), value);
        fprintf(to, "%s.%s = %s\n", key, part->model->options[o].key, value);
    }
}

static void print_cores(FILE *to, struct machine *m)
{
    for (size_t i = CORE_OPTION; i < machine_option_count; i++)
        print_option(to, m, i);
    for (size_t i = 0; i < DEVICE_OPTION; i++)
        if (machine_kind_has(m->kind, i) && !belongs(&machine_option_rows[i], "dram"))
            print_option(to, m, i);
    for (size_t i = 0; i < MACHINE_SLOTS; i++)
        if (machine_kind_has_slot(m->kind, i))
            print_part(to, m, i);
}

static void print_all(FILE *to, struct machine *m)
{
    if (machine_is_cores(m)) {
        print_cores(to, m);
        return;
    }
    print_options(to, m, NULL);
    for (size_t i = 0; i < machine_part_count(m); i++)
        print_part(to, m, i);
    for (unsigned c = 0; c < RP_CLASS_COUNT; c++)
        if (machine_class_has_row(c))
            print_timing(to, m, "classes", rp_class_name((enum rp_class)c), &m->classes[c]);
    for (unsigned s = 0; s < RP_SPACE_COUNT; s++)
        if (machine_space_has_row(s))
            print_timing(to, m, "spaces", rp_space_name((enum rp_space)s), &m->spaces[s]);
}

static char *printed(struct machine *m, void (*print)(FILE *, struct machine *))
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    if (!to)
        return NULL;
    print(to, m);
    bool failed = ferror(to);
    if (fclose(to) || failed) {
        free(text);
        return NULL;
    }
    return text;
}

char *machine_text(struct machine *m) { return printed(m, print_all); }
char *machine_device_text(struct machine *m) { return printed(m, print_device); }

void machine_each_model(const struct model_set *models, void (*visit)(void *, const char *part, const struct model *),
                        void *data)
{
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
