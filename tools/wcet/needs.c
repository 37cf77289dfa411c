#include "tools/wcet/needs.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "replay/base/layout.h"
#include "replay/base/machine_parts.h"

const char *const wcet_extension_names[WCET_EXTENSION_COUNT + 1] = {
#define X(id, name, help) name,
    WCET_EXTENSIONS(X)
#undef X
};

struct finder {
    const struct machine *machine;
    const struct rp_kernel *kernel;
    const struct rp_launch *launch;
    unsigned extensions;
    struct wcet_needs *needs;
};

static void needs(struct finder *f, enum wcet_extension e, bool needed)
{
    f->needs->assumed |= needed ? 1u << e : 0;
    f->needs->missing = f->needs->assumed & ~f->extensions;
}

/* The settings are text with blanks between them, or "". What the same settings mend is one need. */
__attribute__((format(printf, 3, 4))) static void lacks(struct finder *f, const char *settings, const char *what, ...)
{
    for (size_t i = 0; i < f->needs->count; i++)
        if (settings[0] && !strcmp(f->needs->list[i].settings, settings))
            return;
    if (f->needs->count == WCET_MOST_NEEDS)
        return;
    struct wcet_need *need = &f->needs->list[f->needs->count++];
    va_list arguments;
    va_start(arguments, what);
    vsnprintf(need->what, sizeof need->what, what, arguments);
    va_end(arguments);
    snprintf(need->settings, sizeof need->settings, "%s", settings);
}

static bool is(const struct machine_part *part, const char *model) { return !strcmp(part->model->name, model); }

static int64_t part_option(const struct machine_part *part, const char *key)
{
    return machine_part_value(part, key, 0);
}

/* ---- units --------------------------------------------------------------------------------------------------------
 */

static bool is_ideal(const struct machine *m, uint32_t unit) { return is(&m->units[unit], "ideal"); }

static bool refuses(const struct machine *m, uint32_t unit)
{
    return !is_ideal(m, unit) && part_option(&m->units[unit], "queue") == 0;
}

/* A full queue of finite length can hold up a warp for longer than others occupy the unit (docs/wcet-proofs.md). */
static void find_units(struct finder *f)
{
    const struct machine *m = f->machine;
    char set[96];
    for (uint32_t u = 0; u < m->unit_count; u++) {
        int64_t queue = part_option(&m->units[u], "queue");
        snprintf(set, sizeof set, "units.%s.queue=0", m->unit_name[u]);
        if (!is_ideal(m, u) && !is(&m->units[u], "pipelined"))
            lacks(f, "", "model '%s' of unit %s", m->units[u].model->name, m->unit_name[u]);
        else if (!is_ideal(m, u) && queue > 0)
            lacks(f, set, "units.%s.queue = %d (queues of 0 and -1 are covered)", m->unit_name[u], (int)queue);
        snprintf(set, sizeof set, "units.%s.subcores=1", m->unit_name[u]);
        if (machine_unit_sharers(m, u) > 1)
            lacks(f, set, "unit %s, which sub-cores share", m->unit_name[u]);
    }
}

/* ---- memory -------------------------------------------------------------------------------------------------------
 */

static bool no_caches(const struct machine *m) { return is(&m->l1, "none") && is(&m->l2, "none"); }

static bool is_known_cache(const struct machine_part *part) { return is(part, "none") || is(part, "direct-mapped"); }

static void find_cache(struct finder *f, const struct machine_part *part, const char *settings)
{
    if (!is_known_cache(part))
        lacks(f, settings, "caches of model '%s'", part->model->name);
}

/* Of other models it goes with the cache. */
static int64_t atomic_interval(const struct machine_part *cache)
{
    return is_known_cache(cache) ? part_option(cache, "atomic_interval") : 0;
}

/* The proofs assume a port without latency or width, one slice, one channel, and queues that are never full. */
static void find_bounds(struct finder *f)
{
    const struct machine *m = f->machine;
    const struct {
        const char *key;
        int64_t value, covered;
    } options[] = {
        {"dispatch_interval", m->dispatch_interval, 0},
        {"dispatch_warp_interval", m->dispatch_warp_interval, 0},
        {"lsu.queue", m->lsu_queue, -1},
        {"lsu.load_line", m->lsu_load_line, 0},
        {"lsu.store_line", m->lsu_store_line, 0},
        {"l1.queue", m->l1_queue, -1},
        {"l1.mshrs", m->l1_mshrs, -1},
        {"l1.unified", m->l1_unified, 0},
        {"l1.atomic_interval", atomic_interval(&m->l1), 0},
        {"port.width", m->port_width, 0},
        {"port.latency", m->port_latency, 0},
        {"port.queue", m->port_queue, -1},
        {"l2.slices", m->l2_slices, 1},
        {"l2.queue", m->l2_queue, -1},
        {"l2.mshrs", m->l2_mshrs, -1},
        {"l2.fill", m->l2_fill, 0},
        {"l2.atomic_interval", atomic_interval(&m->l2), 0},
        {"dram.channels", m->dram_channels, 1},
        {"dram.queue", is(&m->dram, "fixed") ? part_option(&m->dram, "queue") : -1, -1},
    };
    char set[96];
    for (size_t i = 0; i < MODEL_COUNT_OF(options); i++) {
        snprintf(set, sizeof set, "%s=%d", options[i].key, (int)options[i].covered);
        if (options[i].value != options[i].covered)
            lacks(f, set, "%s = %d", options[i].key, (int)options[i].value);
    }
}

/* The latency of device memory becomes that of a miss of the caches that the settings take away. */
static void find_dram(struct finder *f)
{
    const struct machine *m = f->machine;
    const struct machine_part *dram = &m->dram;
    int64_t latency = part_option(dram, "latency") + 2 * m->port_latency;
    char set[96];
    if (is(dram, "ideal"))
        return;
    latency += is_known_cache(&m->l1) ? 0 : part_option(&m->l1, "latency");
    latency += is_known_cache(&m->l2) ? 0 : part_option(&m->l2, "latency");
    snprintf(set, sizeof set, "dram=fixed dram.latency=%d dram.interval=1 dram.queue=-1", (int)latency);
    if (!is(dram, "fixed"))
        lacks(f, set, "dram model '%s'", dram->model->name);
    needs(f, WCET_TRANSACTIONS, !is(dram, "fixed") || part_option(dram, "interval") > 0);
}

/* No bound includes the time for which an earlier launch still occupies ports. */
static void find_before(struct finder *f)
{
    const struct machine *m = f->machine;
    bool ports = !no_caches(m) || part_option(&m->dram, "interval") > 0;
    if (!m->flush_caches && ports)
        lacks(f, "flush_caches=true", "caches and device memory whose ports an earlier launch may still keep busy");
}

static void find_memory(struct finder *f)
{
    const struct machine *m = f->machine;
    find_before(f);
    find_bounds(f);
    if (!is(&m->interconnect, "direct"))
        lacks(f, "interconnect=direct", "interconnect '%s'", m->interconnect.model->name);
    if (m->l2_clock && m->l2_clock != m->clock_mhz)
        lacks(f, "l2.clock_mhz=0", "a clock of L2");
    if (!is(&m->tlb, "none"))
        lacks(f, is(&m->l2_tlb, "none") ? "tlb=none" : "l2_tlb=none tlb=none", "TLBs");
    if (!is(&m->constants, "perfect"))
        lacks(f, "constants=perfect", "constant caches");
    needs(f, WCET_CONFLICTS, !is(&m->shared, "ideal"));
    needs(f, WCET_CACHES, !no_caches(m));
    find_cache(f, &m->l1, "l1=none");
    find_cache(f, &m->l2, m->warm_l2 ? "warm_l2=false l2=none" : "l2=none");
    find_dram(f);
}

/* ---- issue --------------------------------------------------------------------------------------------------------
 */

/* Of two levels the first remains. Each miss takes what a miss of both takes. */
static void find_instruction_cache(struct finder *f)
{
    const struct machine_part *icache = &f->machine->icache;
    char set[96] = "icache=perfect";
    needs(f, WCET_FETCH, !is(icache, "perfect"));
    if (is(icache, "perfect"))
        return;
    if (is(icache, "two-level"))
        snprintf(set, sizeof set, "icache=set-associative icache.latency=%d",
                 (int)(part_option(icache, "latency") + part_option(icache, "next.latency")));
    if (!is(icache, "set-associative"))
        lacks(f, set, "instruction caches of model '%s'", icache->model->name);
    else if (part_option(icache, "replacement") != REPLACEMENT_lru)
        lacks(f, "icache.replacement=lru",
              "icache.replacement = %s, which may replace lines that were used since others",
              replacement_names[part_option(icache, "replacement")]);
}

/* Whether a fence for the block may leave the access in flight (is_posted() in replay/base/trace_semantics.h). */
static bool may_be_posted(const struct rp_instruction *in)
{
    bool any = false;
    for (uint32_t o = 0; o < in->memory_count; o++) {
        if (in->memory[o].kind == RP_ACCESS_LOAD || in->memory[o].kind == RP_ACCESS_ATOMIC)
            return false;
        any |= in->memory[o].space == RP_SPACE_GENERIC || path_of_space(in->memory[o].space) == PATH_CACHES;
    }
    return any;
}

/* The proofs assume that fences wait for all accesses. */
static void find_fences(struct finder *f)
{
    const struct rp_kernel *k = f->kernel;
    const struct rp_instruction *fence = NULL;
    struct memory_layout layout;
    bool posted = false;
    memory_layout_of(f->machine, &layout);
    for (uint32_t i = 0; i < k->instruction_count; i++) {
        posted |= may_be_posted(&k->instructions[i]);
        fence = is_block_fence(f->machine, &k->instructions[i]) ? &k->instructions[i] : fence;
    }
    if (posted && fence && layout.orders_blocks)
        lacks(f, "fences=all", "instruction %u of %.40s, which waits only until stores are performed for its block",
              (unsigned)(fence - k->instructions), k->name);
}

static void find_issue(struct finder *f)
{
    const struct machine *m = f->machine;
    needs(f, WCET_SUBCORES, m->subcores > 1);
    needs(f, WCET_BLOCKS, rp_launch_blocks(f->launch) > 1);
    needs(f, WCET_DUAL_ISSUE, m->issue_width > 1);
    if (m->placement != PLACEMENT_WARP_ID && m->subcores > 1)
        lacks(f, "placement=warp-id", "placement '%s'", machine_placements[m->placement]);
    find_instruction_cache(f);
    if (obeys_control_words(m, f->kernel))
        lacks(f, "dependencies=scoreboard", "the control words of %.60s", f->kernel->name);
    find_fences(f);
}

/* ---- the way to ports ---------------------------------------------------------------------------------------------
 */

/* Whether an instruction of the kernel accesses the space, by name or perhaps by a generic address. */
static bool reaches(const struct rp_kernel *k, unsigned space)
{
    bool windowed = space == RP_SPACE_GLOBAL || space == RP_SPACE_LOCAL || space == RP_SPACE_SHARED;
    for (uint32_t i = 0; i < k->instruction_count; i++)
        for (uint32_t o = 0; o < k->instructions[i].memory_count; o++) {
            unsigned named = k->instructions[i].memory[o].space;
            if (named == space || (named == RP_SPACE_GENERIC && windowed))
                return true;
        }
    return false;
}

static bool at_once(const struct machine *m, const struct machine_timing *t)
{
    return refuses(m, t->unit) || is_ideal(m, t->unit);
}

static void add_queueless(const struct machine *m, const struct machine_timing *t, char *set, size_t size)
{
    size_t at = strlen(set);
    if (!at_once(m, t))
        snprintf(set + at, size - at, "%sunits.%s.queue=0", at ? " " : "", m->unit_name[t->unit]);
}

/* Instructions must reach a port in the order of issue, which is the order in which the bounds assume that it serves
 * them, also with an interval of 0. They do if all come through one instance of a unit, where they may queue, or
 * through units without queues that take the same time. */
static void find_feeders(struct finder *f, enum path path, const char *what)
{
    const struct machine *m = f->machine;
    const struct machine_timing *first = NULL;
    bool one_sm = path == PATH_SHARED || m->sms == 1 || rp_launch_blocks(f->launch) == 1;
    for (unsigned s = RP_SPACE_NONE + 1; s < RP_SPACE_COUNT; s++) {
        if (s == RP_SPACE_GENERIC || path_of_space(s) != path || !reaches(f->kernel, s))
            continue;
        const struct machine_timing *t = &m->spaces[s];
        first = first ? first : t;
        bool one_instance = t->unit == first->unit && !is_ideal(m, t->unit) && m->subcores == 1 && one_sm;
        bool as_long = path == PATH_SHARED || t->initiation == first->initiation;
        char set[96] = "";
        if (one_instance || (at_once(m, first) && at_once(m, t) && as_long))
            continue;
        if (as_long)
            add_queueless(m, t, set, sizeof set);
        if (as_long && t->unit != first->unit)
            add_queueless(m, first, set, sizeof set);
        lacks(f, set, "accesses that may overtake one another on their way to %s%s", what,
              as_long ? "" : ", through units with different initiations");
        return;
    }
}

static void find_ways(struct finder *f)
{
    const struct machine *m = f->machine;
    bool memory =
        part_option(&m->l1, "interval") || part_option(&m->l2, "interval") || part_option(&m->dram, "interval");
    if (part_option(&m->shared, "interval") > 0)
        find_feeders(f, PATH_SHARED, "shared memory");
    if (memory || !no_caches(m))
        find_feeders(f, PATH_CACHES, "device memory");
}

void wcet_needs_find(struct wcet_needs *n, const struct machine *m, const struct rp_kernel *k,
                     const struct rp_launch *l, unsigned extensions)
{
    struct finder f = {m, k, l, extensions, n};
    n->count = 0;
    n->assumed = n->missing = 0;
    find_units(&f);
    find_memory(&f);
    find_issue(&f);
    find_ways(&f);
}

/* ---- as an error --------------------------------------------------------------------------------------------------
 */

/* Text that is added to until it has `room` bytes: it then ends in " and more". */
struct text {
    size_t room;
    char bytes[640];
};

__attribute__((format(printf, 3, 4))) static void add(struct text *t, const char *between, const char *format, ...)
{
    char more[128];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(more, sizeof more, format, arguments);
    va_end(arguments);
    size_t at = strlen(t->bytes);
    if (at + strlen(between) + strlen(more) < t->room - strlen(" and more"))
        snprintf(t->bytes + at, sizeof t->bytes - at, "%s%s", at ? between : "", more);
    else if (!strstr(t->bytes, " and more"))
        strcpy(t->bytes + at, " and more");
}

/* "a=1 b=2" becomes "--set a=1 --set b=2". */
static void add_settings(struct text *t, const char *settings)
{
    char copy[96], *rest;
    snprintf(copy, sizeof copy, "%s", settings);
    for (char *one = strtok_r(copy, " ", &rest); one; one = strtok_r(NULL, " ", &rest))
        add(t, " ", "--set %s", one);
}

static const char *const not_assumed[WCET_EXTENSION_COUNT] = {
    [WCET_SUBCORES] = "several sub-cores",
    [WCET_CONFLICTS] = "accesses to shared memory that take time by their addresses",
    [WCET_TRANSACTIONS] = "transactions that wait for one another at device memory",
    [WCET_BLOCKS] = "several blocks of a launch",
    [WCET_CACHES] = "caches",
    [WCET_DUAL_ISSUE] = "two instructions at once",
    [WCET_FETCH] = "an instruction cache with misses",
};

bool wcet_machine_for_bounds(const struct machine *m, char name[WCET_MACHINE_NAME])
{
    char **names, begins[WCET_MACHINE_NAME + 16];
    size_t count = machine_list(&names);
    bool found = false;
    snprintf(begins, sizeof begins, "%.*s for bounds", WCET_MACHINE_NAME, m->name);
    for (size_t i = 0; i < count && !found; i++) {
        char *summary = machine_summary(names[i]);
        found = summary && !strncmp(summary, begins, strlen(begins)) && strlen(names[i]) < WCET_MACHINE_NAME;
        if (found)
            strcpy(name, names[i]);
        free(summary);
    }
    free(names);
    return found;
}

bool wcet_needs_fail(const struct wcet_needs *n, const struct machine *m, struct rp_error *err)
{
    struct text what = {.room = 320}, remedy = {.room = sizeof remedy.bytes}, names = {.room = 120};
    bool mends = true;
    for (size_t i = 0; i < n->count; i++) {
        add(&what, "; ", "%s", n->list[i].what);
        add_settings(&remedy, n->list[i].settings);
        mends = mends && n->list[i].settings[0];
    }
    for (unsigned e = 0; e < WCET_EXTENSION_COUNT; e++)
        if (n->missing >> e & 1) {
            add(&what, "; ", "%s", not_assumed[e]);
            add(&names, ",", "%s", wcet_extension_names[e]);
        }
    if (names.bytes[0])
        add(&remedy, " ", "--assume %s", names.bytes);
    if (!mends)
        return rp_fail(err, RP_BAD_INPUT, "machine %s: no bound covers %s", m->name, what.bytes);
    char ready[WCET_MACHINE_NAME];
    if (n->count && wcet_machine_for_bounds(m, ready))
        return rp_fail(
            err, RP_BAD_INPUT,
            "machine %s: not covered: %s. Take '--machine %s --assume all': it is %s for bounds; or --relax, "
            "which changes this one and says how",
            m->name, what.bytes, ready, m->name);
    return rp_fail(err, RP_BAD_INPUT, "machine %s: not covered: %s. %s%s", m->name, what.bytes, remedy.bytes,
                   n->count ? ", or --relax, makes a machine that is" : " covers it");
}
