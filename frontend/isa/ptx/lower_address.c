/* cvta, isspacep, mapa and getctarank: windows of the generic address space (frontend/core/program.h). */
#include "frontend/core/cluster.h"
#include "frontend/isa/ptx/layout.h"
#include "frontend/isa/ptx/lower.h"

static uint8_t space_of(const struct ptx_instruction *in)
{
    uint8_t space = (uint8_t)mods_value(&in->mods, G_SPACE, RP_SPACE_GENERIC);
    return space == RP_SPACE_SHARED_CLUSTER ? RP_SPACE_SHARED : space; /* one window, cluster.h */
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
    case RP_SPACE_SHARED: return CLUSTER_SHARED; /* the block's own memory */
    case RP_SPACE_SHARED_CLUSTER: return SHARED_WINDOW_SIZE;
    case RP_SPACE_LOCAL: return LOCAL_WINDOW_SIZE;
    case RP_SPACE_CONST: return CONST_WINDOW_SIZE;
    default: return PARAM_WINDOW_SIZE;
    }
}

/* address - window < size, as unsigned numbers. .global is everything from the modules' variables on. */
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
        u.b = constant(l, window_size((uint8_t)mods_value(&in->mods, G_SPACE, space)), element_bytes(type));
    }
    if (in->operands[0].kind == PO_REGISTER)
        u.pd = register_operand(in->operands[0].reg);
    emit(l, u);
}

static struct operand lanes(struct lowering *l, uint8_t op, enum ptx_type type, struct operand a, struct operand b,
                            struct operand c)
{
    struct operand d = temporary(l, type);
    uint8_t lane = ptx_types[type].lane;
    emit(l,
         (struct operation){.kind = UOP_LANE, .op = op, .type = lane, .stype = lane, .d = d, .a = a, .b = b, .c = c});
    return d;
}

static struct operand special(struct lowering *l, enum special which, enum ptx_type type)
{
    struct operand d = temporary(l, type);
    emit(l, (struct operation){.kind = UOP_LANE, .op = OP_SPECIAL, .type = ptx_types[type].lane, .d = d, .imm = which});
    return d;
}

/* (address without the bits that select a block) + block × CLUSTER_STEP + CLUSTER_SHARED. In a block without a cluster
 * it is the address itself. */
static void lower_mapa(struct lowering *l)
{
    const struct ptx_instruction *in = l->in;
    enum ptx_type type = (enum ptx_type)in->mods.types[0];
    unsigned bytes = element_bytes(type);
    struct operand address = source(l, &in->operands[1], type), rank = source(l, &in->operands[2], PT_U32);
    if (bytes == 8) {
        struct operand wide = temporary(l, type);
        emit_resize(l, wide, type, rank, PT_U32);
        rank = wide;
    }
    enum ptx_type bits = bytes == 8 ? PT_B64 : PT_B32;
    struct operand base = lanes(l, OP_AND, bits, address, special(l, SR_CLUSTER_MASK, type), OPERAND_NONE);
    base = lanes(l, OP_ADD, type, base, special(l, SR_CLUSTER_SHARED, type), OPERAND_NONE);
    struct operand d = destination(l, &in->operands[0], type);
    emit(l, (struct operation){.kind = UOP_LANE,
                               .op = OP_MAD,
                               .type = ptx_types[type].lane,
                               .stype = ptx_types[type].lane,
                               .d = d,
                               .a = rank,
                               .b = constant(l, CLUSTER_STEP, bytes),
                               .c = base});
    finish_destination(l, &in->operands[0], type, d);
}

/* The rank is in the address; in an address of the block's own memory it is the block's rank. */
static void lower_getctarank(struct lowering *l)
{
    const struct ptx_operand *o = l->in->operands;
    struct operand in_address =
        lanes(l, OP_AND, PT_B32, source(l, &o[1], PT_U32), constant(l, CLUSTER_RANKS, 4), OPERAND_NONE);
    struct operand rank = lanes(l, OP_SHR, PT_U32, in_address, constant(l, CLUSTER_STEP_LOG, 4), OPERAND_NONE);
    rank = lanes(l, OP_SUB, PT_U32, rank, constant(l, CLUSTER_SHARED >> CLUSTER_STEP_LOG, 4), OPERAND_NONE);
    struct operand own = special(l, SR_CLUSTER_RANK, PT_U32), far = temporary(l, PT_PRED);
    emit(l, (struct operation){.kind = UOP_LANE,
                               .op = OP_SETP,
                               .type = T_U32,
                               .stype = T_U32,
                               .compare = CMP_GE,
                               .pd = far,
                               .a = in_address,
                               .b = constant(l, CLUSTER_SHARED, 4)});
    struct operand d = destination(l, &o[0], PT_U32);
    emit(l, (struct operation){
                .kind = UOP_LANE, .op = OP_SELP, .type = T_B32, .stype = T_B32, .d = d, .a = rank, .b = own, .p = far});
    finish_destination(l, &o[0], PT_U32, d);
}

void lower_cluster(struct lowering *l)
{
    if (l->in->operand_count == 3)
        lower_mapa(l);
    else
        lower_getctarank(l);
}
