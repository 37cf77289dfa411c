#include "tools/wcet/needs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "replay/base/class_timing.h"
#include "replay/base/machine_parts.h"
#include "replay/base/supported.h"

static bool is(const struct machine_part *part, const char *model) { return !strcmp(part->model->name, model); }

static int64_t part_option(const struct machine_part *part, const char *key)
{
    return machine_part_value(part, key, 0);
}

/* ---- registers --------------------------------------------------------------------------------------------------- */

struct names {
    uint64_t *keys; /* file and index + 1, sorted */
    size_t count;
};

static uint64_t register_key(rp_register r, unsigned i)
{
    return (uint64_t)rp_register_file(r) << 32 | (rp_register_index(r) + i);
}

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static size_t registers_of(const struct rp_instruction *in)
{
    size_t n = 0;
    for (uint32_t i = 0; i < in->src_count; i++)
        n += rp_register_waits(in->src[i]);
    for (uint32_t i = 0; i < in->dst_count; i++)
        n += rp_register_waits(in->dst[i]);
    return n;
}

static void add_keys(uint64_t *keys, size_t *n, const rp_register *regs, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        for (unsigned j = 0; j < rp_register_waits(regs[i]); j++)
            keys[(*n)++] = register_key(regs[i], j);
}

static uint32_t add_slots(struct wcet_model *m, const struct names *names, uint32_t at, const rp_register *regs,
                          uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        for (unsigned j = 0; j < rp_register_waits(regs[i]); j++) {
            uint64_t key = register_key(regs[i], j);
            const uint64_t *found = bsearch(&key, names->keys, names->count, sizeof key, by_value);
            m->slots[at++] = (uint32_t)(found - names->keys);
        }
    return at;
}

/* Lists the registers for which each instruction waits, as the scoreboard does: sources (read after write) and
 * destinations (write after write). */
static bool number_registers(struct wcet_model *m, struct rp_error *err)
{
    size_t total = 0, n = 0;
    for (uint32_t i = 0; i < m->kernel->instruction_count; i++)
        total += registers_of(&m->kernel->instructions[i]);
    struct names names = {.keys = calloc(total + 1, sizeof *names.keys)};
    m->slots = calloc(2 * total + 1, sizeof *m->slots);
    if (!names.keys || !m->slots) {
        free(names.keys);
        return rp_fail(err, RP_SYSTEM, "out of memory for the registers of %s", m->kernel->name);
    }
    for (uint32_t i = 0; i < m->kernel->instruction_count; i++) {
        const struct rp_instruction *in = &m->kernel->instructions[i];
        add_keys(names.keys, &n, in->src, in->src_count);
        add_keys(names.keys, &n, in->dst, in->dst_count);
    }
    qsort(names.keys, n, sizeof *names.keys, by_value);
    for (size_t i = 0; i < n; i++)
        if (!names.count || names.keys[names.count - 1] != names.keys[i])
            names.keys[names.count++] = names.keys[i];
    m->slot_count = (uint32_t)names.count;
    uint32_t at = 0;
    for (uint32_t i = 0; i < m->kernel->instruction_count; i++) {
        const struct rp_instruction *in = &m->kernel->instructions[i];
        struct wcet_row *row = &m->rows[i];
        row->first = at;
        at = add_slots(m, &names, at, in->src, in->src_count);
        at = add_slots(m, &names, at, in->dst, in->dst_count);
        row->waits = at - row->first;
        row->writes = at;
        at = add_slots(m, &names, at, in->dst, in->dst_count);
        row->writes = at - row->writes;
    }
    free(names.keys);
    return true;
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static bool makes_ports(const struct wcet_model *m, unsigned space)
{
    switch (path_of_space(space)) {
    case PATH_SHARED: return m->shared_port;
    case PATH_CACHES: return m->memory_port;
    case PATH_CONSTANT: break;
    }
    return false;
}

static bool instruction_is_supported(const struct wcet_model *m, const struct rp_instruction *in, struct rp_error *err)
{
    if (in->async.kind != RP_ASYNC_NONE)
        return rp_fail(err, RP_BAD_INPUT,
                       "kernel %s: instruction %u (%s), line %u: there are no bounds for asynchronous work",
                       m->kernel->name, (unsigned)(in - m->kernel->instructions), in->text, in->line);
    if (!is_block_barrier(in))
        return true;
    const char *why = in->barrier.kind == RP_BARRIER_LAUNCH && rp_launch_blocks(m->launch) > 1
                          ? "is a barrier of all blocks"
                      : in->barrier.kind == RP_BARRIER_ARRIVE ? "arrives at a barrier without waiting"
                      : in->barrier.id < 0                    ? "names its barrier in a register"
                      : in->barrier.count < 0                 ? "counts its barrier's threads in a register"
                                                              : NULL;
    if (!why && in->barrier.count > 0 &&
        ((uint32_t)in->barrier.count + RP_WARP_LANES - 1) / RP_WARP_LANES != rp_launch_warps(m->launch))
        why = "is a barrier of some of the block's warps";
    return !why || rp_fail(err, RP_BAD_INPUT,
                           "kernel %s: instruction %u (%s) %s; only barriers of the whole block are "
                           "covered",
                           m->kernel->name, (unsigned)(in - m->kernel->instructions), in->text, why);
}

static void fill_row(struct wcet_model *m, uint32_t i)
{
    const struct rp_instruction *in = &m->kernel->instructions[i];
    struct wcet_row *row = &m->rows[i];
    bool memory = in->unit_class == RP_CLASS_MEMORY;
    unsigned space = in->memory_count && in->memory[0].space != RP_SPACE_NONE ? in->memory[0].space : RP_SPACE_GLOBAL;
    bool generic = memory && space == RP_SPACE_GENERIC;
    struct machine_timing t =
        memory ? space_timing(m->machine, in, generic ? RP_SPACE_GLOBAL : space) : class_timing(m->machine, in);
    row->op = (struct wcet_op){
        .unit = t.unit, .memory = in->memory_count > 0, .initiation = t.initiation, .latency = t.latency};
    row->dynamic = generic;
    for (uint32_t o = 0; o < in->memory_count; o++) {
        bool any = in->memory[o].space == RP_SPACE_GENERIC;
        row->dynamic |= any || makes_ports(m, in->memory[o].space);
        row->transacts |= m->memory_port && (any || path_of_space(in->memory[o].space) == PATH_CACHES);
    }
    row->exit = !m->machine->issue_exit && is_plain_exit(in);
    row->barrier = is_block_barrier(in);
    row->fence = in->unit_class == RP_CLASS_FENCE;
    row->control = in->unit_class == RP_CLASS_CONTROL;
}

/* Calls visit for each timing that the instruction may have: where addresses decide, for each space that it may access.
 */
static void each_timing(struct wcet_model *m, uint32_t i,
                        void (*visit)(struct wcet_model *, uint32_t, const struct machine_timing *))
{
    static const unsigned windowed[] = {RP_SPACE_GLOBAL, RP_SPACE_SHARED, RP_SPACE_LOCAL, RP_SPACE_CONST,
                                        RP_SPACE_PARAM};
    const struct rp_instruction *in = &m->kernel->instructions[i];
    const struct machine_timing *spaces = m->machine->spaces;
    if (in->unit_class != RP_CLASS_MEMORY) {
        struct machine_timing t = class_timing(m->machine, in);
        visit(m, i, &t);
    } else if (!in->memory_count || in->memory[0].space == RP_SPACE_NONE)
        visit(m, i, &spaces[RP_SPACE_GLOBAL]);
    else if (in->memory[0].space != RP_SPACE_GENERIC)
        visit(m, i, &spaces[in->memory[0].space]);
    else
        for (size_t s = 0; s < sizeof windowed / sizeof *windowed; s++)
            visit(m, i, &spaces[windowed[s]]);
}

static void see_queue(struct wcet_model *m, uint32_t i, const struct machine_timing *t)
{
    (void)i;
    m->queues[t->unit] |= t->initiation > 1 && !m->ideal[t->unit];
}

static void see_wait(struct wcet_model *m, uint32_t i, const struct machine_timing *t)
{
    if (m->rows[i].writes || m->rows[i].op.memory)
        m->silent[t->unit] = false;
}

static void find_units(struct wcet_model *m)
{
    for (uint32_t u = 0; u < m->machine->unit_count; u++) {
        m->ideal[u] = is(&m->machine->units[u], "ideal");
        m->refuses[u] = !m->ideal[u] && part_option(&m->machine->units[u], "queue") == 0;
    }
}

/* Finds the units with a queue in which instructions may wait: some instruction occupies the unit for longer than an
 * issue. Such a unit is silent if none of its instructions writes a register or is a memory operation, for which a
 * fence would wait. Only launches of one block without dual issue have silent units: the proof excludes two issues in a
 * cycle, and room that becomes free when a block ends. */
static void find_queues(struct wcet_model *m)
{
    for (uint32_t i = 0; i < m->kernel->instruction_count; i++)
        each_timing(m, i, see_queue);
    for (uint32_t u = 0; u < m->machine->unit_count; u++)
        m->silent[u] =
            m->queues[u] && !m->refuses[u] && m->machine->issue_width == 1 && rp_launch_blocks(m->launch) == 1;
    for (uint32_t i = 0; i < m->kernel->instruction_count; i++)
        each_timing(m, i, see_wait);
}

/* Caches and device memory are one port (docs/wcet-proofs.md, Lemma 6). The caches decide for how long a transaction
 * occupies it (caches.h); memory_occupancy only says whether it does at all. */
static void find_memory(struct wcet_model *m)
{
    const struct machine_part *l1 = &m->machine->l1, *l2 = &m->machine->l2, *dram = &m->machine->dram;
    bool caches = !is(l1, "none") || !is(l2, "none");
    m->shared_port = !is(&m->machine->shared, "ideal");
    m->memory_port = caches || !is(dram, "ideal");
    m->memory_occupancy =
        (uint64_t)(part_option(l1, "interval") + part_option(l2, "interval") + part_option(dram, "interval"));
    m->memory_latency =
        (uint64_t)(part_option(l1, "latency") + part_option(l2, "latency") + part_option(dram, "latency"));
    m->dram_interval = (uint64_t)part_option(dram, "interval");
    m->dram_latency = (uint64_t)part_option(dram, "latency");
    m->exact = !caches;
}

/* Finds the lines of the instruction cache that the kernel's instructions are in. A line stays if its set has a way for
 * each line of the kernel that maps to it. */
static bool find_lines(struct wcet_model *m, struct rp_error *err)
{
    const struct machine_part *icache = &m->machine->icache;
    if (is(icache, "perfect"))
        return true;
    uint64_t bytes = (uint64_t)part_option(icache, "line"), ways = 0;
    uint64_t sets = (uint64_t)part_option(icache, "sets");
    uint32_t n = m->kernel->instruction_count;
    uint64_t *lines = calloc(n + 1u, sizeof *lines);
    if (!lines)
        return rp_fail(err, RP_SYSTEM, "out of memory for the instructions of %s", m->kernel->name);
    for (uint32_t i = 0; i < n; i++)
        lines[i] = m->kernel->instructions[i].pc / bytes;
    qsort(lines, n, sizeof *lines, by_value);
    for (uint32_t i = 0; i < n; i++)
        if (!i || lines[i] != lines[i - 1])
            lines[m->line_count++] = lines[i];
    for (uint32_t i = 0; i < n; i++) {
        uint64_t line = m->kernel->instructions[i].pc / bytes;
        const uint64_t *found = bsearch(&line, lines, m->line_count, sizeof line, by_value);
        m->rows[i].line = (uint32_t)(found - lines);
        ways = 0;
        for (uint32_t l = 0; l < m->line_count; l++)
            ways += lines[l] % sets == line % sets;
        m->rows[i].line_stays = ways <= (uint64_t)part_option(icache, "ways");
    }
    m->fetch_latency = (uint64_t)part_option(icache, "latency");
    free(lines);
    return true;
}

static bool is_covered(struct wcet_model *m, struct rp_error *err)
{
    struct wcet_needs needs;
    if (!launch_is_supported(m->kernel, m->launch, false, err))
        return false;
    for (uint32_t i = 0; i < m->kernel->instruction_count; i++)
        if (!instruction_is_supported(m, &m->kernel->instructions[i], err))
            return false;
    wcet_needs_find(&needs, m->machine, m->kernel, m->launch, m->extensions);
    m->assumed = needs.assumed;
    return wcet_needs_nothing(&needs) || wcet_needs_fail(&needs, m->machine, err);
}

bool wcet_model_begin(struct wcet_model *m, const struct machine *machine, const struct rp_kernel *kernel,
                      const struct rp_launch *launch, unsigned extensions, struct rp_error *err)
{
    *m = (struct wcet_model){
        .machine = machine, .kernel = kernel, .launch = launch, .extensions = extensions, .exact = true};
    if (!is_covered(m, err))
        return false;
    find_units(m);
    find_memory(m);
    m->rows = calloc(kernel->instruction_count + 1, sizeof *m->rows);
    m->shared_costs = m->shared_port ? wcet_shared_costs_new() : NULL;
    if (!m->rows || (m->shared_port && !m->shared_costs)) {
        wcet_model_end(m);
        return rp_fail(err, RP_SYSTEM, "out of memory for the instructions of %s", kernel->name);
    }
    for (uint32_t i = 0; i < kernel->instruction_count; i++)
        fill_row(m, i);
    if (!number_registers(m, err) || !find_lines(m, err)) {
        wcet_model_end(m);
        return false;
    }
    find_queues(m);
    return true;
}

void wcet_model_end(struct wcet_model *m)
{
    free(m->rows);
    free(m->slots);
    free(m->shared_costs);
    m->rows = NULL;
    m->shared_costs = NULL;
    m->slots = NULL;
}
