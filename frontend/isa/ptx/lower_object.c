/* mbarrier: objects in shared memory at which threads and copies arrive (PTX ISA, "Parallel Synchronization and
 * Communication Instructions: mbarrier").
 *
 * frontend/core/object.h describes the layout of an object, objects.c beside it what the operations do. */
#include "frontend/core/object.h"

#include <string.h>

#include "frontend/isa/ptx/layout.h"
#include "frontend/isa/ptx/lower.h"

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

/* The space that the modifiers name: shared memory, or generic without a modifier. */
static uint8_t space_said(const struct lowering *l)
{
    return mods_value(&l->in->mods, G_SPACE, RP_SPACE_GENERIC) == RP_SPACE_GENERIC ? RP_SPACE_GENERIC : RP_SPACE_SHARED;
}

static struct operation access(struct lowering *l, enum rp_object_operation what, uint8_t space)
{
    struct operation u = {.kind = UOP_MEMORY, .op = OP_OBJECT, .type = T_B64, .dtype = T_B64};
    u.memory = memory_operand(l->in, RP_ACCESS_OBJECT, PT_B64, 1);
    u.memory.object = (uint8_t)what;
    u.memory.atomic = RP_ATOMIC_NONE;
    u.memory.space = space;
    u.memory.scope = (uint8_t)mods_value(&l->in->mods, G_SCOPE, RP_SCOPE_CTA);
    u.memory.order = what == RP_OBJECT_TEST ? RP_ORDER_ACQUIRE : RP_ORDER_RELEASE;
    u.memory.order = mods_have(&l->in->mods, M_RELAXED) ? RP_ORDER_RELAXED : u.memory.order;
    u.b = u.c = constant(l, 0, 8);
    set_address(l, &u, operand_of(l, 'm'));
    return u;
}

static uint64_t change_of(const struct ptx_modifiers *mods) { return mods_have(mods, M_ARRIVE_DROP) ? OBJECT_DROP : 0; }

static enum rp_object_operation operation_of(const struct lowering *l)
{
    const struct ptx_modifiers *mods = &l->in->mods;
    if (l->in->form->opcode[0] ==
        'c') /* cp.async.mbarrier.arrive: without .noinc the object did not expect this arrival */
        return mods_have(mods, M_NOINC) ? RP_OBJECT_ARRIVE_BEHIND : RP_OBJECT_ADD_BEHIND;
    return mods_have(mods, M_INIT)          ? RP_OBJECT_INIT
           : mods_have(mods, M_INVAL)       ? RP_OBJECT_INVALIDATE
           : mods_have(mods, M_ARRIVE)      ? RP_OBJECT_ARRIVE
           : mods_have(mods, M_ARRIVE_DROP) ? RP_OBJECT_DROP
                                            : RP_OBJECT_BYTES;
}

/* b: the number of arrivals, perhaps with OBJECT_DROP; c: more bytes to wait for, negative if bytes have arrived.
 * Copies complete at once here, so an arrival after copies happens at once, too. */
void lower_object(struct lowering *l)
{
    const struct ptx_modifiers *mods = &l->in->mods;
    const struct ptx_operand *a = operand_of(l, 'a'), *d = operand_of(l, 'd');
    enum rp_object_operation what = operation_of(l);
    struct operation u = access(l, what, space_said(l));
    bool arrives = what == RP_OBJECT_ARRIVE || what == RP_OBJECT_DROP || what == RP_OBJECT_ARRIVE_BEHIND;
    u.b = constant(l, arrives | change_of(mods), 8);
    if (mods_have(mods, M_EXPECT_TX))
        u.c = widened(l, a);
    else if (mods_have(mods, M_COMPLETE_TX))
        u.c = lane_result(l, OP_SUB, PT_U64, constant(l, 0, 8), widened(l, a));
    else if (a && a->kind == PO_INTEGER)
        u.b = constant(l, (uint32_t)a->value | change_of(mods), 8);
    else if (a)
        u.b = lane_result(l, OP_OR, PT_B64, widened(l, a), constant(l, change_of(mods), 8));
    if (d && d->kind == PO_REGISTER)
        u.d = destination(l, d, PT_B64);
    finish_access(l, &u);
}

/* The operand without a conversion, so that the test is the first operation of its instruction. */
static struct operand as_it_is(struct lowering *l, const struct ptx_operand *o, uint8_t *type)
{
    *type = T_U64;
    if (o->kind == PO_INTEGER)
        return constant(l, (uint64_t)o->value, 8);
    if (o->kind != PO_REGISTER || ptx_types[register_type(l, o)].bits < 32)
        return source(l, o, PT_B64);
    *type = ptx_types[register_type(l, o)].bits == 32 ? T_U32 : T_U64;
    return register_operand(o->reg);
}

void lower_object_wait(struct lowering *l)
{
    const struct ptx_operand *result = operand_of(l, 'q');
    struct operation test = access(l, RP_OBJECT_TEST, space_said(l));
    test.op = mods_have(&l->in->mods, M_PARITY) ? OP_OBJECT_PARITY : OP_OBJECT_STATE;
    test.flags |= mods_have(&l->in->mods, M_TRY_WAIT) ? UF_SUSPENDS : 0;
    test.b = as_it_is(l, operand_of(l, 'a'), &test.dtype);
    test.d = temporary(l, PT_B64);
    finish_access(l, &test);
    struct operation u = {.kind = UOP_LANE, .op = OP_SETP, .type = T_U64, .stype = T_U64, .compare = CMP_NE};
    u.a = test.d;
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

/* The mask of blocks of a multicast, as the last element of a list. It follows the address of the object among the
 * operands. */
static struct operand_list multicast(struct lowering *l, uint64_t *flags)
{
    struct operand_list list = {NULL, 0};
    if (!mods_have(&l->in->mods, M_MULTICAST))
        return list;
    uint32_t at = mods_have(&l->in->mods, M_TENSOR) ? 3 : 4;
    list = (struct operand_list){ARENA_ARRAY(l->arena, struct operand, 1), 1};
    list.at[0] = source(l, &l->in->operands[at], PT_U32);
    *flags |= UF_MULTICAST;
    return list;
}

static void complete(struct lowering *l, uint8_t space, struct operand bytes_taken)
{
    struct operation u = access(l, RP_OBJECT_BYTES, space);
    u.lists[1] = multicast(l, &u.flags);
    u.c = bytes_taken;
    l->async = (struct rp_async){RP_ASYNC_BULK, RP_ASYNC_SIGNAL, 0};
    finish_access(l, &u);
}

/* For st.async and red.async: the object is in the space that the instruction names, like their other address. */
void lower_completion(struct lowering *l)
{
    uint32_t elements = (uint32_t)mods_value(&l->in->mods, G_VECTOR, 1);
    int64_t bytes = elements * ptx_types[l->in->mods.types[0]].bits / 8;
    complete(l, space_said(l), constant(l, (uint64_t)-bytes, 8));
}

/* One side of a bulk copy. Each lane has its own number of bytes. */
static struct operation side(struct lowering *l, uint8_t kind, uint8_t space, const struct ptx_operand *at)
{
    struct operation u = {.kind = UOP_MEMORY, .type = T_B8, .dtype = T_B16, .access = kind == RP_ACCESS_BULK_LOAD};
    u.memory = memory_operand(l->in, kind, PT_B8, 1);
    u.memory.space = space;
    u.memory.width = 16; /* address and number of bytes are multiples of it */
    u.b = source(l, &l->in->operands[2], PT_U32);
    set_address(l, &u, at);
    return u;
}

/* For cp.reduce: sets how the copy combines with the content of its destination. */
static void reduction(struct lowering *l, struct operation *u)
{
    const struct ptx_modifiers *mods = &l->in->mods;
    u->combine = (uint8_t)mods_value(mods, G_OPERATION, RP_ATOMIC_NONE);
    if (u->combine && !mods_have(mods, M_TENSOR))
        u->type = ptx_types[mods->types[0]].lane;
    l->order |= u->combine && u->memory.kind == RP_ACCESS_BULK_LOAD ? ORDER_FLOAT_ATOMIC : 0;
}

/* The copy is made at once: it may be made at any time until it is waited for. The first operation records the
 * destination, the second one reads the bytes and stores them. */
void lower_bulk(struct lowering *l)
{
    const struct ptx_modifiers *mods = &l->in->mods;
    const struct ptx_operand *o = l->in->operands;
    bool tells = mods_have(mods, M_COMPLETE_BYTES), from_global = tells && mods_have(mods, M_GLOBAL);
    struct operation to = side(l, RP_ACCESS_BULK_STORE, tells ? RP_SPACE_SHARED : RP_SPACE_GLOBAL, &o[0]);
    struct operation from = side(l, RP_ACCESS_BULK_LOAD, from_global ? RP_SPACE_GLOBAL : RP_SPACE_SHARED, &o[1]);
    from.op = tells ? OP_COPY_TO_SHARED : OP_COPY_TO_GLOBAL;
    from.c = whole_address(l, &to);
    to.lists[1] = multicast(l, &to.flags);
    from.lists[1] = multicast(l, &from.flags);
    reduction(l, &from);
    finish_access(l, &to);
    finish_access(l, &from);
    l->async = (struct rp_async){RP_ASYNC_BULK, RP_ASYNC_START, 0};
    if (!tells)
        return;
    struct operand bytes = widened(l, &o[2]);
    complete(l, RP_SPACE_SHARED, lane_result(l, OP_SUB, PT_U64, constant(l, 0, 8), bytes));
}

/* ---- boxes of tensors ---- */

/* The address in [], as 64 bits, in the generic space or in the given one. */
static struct operand map_address(struct lowering *l, const struct ptx_operand *o)
{
    struct operation u = {.kind = UOP_MEMORY};
    u.memory.space = RP_SPACE_GENERIC;
    set_address(l, &u, o);
    u.imm += (int64_t)(u.memory.space == RP_SPACE_GENERIC ? 0 : ptx_generic_base(u.memory.space));
    return whole_address(l, &u);
}

/* The coordinates in [map, {...}]. */
static struct operand_list coordinates(struct lowering *l, const struct ptx_operand *o, uint32_t rank)
{
    const struct ptx_operand *c = o->kind == PO_ADDRESS && o->count == 2 ? &o->elements[1] : NULL;
    uint32_t count = !c ? 0 : c->kind == PO_VECTOR ? c->count : 1;
    if (count != rank)
        ptx_error(l->src, o->at, "[address of a tensor map, {%u coordinate%s}] belongs here", rank,
                  rank == 1 ? "" : "s");
    struct operand_list list = {ARENA_ARRAY(l->arena, struct operand, rank + 1), rank};
    for (uint32_t i = 0; i < rank; i++)
        list.at[i] = source(l, c->kind == PO_VECTOR ? &c->elements[i] : c, PT_U32);
    return list;
}

/* One side of a copy of a box. Both sides have all operands, because frontend/core/tensor.c computes what each
 * records. */
static struct operation box_side(struct lowering *l, uint8_t kind, uint8_t space, const struct operation *box)
{
    struct operation u = *box;
    struct operand *list = ARENA_ARRAY(l->arena, struct operand, u.lists[1].count);
    memcpy(list, u.lists[1].at, u.lists[1].count * sizeof *list); /* place_registers writes into it */
    u.lists[1].at = list;
    u.memory = memory_operand(l->in, kind, PT_B8, 1);
    u.memory.space = space;
    u.memory.atomic = RP_ATOMIC_NONE;
    u.memory.width = 16;
    u.access = kind == RP_ACCESS_BULK_LOAD;
    u.a = space == RP_SPACE_GLOBAL ? u.c : u.b;
    return u;
}

void lower_tensor(struct lowering *l)
{
    const struct ptx_modifiers *mods = &l->in->mods;
    const struct ptx_operand *o = l->in->operands;
    bool loads = mods_have(mods, M_COMPLETE_BYTES);
    uint32_t rank = (uint32_t)mods_value(mods, G_GEOMETRY, 1);
    struct operation box = {.kind = UOP_MEMORY, .type = T_B8, .dtype = T_B16, .stype = T_U64, .imm = rank};
    struct operation shared = {.kind = UOP_MEMORY};
    box.op = loads ? OP_TENSOR_TO_SHARED : OP_TENSOR_TO_GLOBAL;
    shared.memory.space = RP_SPACE_SHARED;
    set_address(l, &shared, &o[loads ? 0 : 1]);
    box.b = whole_address(l, &shared);
    box.c = map_address(l, &o[loads ? 1 : 0]);
    box.lists[1] = coordinates(l, &o[loads ? 1 : 0], rank);
    struct operand_list mask = multicast(l, &box.flags);
    if (mask.count)
        box.lists[1].at[box.lists[1].count++] = mask.at[0];
    uint8_t to_space = loads ? RP_SPACE_SHARED : RP_SPACE_GLOBAL,
            from_space = loads ? RP_SPACE_GLOBAL : RP_SPACE_SHARED;
    struct operation to = box_side(l, RP_ACCESS_BULK_STORE, to_space, &box);
    struct operation from = box_side(l, RP_ACCESS_BULK_LOAD, from_space, &box);
    reduction(l, &from);
    from.d = temporary(l, PT_U64);
    finish_access(l, &to);
    finish_access(l, &from);
    l->async = (struct rp_async){RP_ASYNC_BULK, RP_ASYNC_START, 0};
    if (loads)
        complete(l, RP_SPACE_SHARED, lane_result(l, OP_SUB, PT_U64, constant(l, 0, 8), from.d));
}
