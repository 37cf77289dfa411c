/* cvta, isspacep, mapa and getctarank: windows of the generic address space (frontend/core/program.h). */
#include "frontend/isa/ptx/layout.h"
#include "frontend/isa/ptx/lower.h"

static uint8_t space_of(const struct ptx_instruction *in)
{
    uint8_t space = (uint8_t)mods_value(&in->mods, G_SPACE, RP_SPACE_GENERIC);
    return space == RP_SPACE_SHARED_CLUSTER ? RP_SPACE_SHARED : space; /* a block alone is its cluster */
}

void lower_cvta(struct lowering *l)
{
    const struct ptx_instruction *in = l->in;
    enum ptx_type type = (enum ptx_type)in->mods.types[0];
    uint8_t space = space_of(in);
    /* a function's parameters are in local memory */
    if (space == RP_SPACE_PARAM && !l->function->is_entry)
        space = RP_SPACE_LOCAL;
    uint64_t base = ptx_generic_base(space);
    struct operation u = {.kind = UOP_LANE, .op = OP_MOV, .type = ptx_types[type].lane, .stype = ptx_types[type].lane};
    u.a = source(l, &in->operands[1], type);
    if (base) {
        u.op = mods_have(&in->mods, M_TO) ? OP_SUB : OP_ADD;
        u.b = constant(l, base, element_bytes(type));
    }
    u.d = destination(l, &in->operands[0], type);
    emit(l, u);
}

static uint64_t window_size(uint8_t space)
{
    switch (space) {
    case RP_SPACE_SHARED: return SHARED_WINDOW_SIZE;
    case RP_SPACE_LOCAL: return LOCAL_WINDOW_SIZE;
    case RP_SPACE_CONST: return CONST_WINDOW_SIZE;
    default: return PARAM_WINDOW_SIZE;
    }
}

/* address - window < size, unsigned; .global is all from the modules' variables on. */
void lower_isspacep(struct lowering *l)
{
    const struct ptx_instruction *in = l->in;
    const struct ptx_operand *o = &in->operands[1];
    uint8_t space = space_of(in);
    bool narrow = o->kind == PO_REGISTER && ptx_types[register_type(l, o)].bits == 32;
    enum ptx_type type = narrow ? PT_U32 : PT_U64;
    struct operand address = source(l, o, type);
    struct operation u = {.kind = UOP_LANE, .op = OP_SETP, .type = ptx_types[type].lane, .stype = ptx_types[type].lane};
    if (space == RP_SPACE_GLOBAL) {
        u.compare = CMP_GE;
        u.a = address;
        u.b = constant(l, narrow ? MODULE_BASE_32 : MODULE_BASE, element_bytes(type));
    } else {
        struct operand offset = temporary(l, type), base = constant(l, ptx_generic_base(space), element_bytes(type));
        emit(
            l,
            (struct operation){
                .kind = UOP_LANE, .op = OP_SUB, .type = u.type, .stype = u.type, .d = offset, .a = address, .b = base});
        u.compare = CMP_LT;
        u.a = offset;
        u.b = constant(l, window_size(space), element_bytes(type));
    }
    if (in->operands[0].kind == PO_REGISTER)
        u.pd = register_operand(in->operands[0].reg);
    emit(l, u);
}

/* mapa: the address itself, in a cluster of one. getctarank: 0. */
void lower_cluster(struct lowering *l)
{
    const struct ptx_instruction *in = l->in;
    bool maps = in->operand_count == 3;
    enum ptx_type type = maps ? (enum ptx_type)in->mods.types[0] : PT_U32;
    struct operation u = {.kind = UOP_LANE, .op = OP_MOV, .type = ptx_types[type].lane, .stype = ptx_types[type].lane};
    u.a = maps ? source(l, &in->operands[1], type) : constant(l, 0, 4);
    u.d = destination(l, &in->operands[0], type);
    emit(l, u);
}
