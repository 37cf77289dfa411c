/* Instructions whose times depend on their masks and addresses. */
#include <stdlib.h>
#include <string.h>

#include "replay/base/access_key.h"
#include "replay/base/cluster.h"
#include "tools/wcet/model.h"

#define SHARED_COSTS 1024u /* entries of the table, a power of two */

struct wcet_shared_cost {
    struct access_key key;
    struct shared_memory_cost cost;
    struct kept_offsets offsets;
};

struct wcet_shared_cost *wcet_shared_costs_new(void) { return calloc(SHARED_COSTS, sizeof(struct wcet_shared_cost)); }

static bool unsupported(const struct wcet_model *m, const struct rp_step *step, const char *why, struct rp_error *err)
{
    return rp_fail(err, RP_BAD_INPUT, "kernel %s: instruction %u (%s): %s", m->kernel->name, step->index,
                   step->instruction->text, why);
}

/* Resolves a generic access, whose lanes must all be in one space; its base becomes the offset there. */
static bool one_space(const struct wcet_model *m, struct rp_dynamic_access *a, unsigned *space)
{
    uint64_t address[RP_WARP_LANES], base = 0, offset;
    unsigned found = RP_SPACE_NONE;
    rp_access_addresses(a, address);
    for (rp_lanemask left = a->pattern->mask; left; left &= left - 1) {
        unsigned s = resolve_generic(m->launch, address[__builtin_ctz(left)], &offset);
        if (found != RP_SPACE_NONE && s != found)
            return false;
        base = found == RP_SPACE_NONE ? offset : base;
        found = s;
    }
    a->base = base;
    *space = found;
    return true;
}

static struct shared_memory_cost shared_cost(const struct wcet_model *m, const struct rp_dynamic_access *a,
                                             const struct rp_memory_operand *o)
{
    const struct shared_memory_model *model = (const struct shared_memory_model *)m->machine->shared.model;
    struct access_key key = access_key_of(a->pattern, a->base, model->period, o->width, is_atomic(o));
    struct wcet_shared_cost *kept = &m->shared_costs[access_key_index(&key, a->pattern, SHARED_COSTS)];
    if (!access_key_same(&kept->key, &kept->offsets, &key, a->pattern)) {
        uint64_t address[RP_WARP_LANES];
        rp_access_addresses(a, address);
        struct shared_memory_access access = {a->pattern->mask, o->width, address, is_atomic(o)};
        model->cost(m->machine->shared.options, &access, &kept->cost);
        kept->key = key;
        access_key_keep_offsets(&kept->offsets, a->pattern);
    }
    return kept->cost;
}

static void through_shared(const struct wcet_model *m, const struct rp_dynamic_access *a,
                           const struct rp_memory_operand *o, struct wcet_op *op)
{
    struct shared_memory_cost cost = shared_cost(m, a, o);
    op->port = WCET_PORT_SHARED;
    op->occupancy = op->fixed = cost.occupancy;
    op->waits = cost.occupancy > 0;
    op->duration = cost.duration;
}

/* n transactions arrive together at a device memory that serves one per interval: the last response comes n - 1
 * intervals after the first. With caches, and all intervals 0, this is the time of n misses; with other intervals
 * wcet_caches_charge() computes it. */
static void through_memory(const struct wcet_model *m, const struct rp_dynamic_access *a, uint32_t width,
                           struct wcet_op *op, struct wcet_transactions *list)
{
    const struct coalescer_model *model = (const struct coalescer_model *)m->machine->coalescer.model;
    uint64_t address[RP_WARP_LANES];
    rp_access_addresses(a, address);
    struct coalescer_access access = {a->pattern->mask, width, address};
    uint64_t count = list->count = model->coalesce(m->machine->coalescer.options, &access, list->address);
    op->port = WCET_PORT_DRAM;
    op->occupancy = op->fixed = (uint32_t)(count * m->memory_occupancy);
    op->waits = op->occupancy > 0;
    op->duration = (uint32_t)(m->memory_latency + (count - m->exact) * m->memory_occupancy);
}

static bool operand(const struct wcet_model *m, const struct rp_step *step, uint32_t o, struct wcet_op *op,
                    struct wcet_transactions *list, struct rp_error *err)
{
    const struct rp_memory_operand *memory = &step->instruction->memory[o];
    struct rp_dynamic_access access = step->accesses[o];
    unsigned space = memory->space;
    if (!access.pattern->mask || space == RP_SPACE_NONE || (!m->shared_port && !m->memory_port))
        return true;
    if (space == RP_SPACE_GENERIC && !one_space(m, &access, &space))
        return unsupported(m, step, "a generic access reaches several spaces at once; this is not covered", err);
    enum path path = path_of_space(space);
    if (path == PATH_CONSTANT || !(path == PATH_SHARED ? m->shared_port : m->memory_port))
        return true;
    if (op->port != WCET_NO_PORT)
        return unsupported(m, step, "two memory operands both take time at a port; this is not covered", err);
    if (op->unit != m->machine->spaces[space].unit)
        return unsupported(m, step, "it reaches memory through a unit that others do not take; this is not covered",
                           err);
    if (path == PATH_CACHES && (m->memory_occupancy || !m->exact) &&
        op->initiation != m->machine->spaces[space].initiation)
        return unsupported(
            m, step, "it comes to memory later or earlier than others that issue with it; this is not covered", err);
    if (path == PATH_SHARED)
        through_shared(m, &access, memory, op);
    else
        through_memory(m, &access, memory->width, op, list);
    list->kind = cache_kind_of(memory);
    list->through_l1 = !bypasses_l1(memory);
    list->local = space == RP_SPACE_LOCAL;
    return space != RP_SPACE_LOCAL || !op->occupancy ||
           unsupported(m, step, "local memory that serves transactions one by one is not covered", err);
}

bool wcet_resolve(const struct wcet_model *m, const struct rp_step *step, struct wcet_op *op,
                  struct wcet_transactions *list, struct rp_error *err)
{
    const struct rp_instruction *in = step->instruction;
    *op = m->rows[step->index].op;
    if (in->unit_class == RP_CLASS_MEMORY) {
        const struct machine_timing *t = &m->machine->spaces[timing_space(m->launch, 0, in, step)];
        op->unit = t->unit;
        op->initiation = t->initiation;
        op->latency = t->latency;
    }
    if (!step->executed) {
        op->latency = 0;
        op->memory = false;
        return true;
    }
    for (uint32_t o = 0; o < in->memory_count; o++)
        if (!operand(m, step, o, op, list, err))
            return false;
    return true;
}
