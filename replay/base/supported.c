#include "replay/base/supported.h"

#include "replay/base/cluster.h"
#include "replay/base/source_location.h"

/* Whether the trace describes what the instruction does with the operand, beside its addresses. */
static bool is_described(const struct rp_instruction *in, const struct rp_memory_operand *o)
{
    if (o->kind == RP_ACCESS_OBJECT)
        return o->object != RP_OBJECT_UNKNOWN && (o->object != RP_OBJECT_TEST || in->memory_count == 1);
    return in->async.kind != RP_ASYNC_NONE && in->async.role <= RP_ASYNC_SIGNAL;
}

static bool instructions_are_covered(const struct rp_kernel *k, bool all, struct rp_error *err)
{
    for (uint32_t i = 0; i < k->instruction_count; i++) {
        const struct rp_instruction *in = &k->instructions[i];
        for (uint32_t m = 0; m < in->memory_count; m++) {
            if (!rp_operand_aux_count(&in->memory[m]) || (all && is_described(in, &in->memory[m])))
                continue;
            char location[LOCATION_BYTES];
            instruction_location(k, i, location);
            return rp_fail(
                err, RP_BAD_INPUT, "%s: %s", location,
                all ? "the trace does not tell what is done with the barrier object or bulk copy; "
                      "record it again"
                    : "there is no model of barrier objects and bulk copies here; 'reprise replay' has one, on "
                      "machines with pipeline 'direct' and memory 'hierarchy', such as h100");
        }
    }
    return true;
}

bool launch_is_supported(const struct rp_kernel *k, const struct rp_launch *l, bool all, struct rp_error *err)
{
    const char *what = in_clusters(l)          ? "its blocks run in clusters"
                       : cluster_matters(k, l) ? "it has the barrier of a cluster"
                       : launch_meets(k, l)    ? "it has a barrier of all its blocks"
                                               : NULL;
    if (!all && what)
        return rp_fail(err, RP_BAD_INPUT,
                       "kernel %s: %s; there is no model of that here; 'reprise replay' has one, on machines with "
                       "pipeline 'direct' and memory 'hierarchy', such as h100",
                       k->name, what);
    return instructions_are_covered(k, all, err);
}
