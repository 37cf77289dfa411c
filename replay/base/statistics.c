#include "replay/base/statistics.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "hw-models/set/models.h"

/* The rows of the memory system's tables, and where they are counted. */
static const struct count_row {
    const char *name, *unit, *definition;
    size_t at;
} count_rows[] = {
#define ROW(component, field, unit, definition)                                                                        \
    {#component "." #field, unit, definition, offsetof(struct statistics, memory.component.field)},
#define X(field, ...) ROW(icache, field, __VA_ARGS__)
    ICACHE_COUNTS(X)
#undef X
#define X(field, ...) ROW(constants, field, __VA_ARGS__)
        CONSTANT_COUNTS(X)
#undef X
#define X(field, ...) ROW(l1, field, __VA_ARGS__)
            CACHE_COUNTS(X)
#undef X
#define X(field, ...) ROW(port, field, __VA_ARGS__)
                PORT_COUNTS(X)
#undef X
#define X(field, ...) ROW(tlb, field, __VA_ARGS__)
                    TLB_COUNTS(X)
#undef X
#define X(field, ...) ROW(l2, field, __VA_ARGS__)
                        CACHE_COUNTS(X)
#undef X
#define X(field, ...) ROW(dram, field, __VA_ARGS__)
                            DRAM_COUNTS(X)
#undef X
};
_Static_assert(MODEL_COUNT_OF(count_rows) * sizeof(uint64_t) == offsetof(struct memory_counts, dram_counters),
               "each has a row");

static uint64_t count_of(const struct statistics *s, const struct count_row *row)
{
    return *(const uint64_t *)((const char *)s + row->at);
}

/* "dram.counters.NAME" */
static const char *counter_name(const struct model_counter *c, char name[64])
{
    snprintf(name, 64, "dram.counters.%s", c->name);
    return name;
}

static bool has_counter(const struct model *m, const char *name)
{
    for (unsigned i = 0; i < m->counter_count; i++)
        if (!strcmp(m->counters[i].name, name))
            return true;
    return false;
}

/* Those of all models: a name once, as the first model that has it explains it. */
static void each_counter(void (*visit)(void *, const char *name, const char *unit, const char *definition), void *data)
{
    char name[64];
    const struct model *const *all = built_in_models.of[KIND_DRAM];
    for (size_t m = 0; all[m]; m++)
        for (unsigned i = 0; i < all[m]->counter_count; i++) {
            const struct model_counter *c = &all[m]->counters[i];
            size_t first = 0;
            while (!has_counter(all[first], c->name))
                first++;
            if (first == m)
                visit(data, counter_name(c, name), c->unit, c->help);
        }
}

void statistics_each_count(void (*visit)(void *, const char *name, const char *unit, const char *definition),
                           void *data)
{
#define X(field, name, unit, definition) visit(data, name, unit, definition);
    CORE_COUNTS(X)
#undef X
    for (size_t i = 0; i < MODEL_COUNT_OF(count_rows); i++)
        visit(data, count_rows[i].name, count_rows[i].unit, count_rows[i].definition);
    each_counter(visit, data);
}

void statistics_add(struct statistics *to, const struct statistics *from)
{
    for (size_t i = 0; i < MODEL_COUNT_OF(count_rows); i++)
        *(uint64_t *)((char *)to + count_rows[i].at) += count_of(from, &count_rows[i]);
    for (unsigned i = 0; i < MODEL_MOST_COUNTERS; i++)
        to->memory.dram_counters[i] += from->memory.dram_counters[i];
#define X(field, ...) to->field += from->field;
    STATISTICS(X)
#undef X
    core_counts_add(&to->cores, &from->cores);
    for (unsigned i = 0; i < STALL_COUNT; i++)
        to->stall[i] += from->stall[i];
    for (unsigned i = 0; i < MACHINE_UNITS; i++)
        to->unit_busy[i] += from->unit_busy[i];
    for (unsigned i = 0; i < MACHINE_UNITS; i++)
        to->unit_stall[i] += from->unit_stall[i];
}

const char *statistics_stall_name(enum stall s)
{
    static const char *const names[] = {
#define X(id, name, help) name,
        STALLS(X)
#undef X
            "none",
    };
    return names[s];
}

static void each_dram_counter(const struct machine *m, const struct statistics *s,
                              void (*visit)(void *, const char *name, uint64_t value), void *data)
{
    char name[64];
    for (unsigned i = 0; i < m->dram.model->counter_count; i++)
        visit(data, counter_name(&m->dram.model->counters[i], name), s->memory.dram_counters[i]);
}

static void each_of_cores(const struct machine *m, const struct statistics *s,
                          void (*visit)(void *, const char *name, uint64_t value), void *data)
{
    visit(data, "cycles", s->cycles);
    visit(data, "blocks", s->blocks);
    visit(data, "warps", s->warps);
    visit(data, "warp_instructions", s->warp_instructions);
    visit(data, "thread_instructions", s->thread_instructions);
    for (size_t i = 0; i < CORE_COUNT_WORDS; i++)
        visit(data, core_count_name(i), ((const uint64_t *)&s->cores)[i]);
    for (size_t i = 0; i < MODEL_COUNT_OF(count_rows); i++)
        if (!strncmp(count_rows[i].name, "l2.", 3) || !strncmp(count_rows[i].name, "dram.", 5))
            visit(data, count_rows[i].name, count_of(s, &count_rows[i]));
    each_dram_counter(m, s, visit, data);
}

static void each(const struct machine *m, const struct statistics *s, bool shared,
                 void (*visit)(void *, const char *name, uint64_t value), void *data)
{
    if (machine_is_cores(m)) {
        each_of_cores(m, s, visit, data);
        return;
    }
#define X(field, name, ...)                                                                                            \
    if (shared || offsetof(struct statistics, field) != offsetof(struct statistics, idle_cycles))                      \
        visit(data, name, s->field);
    STATISTICS(X)
#undef X
    for (size_t i = 0; shared && i < MODEL_COUNT_OF(count_rows); i++)
        visit(data, count_rows[i].name, count_of(s, &count_rows[i]));
    char name[64];
    if (shared)
        each_dram_counter(m, s, visit, data);
    for (unsigned i = 0; i < STALL_COUNT; i++) {
        snprintf(name, sizeof name, "issue.stall.%s", statistics_stall_name((enum stall)i));
        if (i != STALL_UNIT)
            visit(data, name, s->stall[i]);
    }
    for (uint32_t u = 0; u < m->unit_count; u++) {
        snprintf(name, sizeof name, "issue.stall.%s.%s", statistics_stall_name(STALL_UNIT), m->unit_name[u]);
        visit(data, name, s->unit_stall[u]);
    }
    for (uint32_t u = 0; u < m->unit_count; u++) {
        snprintf(name, sizeof name, "units.%s.busy", m->unit_name[u]);
        visit(data, name, s->unit_busy[u]);
    }
}

void statistics_each(const struct machine *m, const struct statistics *s,
                     void (*visit)(void *, const char *name, uint64_t value), void *data)
{
    each(m, s, true, visit, data);
}

void statistics_each_own(const struct machine *m, const struct statistics *s,
                         void (*visit)(void *, const char *name, uint64_t value), void *data)
{
    each(m, s, false, visit, data);
}

struct comparison {
    const struct machine *machine;
    const struct statistics *b;
    uint64_t wanted; /* position of the statistic that is looked up in b */
    uint64_t at;
    uint64_t value;
    bool found;
};

static _Thread_local char difference[200];

static void look_up(void *data, const char *name, uint64_t value)
{
    struct comparison *c = data;
    (void)name;
    if (c->at++ == c->wanted)
        c->value = value;
}

static void compare(void *data, const char *name, uint64_t value)
{
    struct comparison *c = data;
    c->at = 0;
    statistics_each(c->machine, c->b, look_up, c);
    c->wanted++;
    if (c->found || c->value == value)
        return;
    c->found = true;
    snprintf(difference, sizeof difference, "%s: %" PRIu64 " against %" PRIu64, name, value, c->value);
}

const char *statistics_difference(const struct machine *m, const struct statistics *a, const struct statistics *b)
{
    struct comparison c = {.machine = m, .b = b};
    statistics_each(m, a, compare, &c);
    return c.found ? difference : NULL;
}

const char *statistics_main_stall(const struct machine *m, const struct statistics *s, char name[STALL_NAME])
{
    uint64_t most = 0;
    snprintf(name, STALL_NAME, "none");
    for (unsigned i = 0; i < STALL_COUNT; i++)
        if (i != STALL_UNIT && s->stall[i] > most) {
            most = s->stall[i];
            snprintf(name, STALL_NAME, "%s", statistics_stall_name((enum stall)i));
        }
    for (uint32_t u = 0; u < m->unit_count; u++)
        if (s->unit_stall[u] > most) {
            most = s->unit_stall[u];
            snprintf(name, STALL_NAME, "%s.%s", statistics_stall_name(STALL_UNIT), m->unit_name[u]);
        }
    return name;
}

double statistics_us(const struct machine *m, const struct statistics *s)
{
    return (double)s->cycles / fraction_value(m->clock_mhz);
}

double statistics_ipc(const struct statistics *s)
{
    return s->cycles ? (double)(s->issue_cycles + s->dual_issues) / (double)s->cycles : 0;
}

double statistics_occupancy(const struct machine *m, const struct statistics *s)
{
    double all = (double)s->cycles * (double)m->cores;
    if (machine_is_cores(m))
        return all > 0 ? (all - (double)s->cores.idle) / all : 0;
    return s->sm_cycles ? (double)s->warp_cycles / (double)s->sm_cycles / (double)m->warps : 0;
}

double statistics_speed_up(const struct statistics *s)
{
    const struct core_counts *c = &s->cores;
    return s->cycles ? (double)(c->base + c->fetch + c->load + c->store) / (double)s->cycles : 0;
}
