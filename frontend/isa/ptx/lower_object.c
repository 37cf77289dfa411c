/* mbarrier: objects in shared memory at which threads and copies arrive (PTX ISA, "Parallel Synchronization and
 * Communication Instructions: mbarrier").
 *
 * An object is 64 bits, laid out as frontend/core/object.h has it. What changes it is an atomic operation on them; a
 * test is a load, and compares its phase with the one that the thread has arrived at, or its parity. A test that may
 * wait does not: the loop around it is one that polls, and gives way as every such loop does. */
#include "frontend/core/object.h"

#include "frontend/isa/ptx/lower.h"

static struct operand lane_result(struct lowering *l, uint8_t op, enum ptx_type type, struct operand a,
                                  struct operand b)
{
    struct operand d = temporary(l, type);
    uint8_t lane = ptx_types[type].lane;
    emit(l, (struct operation){.kind = UOP_LANE, .op = op, .type = lane, .stype = lane, .d = d, .a = a, .b = b});
    return d;
}

static struct operand widened(struct lowering *l, const struct ptx_operand *o)
{
    if (o->kind == PO_INTEGER)
        return constant(l, (uint32_t)o->value, 8);
    struct operand narrow = source(l, o, PT_U32), wide = temporary(l, PT_U64);
    emit_resize(l, wide, PT_U64, narrow, PT_U32);
    return wide;
}

/* The last operand of this role, or NULL. */
static const struct ptx_operand *operand_of(const struct lowering *l, char role)
{
    for (uint32_t i = l->in->operand_count; i-- > 0;)
        if (l->in->form->operands[i].role == role)
            return &l->in->operands[i];
    return NULL;
}

/* shared, or generic where nothing is said. A block alone is its cluster. */
static uint8_t space_said(const struct lowering *l)
{
    return mods_value(&l->in->mods, G_SPACE, RP_SPACE_GENERIC) == RP_SPACE_GENERIC ? RP_SPACE_GENERIC : RP_SPACE_SHARED;
}

static struct operation access(struct lowering *l, uint8_t kind, uint8_t space)
{
    struct operation u = {.kind = UOP_MEMORY, .type = T_B64, .dtype = T_B64};
    u.memory = memory_operand(l->in, kind, PT_B64, 1);
    u.memory.space = space;
    u.memory.scope = (uint8_t)mods_value(&l->in->mods, G_SCOPE, RP_SCOPE_CTA);
    u.memory.order = kind == RP_ACCESS_LOAD ? RP_ORDER_ACQUIRE : RP_ORDER_RELEASE;
    u.memory.order = mods_have(&l->in->mods, M_RELAXED) ? RP_ORDER_RELAXED : u.memory.order;
    u.access = (uint8_t)l->memory.count;
    set_address(l, &u, operand_of(l, 'm'));
    return u;
}

static void lower_init(struct lowering *l, bool inval)
{
    struct operation u = access(l, RP_ACCESS_STORE, space_said(l));
    const struct ptx_operand *count = operand_of(l, 'a');
    if (inval) {
        u.d = constant(l, 0, 8);
    } else if (count->kind == PO_INTEGER) {
        u.d = constant(l, object_made((uint32_t)count->value), 8);
    } else { /* pending and expected arrivals */
        struct operand n = widened(l, count);
        u.d = lane_result(l, OP_MUL, PT_U64, n, constant(l, object_made(1), 8));
    }
    finish_access(l, &u);
}

static uint64_t change_of(const struct ptx_modifiers *mods) { return mods_have(mods, M_ARRIVE_DROP) ? OBJECT_DROP : 0; }

/* b: how many arrive, and whether they are to be expected no more; c: bytes to wait for, negative ones have come. */
void lower_object(struct lowering *l)
{
    const struct ptx_modifiers *mods = &l->in->mods;
    const struct ptx_operand *a = operand_of(l, 'a'), *d = operand_of(l, 'd');
    if (mods_have(mods, M_INIT) || mods_have(mods, M_INVAL)) {
        lower_init(l, mods_have(mods, M_INVAL));
        return;
    }
    bool expects = mods_have(mods, M_EXPECT_TX), completes = mods_have(mods, M_COMPLETE_TX);
    bool arrives = mods_have(mods, M_ARRIVE) || mods_have(mods, M_ARRIVE_DROP);
    /* cp.async.mbarrier.arrive: copies are done, so the thread arrives now; without .noinc it was not expected */
    bool expected = l->in->form->opcode[0] != 'c' || mods_have(mods, M_NOINC);
    struct operation u = access(l, d && d->kind == PO_REGISTER ? RP_ACCESS_ATOMIC : RP_ACCESS_REDUCTION, space_said(l));
    u.op = OP_OBJECT;
    u.memory.atomic = RP_ATOMIC_ADD;
    u.b = constant(l, (arrives && expected) | change_of(mods), 8);
    u.c = constant(l, 0, 8);
    if (expects)
        u.c = widened(l, a);
    else if (completes)
        u.c = lane_result(l, OP_SUB, PT_U64, constant(l, 0, 8), widened(l, a));
    else if (a && a->kind == PO_INTEGER)
        u.b = constant(l, (uint32_t)a->value | change_of(mods), 8);
    else if (a)
        u.b = lane_result(l, OP_OR, PT_B64, widened(l, a), constant(l, change_of(mods), 8));
    if (u.memory.kind == RP_ACCESS_ATOMIC)
        u.d = destination(l, d, PT_B64);
    finish_access(l, &u);
}

void lower_object_wait(struct lowering *l)
{
    const struct ptx_operand *a = operand_of(l, 'a'), *result = operand_of(l, 'q');
    bool parity = mods_have(&l->in->mods, M_PARITY);
    struct operation load = access(l, RP_ACCESS_LOAD, space_said(l));
    load.d = temporary(l, PT_B64);
    finish_access(l, &load);
    struct operand asked = parity ? widened(l, a) : source(l, a, PT_B64), bits;
    if (parity) { /* done when the current phase has the other parity */
        struct operand phase = lane_result(l, OP_SHR, PT_U64, load.d, constant(l, OBJECT_PHASE_AT, 4));
        bits = lane_result(l, OP_AND, PT_B64, lane_result(l, OP_XOR, PT_B64, phase, asked), constant(l, 1, 8));
    } else { /* ... when it is another one */
        struct operand changed = lane_result(l, OP_XOR, PT_B64, load.d, asked);
        bits = lane_result(l, OP_SHR, PT_U64, changed, constant(l, OBJECT_PHASE_AT, 4));
    }
    struct operation u = {.kind = UOP_LANE, .op = OP_SETP, .type = T_U64, .stype = T_U64, .compare = CMP_NE};
    u.a = bits;
    u.b = constant(l, 0, 8);
    u.pd = result->kind == PO_REGISTER ? register_operand(result->reg) : OPERAND_NONE;
    emit(l, u);
}

void lower_pending_count(struct lowering *l)
{
    const struct ptx_operand *d = &l->in->operands[0];
    struct operand state = source(l, &l->in->operands[1], PT_B64);
    struct operand count = lane_result(l, OP_AND, PT_B64, state, constant(l, OBJECT_COUNT_MASK, 8));
    struct operand to = destination(l, d, PT_U32);
    emit_resize(l, to, PT_U32, count, PT_U64);
    finish_destination(l, d, PT_U32, to);
}

/* ---- copies that tell an object ---- */

static void complete(struct lowering *l, struct operand bytes_taken)
{
    struct operation u = access(l, RP_ACCESS_REDUCTION, RP_SPACE_SHARED);
    u.op = OP_OBJECT;
    u.memory.atomic = RP_ATOMIC_ADD;
    u.b = constant(l, 0, 8);
    u.c = bytes_taken;
    finish_access(l, &u);
}

void lower_completion(struct lowering *l)
{
    uint32_t elements = (uint32_t)mods_value(&l->in->mods, G_VECTOR, 1);
    int64_t bytes = elements * ptx_types[l->in->mods.types[0]].bits / 8;
    complete(l, constant(l, (uint64_t)-bytes, 8));
}

/* An address as 64 bits, offset included. */
static struct operand address_value(struct lowering *l, const struct operation *side)
{
    struct operand base = constant(l, 0, 8);
    if (is_register(side->a) && side->stype == T_U32) {
        base = temporary(l, PT_U64);
        emit_resize(l, base, PT_U64, side->a, PT_U32);
    } else if (is_register(side->a)) {
        base = side->a;
    }
    return lane_result(l, OP_ADD, PT_U64, base, constant(l, (uint64_t)side->imm, 8));
}

/* One side of a bulk copy: each lane's own number of bytes. */
static struct operation side(struct lowering *l, uint8_t kind, uint8_t space, const struct ptx_operand *at)
{
    struct operation u = {.kind = UOP_MEMORY, .type = T_B8, .dtype = T_B16, .access = kind == RP_ACCESS_BULK_LOAD};
    u.memory = memory_operand(l->in, kind, PT_B8, 1);
    u.memory.space = space;
    u.memory.width = 16; /* what the address and the number of bytes are multiples of */
    u.b = source(l, &l->in->operands[2], PT_U32);
    set_address(l, &u, at);
    return u;
}

/* Done at once: the first operation names where the bytes go, the second one reads them and puts them there. */
void lower_bulk(struct lowering *l)
{
    const struct ptx_modifiers *mods = &l->in->mods;
    const struct ptx_operand *o = l->in->operands;
    bool tells = mods_have(mods, M_COMPLETE_BYTES), from_global = tells && mods_have(mods, M_GLOBAL);
    struct operation to = side(l, RP_ACCESS_BULK_STORE, tells ? RP_SPACE_SHARED : RP_SPACE_GLOBAL, &o[0]);
    struct operation from = side(l, RP_ACCESS_BULK_LOAD, from_global ? RP_SPACE_GLOBAL : RP_SPACE_SHARED, &o[1]);
    from.op = tells ? OP_COPY_TO_SHARED : OP_COPY_TO_GLOBAL;
    from.c = address_value(l, &to);
    finish_access(l, &to);
    finish_access(l, &from);
    if (!tells)
        return;
    struct operand bytes = widened(l, &o[2]);
    complete(l, lane_result(l, OP_SUB, PT_U64, constant(l, 0, 8), bytes));
}
