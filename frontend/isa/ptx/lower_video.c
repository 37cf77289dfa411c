/* Scalar video instructions (PTX ISA, section of that name). */
#include <string.h>

#include "frontend/core/lanes/lanes.h"
#include "frontend/isa/ptx/lower.h"

static uint8_t operation(const struct ptx_form *form)
{
    static const char *const names[] = {
        [VADD] = "vadd", [VSUB] = "vsub", [VABSDIFF] = "vabsdiff", [VMIN] = "vmin", [VMAX] = "vmax",
        [VSHL] = "vshl", [VSHR] = "vshr", [VMAD] = "vmad",         [VSET] = "vset"};
    uint8_t op = 0;
    while (strcmp(names[op], form->opcode) != 0)
        op++;
    return op;
}

/* Sets the second operation, or the part of d that gets the result. With either there is a third operand c. */
static void set_second(struct lowering *l, struct operation *u)
{
    const struct ptx_instruction *in = l->in;
    const struct ptx_operand *d = &in->operands[0];
    bool third = in->operand_count == 4;
    u->detail[VIDEO_SECOND] = mods_have(&in->mods, M_ADD)   ? VIDEO_ADD
                              : mods_have(&in->mods, M_MIN) ? VIDEO_MIN
                              : mods_have(&in->mods, M_MAX) ? VIDEO_MAX
                                                            : VIDEO_NONE;
    u->detail[VIDEO_SELECT_D] = d->select;
    if (u->detail[VIDEO_SECOND] && d->select)
        ptx_error(l->src, d->at, "a part of the destination and a second operation exclude each other");
    if (third != (u->detail[VIDEO_SECOND] || d->select))
        ptx_error(l->src, in->at, "a third source goes with .add, .min, .max or a part of the destination%s",
                  third ? "" : ", and is missing");
}

static void set_product(struct lowering *l, struct operation *u)
{
    const struct ptx_instruction *in = l->in;
    static const uint32_t negations[] = {0, UF_NEGATE_A, UF_NEGATE_B, UF_NEGATE_C};
    bool plus_one = mods_have(&in->mods, M_PO);
    for (unsigned i = 1; i < 4; i++)
        u->flags |= in->operands[i].negated ? negations[i] : 0;
    if (plus_one && u->flags & (UF_NEGATE_A | UF_NEGATE_B | UF_NEGATE_C))
        ptx_error(l->src, in->at, ".po excludes negated sources");
    if (u->flags & UF_NEGATE_C && u->flags & (UF_NEGATE_A | UF_NEGATE_B))
        ptx_error(l->src, in->at, "either the product or the third source is negated");
    if (in->operands[0].select || in->operands[3].select)
        ptx_error(l->src, in->at, "vmad takes parts of its first two sources only");
    u->detail[VIDEO_FLAGS] |= plus_one ? VIDEO_PLUS_ONE : 0;
    u->detail[VIDEO_SCALE] = (uint8_t)mods_value(&in->mods, G_SCALE, 0);
}

void lower_video(struct lowering *l)
{
    const struct ptx_instruction *in = l->in;
    struct operation u = {.kind = UOP_LANE, .op = OP_VIDEO, .type = T_U32};
    u.detail[VIDEO_OP] = operation(in->form);
    bool compares = u.detail[VIDEO_OP] == VSET;
    const uint8_t *types = in->mods.types + !compares; /* types of a and b; the result of a comparison is unsigned */
    if (!compares)
        u.type = ptx_types[in->mods.types[0]].lane;
    u.compare = (uint8_t)mods_value(&in->mods, G_COMPARE, 0);
    u.flags = (uint32_t)(mods_value(&in->mods, G_SAT, 0) | mods_value(&in->mods, G_CLAMP, 0));
    u.detail[VIDEO_FLAGS] = (types[0] == PT_S32 ? VIDEO_SIGNED_A : 0) | (types[1] == PT_S32 ? VIDEO_SIGNED_B : 0);
    u.detail[VIDEO_SELECT_A] = in->operands[1].select;
    u.detail[VIDEO_SELECT_B] = in->operands[2].select;
    if (u.detail[VIDEO_OP] == VMAD)
        set_product(l, &u);
    else
        set_second(l, &u);
    for (uint32_t i = 1; i < in->operand_count; i++)
        if (in->operands[i].negated && u.detail[VIDEO_OP] != VMAD)
            ptx_error(l->src, in->operands[i].at, "only vmad negates its sources");
    u.a = source(l, &in->operands[1], (enum ptx_type)types[0]);
    u.b = source(l, &in->operands[2], (enum ptx_type)types[1]);
    if (in->operand_count == 4)
        u.c = source(l, &in->operands[3], PT_U32);
    enum ptx_type type = compares ? PT_U32 : (enum ptx_type)in->mods.types[0];
    u.d = destination(l, &in->operands[0], type);
    emit(l, u);
    finish_destination(l, &in->operands[0], type, u.d);
}
