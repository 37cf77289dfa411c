/* Instructions that become one UOP_LANE, and mov and cvt. */
#include <string.h>

#include "frontend/isa/ptx/check.h"
#include "frontend/isa/ptx/lower.h"
#include "frontend/isa/ptx/special.h"

static uint32_t flag_values(const struct ptx_modifiers *mods, bool compares)
{
    static const enum ptx_group groups[] = {G_FTZ,  G_SAT,   G_SATFINITE, G_RELU,    G_PRECISION,
                                            G_HALF, G_NAN,   G_ABS,       G_XORSIGN, G_OOB,
                                            G_CC,   G_CLAMP, G_DIRECTION, G_SHIFTAMT};
    uint32_t flags = 0;
    for (unsigned i = 0; i < sizeof groups / sizeof *groups; i++)
        if (!(compares && groups[i] == G_HALF))
            flags |= (uint32_t)mods_value(mods, groups[i], 0);
    return flags;
}

static uint8_t comparison(const struct ptx_modifiers *mods)
{
    if (mods_have(mods, M_LO))
        return CMP_LO;
    if (mods_have(mods, M_HI))
        return CMP_HI;
    return (uint8_t)mods_value(mods, G_COMPARE, CMP_EQ);
}

static uint8_t combination(const struct ptx_modifiers *mods)
{
    if (mods_have(mods, M_AND))
        return COMBINE_AND;
    if (mods_have(mods, M_OR))
        return COMBINE_OR;
    return mods_have(mods, M_XOR) ? COMBINE_XOR : COMBINE_NONE;
}

static int64_t mode_of(uint8_t op, const struct ptx_modifiers *mods)
{
    switch (op) {
    case OP_TESTP: return mods_value(mods, G_TESTP, 0);
    case OP_PRMT: return mods_value(mods, G_PRMT, PRMT_DEFAULT);
    case OP_SHFL: return mods_value(mods, G_SHUFFLE, 0);
    case OP_VOTE: return mods_have(mods, M_UNI) ? VOTE_UNI : mods_value(mods, G_VOTE, VOTE_ALL);
    case OP_MATCH: return mods_have(mods, M_ALL);
    case OP_CVT_PACK: return ptx_types[mods->types[0]].bits;
    case OP_REDUX: return mods_value(mods, G_OPERATION, RP_ATOMIC_ADD);
    default: return 0;
    }
}

static struct operation lane_uop(const struct ptx_instruction *in, uint8_t op)
{
    const struct ptx_modifiers *mods = &in->mods;
    bool compares = op == OP_SETP || op == OP_SET;
    struct operation u = {.kind = UOP_LANE, .op = op};
    if (mods->type_count) {
        u.type = ptx_types[mods->types[0]].lane;
        u.stype = ptx_types[mods->types[mods->type_count > 1]].lane;
    }
    u.flags = flag_values(mods, compares);
    u.rounding = (uint8_t)mods_value(mods, G_ROUND, ROUND_DEFAULT);
    if (compares)
        u.compare = comparison(mods);
    if (compares || op == OP_LOP3)
        u.combine = combination(mods);
    u.imm = mode_of(op, mods);
    if (op == OP_CVT_PACK)
        u.type = ptx_types[mods->types[0]].kind == 'S' ? T_S32 : T_U32;
    return u;
}

static void further_source(struct lowering *l, struct operation *u, struct operand o)
{
    if (!u->lists[0].at)
        u->lists[0].at = ARENA_ARRAY(l->arena, struct operand, MAX_OPERANDS);
    u->lists[0].at[u->lists[0].count++] = o;
}

static struct operand predicate_destination(const struct ptx_operand *o)
{
    return o->kind == PO_REGISTER ? register_operand(o->reg) : OPERAND_NONE;
}

static void set_source(struct lowering *l, struct operation *u, const struct operand_form *form,
                       const struct ptx_operand *o)
{
    enum ptx_type type = ptx_operand_type(form, &l->in->mods);
    switch (form->role) {
    case 'a': u->a = source(l, o, type); break;
    case 'b': u->b = source(l, o, type); break;
    case 'c': u->c = source(l, o, type); break;
    case 'l': further_source(l, u, source(l, o, type)); break;
    case 'p': u->p = predicate_source(l, o, &u->p_flip); break;
    case 'i': u->imm = l->in->form->op == OP_LOP3 ? (uint8_t)o->value : o->value; break; /* as ptxas: lop3's table */
    default: break;
    }
}

void lower_lanes(struct lowering *l, uint32_t extra_flags)
{
    const struct ptx_instruction *in = l->in;
    struct operation u = lane_uop(in, in->form->op);
    const struct ptx_operand *result = NULL;
    enum ptx_type type = PT_NONE;
    u.flags |= extra_flags;
    for (uint32_t i = 0; i < in->operand_count; i++)
        set_source(l, &u, &in->form->operands[i], &in->operands[i]);
    for (uint32_t i = 0; i < in->operand_count; i++) {
        const struct operand_form *form = &in->form->operands[i];
        const struct ptx_operand *o = &in->operands[i], *second = NULL;
        if (o->kind == PO_PAIR) {
            second = &o->elements[1];
            o = &o->elements[0];
        }
        if (form->role == 'q') {
            u.pd = predicate_destination(o);
            u.pd2 = second ? predicate_destination(second) : u.pd2;
        } else if (form->role == 'd') {
            result = o;
            type = ptx_operand_type(form, &in->mods);
            if (type == PT_PRED)
                u.d = o->kind == PO_REGISTER ? register_operand(o->reg) : temporary(l, type);
            else
                u.d = destination(l, o, type);
            u.pd = second ? predicate_destination(second) : u.pd;
        }
    }
    emit(l, u);
    if (result && type != PT_PRED)
        finish_destination(l, result, type, u.d);
}

/* ---- mov ---- */

static enum ptx_type part_type(enum ptx_type whole, uint32_t parts)
{
    switch (ptx_types[whole].bits / parts) {
    case 8: return PT_B8;
    case 16: return PT_B16;
    case 32: return PT_B32;
    default: return PT_B64;
    }
}

static void lower_pack(struct lowering *l, const struct ptx_operand *d, const struct ptx_operand *a, enum ptx_type type)
{
    enum ptx_type part = part_type(type, a->count);
    struct operation u = {.kind = UOP_LANE, .op = OP_PACK, .type = ptx_types[type].lane, .stype = ptx_types[part].lane};
    u.lists[0].at = ARENA_ARRAY(l->arena, struct operand, a->count);
    u.lists[0].count = a->count;
    for (uint32_t i = 0; i < a->count; i++)
        u.lists[0].at[i] = source(l, &a->elements[i], part);
    u.d = destination(l, d, type);
    emit(l, u);
}

static void lower_unpack(struct lowering *l, const struct ptx_operand *d, const struct ptx_operand *a,
                         enum ptx_type type)
{
    enum ptx_type part = part_type(type, d->count);
    struct operation u = {
        .kind = UOP_LANE, .op = OP_UNPACK, .type = ptx_types[type].lane, .stype = ptx_types[part].lane};
    u.a = source(l, a, type);
    u.lists[0].at = ARENA_ARRAY(l->arena, struct operand, d->count);
    u.lists[0].count = d->count;
    for (uint32_t i = 0; i < d->count; i++)
        u.lists[0].at[i] = predicate_destination(&d->elements[i]);
    emit(l, u);
}

void lower_move(struct lowering *l)
{
    const struct ptx_operand *d = &l->in->operands[0], *a = &l->in->operands[1];
    enum ptx_type type = (enum ptx_type)l->in->mods.types[0];
    if (a->kind == PO_VECTOR && d->kind == PO_VECTOR)
        ptx_error(l->src, a->at, "mov packs or unpacks, not both");
    if (a->kind == PO_VECTOR)
        lower_pack(l, d, a, type);
    else if (d->kind == PO_VECTOR)
        lower_unpack(l, d, a, type);
    else if (!emit_special(l, d, a, type))
        lower_lanes(l, 0);
}

/* Element i of a vector of registers and numbers, or of a special register that is a vector. */
static struct ptx_operand element_of(struct lowering *l, const struct ptx_operand *o, uint32_t i, uint32_t count)
{
    if (o->kind == PO_VECTOR)
        return o->elements[i];
    if (o->kind != PO_SPECIAL || ptx_special((int)o->value)->special != SPECIAL_VECTOR || count != SPECIAL_MEMBERS)
        ptx_error(l->src, o->at, "a vector of %u belongs here", count);
    struct ptx_operand member = *o;
    member.value += 1 + i;
    return member;
}

static struct operand lane_move(struct lowering *l, enum ptx_type type, struct operand d, struct operand a)
{
    uint8_t lane = ptx_types[type].lane;
    emit(l, (struct operation){.kind = UOP_LANE, .op = OP_MOV, .type = lane, .stype = lane, .d = d, .a = a});
    return d;
}

/* Reads all elements before it writes any. */
void lower_move_vector(struct lowering *l)
{
    const struct ptx_operand *d = &l->in->operands[0];
    enum ptx_type type = (enum ptx_type)l->in->mods.types[0];
    uint32_t count = (uint32_t)mods_value(&l->in->mods, G_VECTOR, 1);
    struct operand from[SPECIAL_MEMBERS];
    if (d->kind != PO_VECTOR)
        ptx_error(l->src, d->at, "a vector of %u belongs here", count);
    for (uint32_t i = 0; i < count; i++) {
        struct ptx_operand a = element_of(l, &l->in->operands[1], i, count);
        from[i] = source(l, &a, type);
        if (a.kind == PO_REGISTER)
            from[i] = lane_move(l, type, temporary(l, type), from[i]);
    }
    for (uint32_t i = 0; i < count; i++)
        lane_move(l, type, destination(l, &d->elements[i], type), from[i]);
}

/* ---- cvt ---- */

/* PTX ISA "cvt": checks that conversions that need a rounding modifier have one. */
static void check_rounding(struct lowering *l, enum ptx_type d, enum ptx_type a)
{
    bool to_float = ptx_types[d].kind == 'F', from_float = ptx_types[a].kind == 'F';
    int rounding = mods_value(&l->in->mods, G_ROUND, ROUND_DEFAULT);
    bool integral = rounding & ROUND_INTEGER;
    const char *dn = ptx_types[d].name, *an = ptx_types[a].name;
    bool narrows = to_float && from_float && ptx_types[d].bits < ptx_types[a].bits;
    if (rounding == ROUND_DEFAULT && (narrows || (to_float && !from_float)))
        ptx_error(l->src, l->in->at, "cvt from .%s to .%s needs a rounding: .rn .rz .rm or .rp", an, dn);
    if (rounding == ROUND_DEFAULT && from_float && !to_float)
        ptx_error(l->src, l->in->at, "cvt from .%s to .%s needs a rounding: .rni .rzi .rmi or .rpi", an, dn);
    if (rounding != ROUND_DEFAULT && !from_float && (!to_float || integral))
        ptx_error(l->src, l->in->at, "cvt from .%s to .%s does not round this way", an, dn);
    if (rounding != ROUND_DEFAULT && !integral && from_float && !to_float)
        ptx_error(l->src, l->in->at, "cvt from .%s to .%s rounds to integers: .rni .rzi .rmi or .rpi", an, dn);
}

void lower_convert(struct lowering *l)
{
    enum ptx_type d = (enum ptx_type)l->in->mods.types[0], a = (enum ptx_type)l->in->mods.types[1];
    if (d != PT_TF32)
        check_rounding(l, d, a);
    lower_lanes(l, 0);
}
