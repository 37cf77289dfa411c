/* Memory operands that every generation has: one access of an instruction, and atomics. */
#include "frontend/core/lanes/lanes.h"
#include "frontend/isa/sass/lower.h"

const uint8_t sass_atomics[SASS_ATOMICS] = {RP_ATOMIC_ADD, RP_ATOMIC_MIN, RP_ATOMIC_MAX, RP_ATOMIC_INC, RP_ATOMIC_DEC,
                                            RP_ATOMIC_AND, RP_ATOMIC_OR,  RP_ATOMIC_XOR, RP_ATOMIC_EXCH};

void sass_add_operands(struct sass_lowering *l, struct rp_memory_operand m, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        VECTOR_PUSH(l->b.arena, &l->memory, m);
}

static void begin_access(struct sass_lowering *l, struct operation *u)
{
    l->b.order |= order_of_access(&u->memory, false);
    u->access = (uint8_t)l->memory.count;
    sass_add_operands(l, u->memory, 1);
}

void sass_access(struct sass_lowering *l, struct operation *u)
{
    begin_access(l, u);
    sass_emit(&l->b, *u);
}

void sass_access_where(struct sass_lowering *l, struct operation *u, struct operand guard)
{
    begin_access(l, u);
    sass_emit_where(&l->b, *u, guard, false);
}

void sass_move_data(struct sass_lowering *l, struct operation *u, unsigned n)
{
    unsigned count = u->memory.elements;
    bool load = u->memory.kind == RP_ACCESS_LOAD;
    if (count > 1) {
        u->lists[0].at = register_list_at(&l->b, n, count, load);
        u->lists[0].count = count;
    } else {
        u->d = load ? written(&l->b, n) : read_register(&l->b, n);
    }
    sass_access(l, u);
}

struct operation sass_atomic(struct sass_lowering *l, enum rp_space space, enum rp_atomic op, enum lane_type type)
{
    bool moves = op == RP_ATOMIC_EXCH || op == RP_ATOMIC_CAS;
    if (!atomic_exists(op, type) && !(moves && type == T_B128))
        sass_not_covered(l, "this operation on this type");
    struct operation u = {.kind = UOP_MEMORY, .type = (uint8_t)type, .dtype = (uint8_t)type};
    struct rp_memory_operand *m = &u.memory;
    m->space = (uint8_t)space;
    m->kind = RP_ACCESS_ATOMIC;
    m->scope = RP_SCOPE_GPU;
    m->order = RP_ORDER_RELAXED;
    m->atomic = (uint8_t)op;
    m->elements = 1;
    m->width = lane_type_bits(type) / 8;
    m->value = lane_is_float(type) ? RP_VALUE_FLOAT : lane_is_signed(type) ? RP_VALUE_SIGNED : RP_VALUE_UNSIGNED;
    return u;
}

/* 128 bits are two temporaries, which lie one after the other. */
static void begin_long(struct sass_lowering *l, struct operand halves[2])
{
    halves[0] = sass_temporary(&l->b);
    halves[1] = sass_temporary(&l->b);
}

static struct operand read_long(struct sass_lowering *l, unsigned n)
{
    struct operand halves[2];
    begin_long(l, halves);
    for (unsigned i = 0; i < 2; i++) {
        struct operation u = {.kind = UOP_LANE, .op = OP_PACK, .type = T_B64, .stype = T_B32, .d = halves[i]};
        u.lists[0] = (struct operand_list){register_list_at(&l->b, n == RZ ? RZ : n + 2 * i, 2, false), 2};
        sass_emit(&l->b, u);
    }
    return halves[0];
}

struct operand sass_atomic_value(struct sass_lowering *l, const struct operation *u, unsigned n)
{
    if (u->memory.width == 16)
        return read_long(l, n);
    return u->memory.width == 8 ? read_pair(&l->b, n) : read_register(&l->b, n);
}

void sass_return_old(struct sass_lowering *l, struct operation *u, unsigned d)
{
    if (d == RZ) {
        sass_access(l, u);
        return;
    }
    const unsigned width = u->memory.width;
    struct operand halves[2];
    l->b.order |= order_of_access(&u->memory, true);
    if (width < 8)
        halves[0] = written(&l->b, d);
    else
        begin_long(l, halves);
    u->d = halves[0];
    sass_access(l, u);
    for (unsigned i = 0; 8 * i + 8 <= width; i++)
        write_pair(&l->b, d + 2 * i, halves[i]);
}

void sass_return_success(struct sass_lowering *l, struct operation *u, unsigned d)
{
    l->b.order |= order_of_access(&u->memory, true);
    u->d = sass_temporary(&l->b);
    sass_access(l, u);
    struct operation same = {.kind = UOP_LANE, .op = OP_SETP, .compare = CMP_EQ, .a = u->d, .b = u->b};
    same.type = u->memory.width == 8 ? T_U64 : T_U32;
    same.pd = sass_temporary(&l->b);
    sass_emit(&l->b, same);
    struct operation one = {.kind = UOP_LANE, .op = OP_SELP, .type = T_B32, .p = same.pd};
    one.a = constant32(&l->b, 1);
    one.b = constant32(&l->b, 0);
    one.d = written(&l->b, d);
    sass_emit(&l->b, one);
    if (u->memory.width == 8 && d != RZ)
        move32(&l->b, written(&l->b, d + 1), constant32(&l->b, 0));
}
