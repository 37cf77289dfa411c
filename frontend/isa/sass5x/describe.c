/* Completes static instructions: what only this generation has. */
#include <string.h>

#include "frontend/isa/sass5x/lower.h"

/* The barriers that DEPBAR waits for, in addition to those of its control bits. */
static uint64_t awaited(const struct sass_lowering *l)
{
    bool counts = strcmp(l->row->semantic, "DEPBAR.LE") == 0;
    if (!counts && strcmp(l->row->semantic, "DEPBAR") != 0)
        return 0;
    return RP_CONTROL_ALSO_WAIT(bits(l, 0, 6)) | (counts ? RP_CONTROL_COUNT(bits(l, 26, 3), bits(l, 20, 6)) : 0);
}

static uint16_t flags_of(const struct sass_lowering *l)
{
    static const struct {
        const char *semantic;
        uint16_t flags;
    } known[] = {{"BRA", RP_BRANCH},  {"BRX", RP_BRANCH}, {"SYNC", RP_BRANCH}, {"BRK", RP_BRANCH},
                 {"CONT", RP_BRANCH}, {"JMP", RP_BRANCH}, {"JMX", RP_BRANCH},  {"CAL", RP_CALL},
                 {"JCAL", RP_CALL},   {"RET", RP_RETURN}, {"EXIT", RP_EXIT}};
    unsigned flags = 0;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(l->row->semantic, known[i].semantic) == 0)
            flags |= known[i].flags;
    if (flags & RP_BRANCH && strcmp(l->row->semantic, "BRA") == 0 && bit(l, 7))
        flags |= RP_UNIFORM_BRANCH;
    return (uint16_t)flags;
}

static uint8_t class_of(const struct sass_lowering *l)
{
    bool wide = l->row->unit_class == RP_CLASS_CONVERT && (bits(l, 8, 2) == 3 || bits(l, 10, 2) == 3);
    if (strcmp(l->row->semantic, "I2F") == 0)
        wide = bits(l, 8, 2) == 3;
    if (strcmp(l->row->semantic, "F2I") == 0)
        wide = bits(l, 10, 2) == 3;
    return wide ? RP_CLASS_CONVERT64 : l->row->unit_class;
}

void sass5x_describe(const struct sass_lowering *l, struct rp_instruction *out)
{
    static const uint8_t scopes[4] = {RP_SCOPE_CTA, RP_SCOPE_GPU, RP_SCOPE_SYSTEM, RP_SCOPE_SYSTEM};
    out->control |= awaited(l);
    out->unit_class = class_of(l);
    out->flags |= flags_of(l);
    if (out->unit_class == RP_CLASS_FENCE)
        out->fence_scope = scopes[bits(l, 8, 2)];
}
