#include <string.h>

#include "frontend/isa/ptx/layout.h"
#include "frontend/isa/ptx/lower.h"
#include "frontend/isa/ptx/special.h"

struct operand constant(struct lowering *l, uint64_t bits, unsigned size)
{
    return constants_equal(&l->constants, l->arena, bits, size);
}

/* ---- registers ---- */

unsigned element_bytes(enum ptx_type type)
{
    unsigned bits = ptx_types[type].bits;
    return type == PT_PRED ? 0 : bits <= 16 ? 2 : bits / 8;
}

struct operand register_operand(uint32_t reg) { return OPERAND_REGISTER(reg); }

struct operand temporary(struct lowering *l, enum ptx_type type)
{
    VECTOR_PUSH(l->arena, &l->element, (uint8_t)element_bytes(type));
    return register_operand(l->element.count - 1);
}

enum ptx_type register_type(const struct lowering *l, const struct ptx_operand *o)
{
    return (enum ptx_type)l->function->registers.at[o->reg].type;
}

struct operation *emit(struct lowering *l, struct operation u)
{
    if (l->in->guard != PTX_NO_REGISTER) {
        u.guard = register_operand(l->in->guard);
        u.guard_flip = l->in->guard_negated ? ~0u : 0;
    }
    u.index = l->index;
    if (!l->started)
        u.flags |= UF_FIRST;
    l->started = true;
    VECTOR_PUSH(l->arena, &l->operations, u);
    return &l->operations.at[l->operations.count - 1];
}

static enum ptx_type integer_type(unsigned bytes, bool is_signed)
{
    switch (bytes) {
    case 2: return is_signed ? PT_S16 : PT_U16;
    case 4: return is_signed ? PT_S32 : PT_U32;
    case 8: return is_signed ? PT_S64 : PT_U64;
    default: return PT_B128;
    }
}

void emit_resize(struct lowering *l, struct operand to, enum ptx_type to_type, struct operand from,
                 enum ptx_type from_type)
{
    bool is_signed = ptx_types[from_type].kind == 'S';
    enum ptx_type type = integer_type(element_bytes(to_type), is_signed);
    enum ptx_type stype =
        ptx_types[from_type].bits == 8 ? from_type : integer_type(element_bytes(from_type), is_signed);
    if (type == PT_B128 || stype == PT_B128)
        not_covered(l, l->in->at, "a 128-bit register where a narrower value belongs");
    emit(l, (struct operation){.kind = UOP_LANE,
                               .op = OP_CVT,
                               .type = ptx_types[type].lane,
                               .stype = ptx_types[stype].lane,
                               .d = to,
                               .a = from});
}

struct operand lane_result(struct lowering *l, uint8_t op, enum ptx_type type, struct operand a, struct operand b)
{
    struct operand d = temporary(l, type);
    uint8_t lane = ptx_types[type].lane;
    emit(l, (struct operation){.kind = UOP_LANE, .op = op, .type = lane, .stype = lane, .d = d, .a = a, .b = b});
    return d;
}

/* ---- addresses of variables ---- */

uint64_t variable_address(struct lowering *l, struct ptx_variable *v, uint32_t at, uint8_t *space, bool *in_frame)
{
    *space = v->space;
    *in_frame =
        (v->space == RP_SPACE_LOCAL && !v->is_shared_local) || (v->space == RP_SPACE_PARAM && !v->is_entry_param);
    if (v->space == RP_SPACE_SHARED)
        return v->offset;
    if (v->is_extern)
        ptx_error(l->src, at, "'%s' is declared .extern, and this module does not define it", v->name);
    if (*in_frame) {
        bool is_param = v->space == RP_SPACE_PARAM, formal = false;
        *space = RP_SPACE_LOCAL;
        const struct ptx_signature *s = &l->function->signature;
        for (uint32_t i = 0; is_param && !v->bound && i < s->result_count; i++)
            formal |= s->results[i] == v;
        for (uint32_t i = 0; is_param && !v->bound && i < s->param_count; i++)
            formal |= s->params[i] == v;
        if (is_param && !v->bound && !v->has_home && !formal)
            ptx_error(l->src, at, "'%s' is never passed to a call", v->name);
    }
    return v->offset;
}

/* The address of a variable or function as a value. */
static struct operand address_value(struct lowering *l, const struct ptx_operand *o, enum ptx_type type)
{
    unsigned size = element_bytes(type);
    if (o->kind == PO_FUNCTION)
        return constant(l, ptx_address(o->function), size);
    uint8_t space;
    bool in_frame;
    uint64_t at = variable_address(l, o->variable, o->at, &space, &in_frame) + (uint64_t)o->value;
    at += o->generic ? ptx_generic_base(space) : 0;
    if (!in_frame)
        return constant(l, at, size);
    struct operand t = temporary(l, type);
    emit(l, (struct operation){
                .kind = UOP_LANE, .op = OP_FRAME, .type = size == 4 ? T_U32 : T_U64, .d = t, .imm = (int64_t)at});
    return t;
}

/* mov.b16 takes the lower half of an address. */
static struct operand low_address(struct lowering *l, const struct ptx_operand *o)
{
    struct operand address = address_value(l, o, PT_U32), low = temporary(l, PT_U16);
    emit_resize(l, low, PT_U16, address, PT_U32);
    return low;
}

/* ---- sources ---- */

/* Whether the operand is a register with elements of this width. */
static bool fits(const struct lowering *l, const struct ptx_operand *o, enum ptx_type type)
{
    return o->kind == PO_REGISTER && element_bytes(register_type(l, o)) == element_bytes(type);
}

/* A predicate: whether the special register is not 0. */
static struct operand special_predicate(struct lowering *l, enum special which)
{
    struct operand t = temporary(l, PT_U32), p = temporary(l, PT_PRED);
    emit(l, (struct operation){.kind = UOP_LANE, .op = OP_SPECIAL, .type = T_U32, .d = t, .imm = which});
    emit(l, (struct operation){.kind = UOP_LANE,
                               .op = OP_SETP,
                               .type = T_U32,
                               .stype = T_U32,
                               .compare = CMP_NE,
                               .pd = p,
                               .a = t,
                               .b = constant(l, 0, 4)});
    return p;
}

static struct operand special_value(struct lowering *l, const struct ptx_operand *o, enum ptx_type type)
{
    const struct ptx_special *s = ptx_special((int)o->value);
    if (s->special == SPECIAL_VECTOR)
        ptx_error(l->src, o->at, "%s is a vector, which mov.v4 takes; one of its members is %s.x", s->name, s->name);
    if (s->special == SPECIAL_CONSTANT)
        return type == PT_PRED ? constant(l, s->constant ? UINT32_MAX : 0, 4)
                               : constant(l, s->constant, element_bytes(type));
    if (s->depends_on_time)
        l->order |= ORDER_CLOCK;
    if (s->type == PT_PRED)
        return special_predicate(l, (enum special)s->special);
    struct operand t = temporary(l, (enum ptx_type)s->type);
    emit(l, (struct operation){
                .kind = UOP_LANE, .op = OP_SPECIAL, .type = ptx_types[s->type].lane, .d = t, .imm = s->special});
    if (element_bytes((enum ptx_type)s->type) == element_bytes(type))
        return t;
    struct operand resized = temporary(l, type);
    emit_resize(l, resized, type, t, (enum ptx_type)s->type);
    return resized;
}

bool emit_special(struct lowering *l, const struct ptx_operand *d, const struct ptx_operand *a, enum ptx_type type)
{
    const struct ptx_special *s = a->kind == PO_SPECIAL ? ptx_special((int)a->value) : NULL;
    if (!s || s->special < 0 || s->type == PT_PRED || !fits(l, d, type) ||
        element_bytes((enum ptx_type)s->type) != element_bytes(type))
        return false;
    if (s->depends_on_time)
        l->order |= ORDER_CLOCK;
    emit(l, (struct operation){.kind = UOP_LANE,
                               .op = OP_SPECIAL,
                               .type = ptx_types[s->type].lane,
                               .d = register_operand(d->reg),
                               .imm = s->special});
    return true;
}

static uint64_t constant_value(const struct ptx_operand *o, enum ptx_type type)
{
    double d;
    float f;
    uint32_t low = (uint32_t)o->value;
    uint64_t bits;
    if (type != PT_F32 && type != PT_F64)
        return (uint64_t)o->value;
    if (o->kind == PO_SINGLE) {
        if (type == PT_F32)
            return low;
        memcpy(&f, &low, sizeof f);
        d = (double)f;
    } else if (o->kind == PO_FLOAT)
        memcpy(&d, &o->value, sizeof d);
    else
        d = (double)o->value;
    f = (float)d;
    memcpy(&low, &f, sizeof low);
    memcpy(&bits, &d, sizeof bits);
    return type == PT_F32 ? low : bits;
}

struct operand source(struct lowering *l, const struct ptx_operand *o, enum ptx_type type)
{
    if (type == PT_PRED) {
        uint8_t flip = 0;
        return predicate_source(l, o, &flip);
    }
    switch (o->kind) {
    case PO_REGISTER: {
        enum ptx_type have = register_type(l, o);
        if (element_bytes(have) == element_bytes(type))
            return register_operand(o->reg);
        struct operand t = temporary(l, type);
        emit_resize(l, t, type, register_operand(o->reg), have);
        return t;
    }
    case PO_SPECIAL: return special_value(l, o, type);
    case PO_VARIABLE:
    case PO_FUNCTION: return element_bytes(type) == 2 ? low_address(l, o) : address_value(l, o, type);
    case PO_INTEGER:
    case PO_FLOAT:
    case PO_SINGLE:
        if (ptx_types[type].bits > 64)
            not_covered(l, o->at, "a 128-bit constant");
        return constant(l, constant_value(o, type), element_bytes(type));
    default: not_covered(l, o->at, "this operand");
    }
}

struct operand predicate_source(struct lowering *l, const struct ptx_operand *o, uint8_t *flip)
{
    *flip = o->negated;
    if (o->kind == PO_REGISTER)
        return register_operand(o->reg);
    if (o->kind == PO_SPECIAL)
        return special_value(l, o, PT_PRED);
    return constant(l, o->value ? UINT32_MAX : 0, 4);
}

/* ---- destinations ---- */

struct operand destination(struct lowering *l, const struct ptx_operand *o, enum ptx_type type)
{
    return fits(l, o, type) ? register_operand(o->reg) : temporary(l, type);
}

void finish_destination(struct lowering *l, const struct ptx_operand *o, enum ptx_type type, struct operand result)
{
    if (o->kind == PO_REGISTER && !fits(l, o, type))
        emit_resize(l, register_operand(o->reg), register_type(l, o), result, type);
}
