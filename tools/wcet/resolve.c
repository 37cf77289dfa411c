/* Instructions whose times depend on their masks and addresses. */
#include <string.h>

#include "tools/wcet/model.h"

struct lanes {
    rp_lanemask mask;
    uint64_t address[RP_WARP_LANES];
};

static bool unsupported(const struct wcet_model *m, const struct rp_step *step, const char *why, struct rp_error *err)
{
    return rp_fail(err, RP_BAD_INPUT, "kernel %s: instruction %u (%s): %s", m->kernel->name, step->index,
                   step->instruction->text, why);
}

/* Generic addresses become offsets in their space, which must be one and the same for all lanes when it matters. */
static bool one_space(const struct wcet_model *m, struct lanes *lanes, unsigned *space)
{
    unsigned found = RP_SPACE_NONE;
    for (unsigned l = 0; l < RP_WARP_LANES; l++) {
        if (!(lanes->mask >> l & 1))
            continue;
        unsigned s = resolve_generic(m->launch, lanes->address[l], &lanes->address[l]);
        if (found != RP_SPACE_NONE && s != found)
            return false;
        found = s;
    }
    *space = found;
    return true;
}

static void through_shared(const struct wcet_model *m, const struct lanes *lanes, uint32_t width, struct wcet_op *op)
{
    const struct shared_memory_model *model = (const struct shared_memory_model *)m->machine->shared.model;
    struct shared_memory_access access = {lanes->mask, width, lanes->address};
    struct shared_memory_cost cost;
    model->cost(m->machine->shared.options, &access, &cost);
    op->port = WCET_PORT_SHARED;
    op->occupancy = op->fixed = cost.occupancy;
    op->waits = cost.occupancy > 0;
    op->duration = cost.duration;
}

/* n transactions that arrive together at a device memory with an interval between two: the last is answered
 * (n - 1) intervals after the first. With caches this is what a miss of all of them takes if no interval is above 0;
 * else wcet_caches_charge says it. */
static void through_memory(const struct wcet_model *m, const struct lanes *lanes, uint32_t width, struct wcet_op *op,
                           struct wcet_transactions *list)
{
    const struct coalescer_model *model = (const struct coalescer_model *)m->machine->coalescer.model;
    struct coalescer_access access = {lanes->mask, width, lanes->address};
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
    struct lanes lanes = {.mask = step->accesses[o].pattern->mask};
    unsigned space = memory->space;
    bool shared = strcmp(m->machine->shared.model->name, "ideal");
    if (!lanes.mask || space == RP_SPACE_NONE || (!shared && !m->memory_port))
        return true;
    rp_access_addresses(&step->accesses[o], lanes.address);
    if (space == RP_SPACE_GENERIC && !one_space(m, &lanes, &space))
        return unsupported(m, step, "a generic access reaches several spaces at once; this is not covered", err);
    enum path path = path_of_space(space);
    if (path == PATH_CONSTANT || !(path == PATH_SHARED ? shared : m->memory_port))
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
        through_shared(m, &lanes, memory->width, op);
    else
        through_memory(m, &lanes, memory->width, op, list);
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
        const struct machine_timing *t = &m->machine->spaces[timing_space(m->launch, in, step)];
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
