/* What static instructions have besides what every generation's have. */
#include <string.h>

#include "frontend/isa/sass7x/lower.h"

/* What DEPBAR waits for besides its control bits. */
static uint64_t awaited(const struct sass_lowering *l)
{
    if (strcmp(l->row->semantic, "DEPBAR") != 0 || has_uniform_source(l))
        return 0;
    bool counts = bit(l, 47);
    return RP_CONTROL_ALSO_WAIT(bits(l, 32, 6)) | (counts ? RP_CONTROL_COUNT(bits(l, 44, 3), bits(l, 38, 6)) : 0);
}

static uint16_t flags_of(const struct sass_lowering *l)
{
    static const struct {
        const char *semantic;
        uint16_t flags;
    } known[] = {{"BRA", RP_BRANCH}, {"BRX", RP_BRANCH},          {"BRXU", RP_BRANCH}, {"JMP", RP_BRANCH},
                 {"JMX", RP_BRANCH}, {"JMXU", RP_BRANCH},         {"CALL", RP_CALL},   {"RET", RP_RETURN},
                 {"EXIT", RP_EXIT},  {"ENDCOLLECTIVE", RP_BRANCH}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(l->row->semantic, known[i].semantic) == 0)
            return known[i].flags;
    return 0;
}

/* What is converted in a fixed time (I2FP, F2FP) is no work of the unit that converts the rest, and integer operations
 * whose time is not fixed (POPC, FLO, BREV) are. */
static uint8_t class_of(const struct sass_lowering *l)
{
    bool is_fixed = l->row->latency == LATENCY_FIXED;
    uint8_t given = l->row->unit_class;
    if (given == RP_CLASS_CONVERT && is_fixed)
        return RP_CLASS_INT;
    return given == RP_CLASS_INT && !is_fixed ? RP_CLASS_CONVERT : given;
}

void sass7x_describe(const struct sass_lowering *l, struct rp_instruction *out)
{
    enum { BRANCH_UNIFORM = 1 };
    static const uint8_t scopes[8] = {RP_SCOPE_CTA, RP_SCOPE_CTA, RP_SCOPE_GPU, RP_SCOPE_SYSTEM,
                                      RP_SCOPE_GPU, RP_SCOPE_GPU, RP_SCOPE_GPU, RP_SCOPE_GPU};
    out->control |= awaited(l);
    out->unit_class = class_of(l);
    out->flags |= flags_of(l);
    if (strcmp(l->row->semantic, "BRA") == 0 && bits(l, 32, 2) == BRANCH_UNIFORM)
        out->flags |= RP_UNIFORM_BRANCH;
    if (out->unit_class == RP_CLASS_FENCE)
        out->fence_scope = scopes[bits(l, 76, 3)];
}
