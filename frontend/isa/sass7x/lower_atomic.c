/* Atomics and reductions. */
#include "frontend/isa/sass7x/lower.h"

enum { AT_EXTENDED = 72, AT_TYPE = 73, AT_OPERATION = 87 };

/* Types in their encoding. sm_90 has floats in forms of their own, and 128 bits. */
static enum lane_type type_of(struct sass_lowering *l)
{
    static const uint8_t early[8] = {T_U32, T_S32, T_U64, T_F32, T_F16X2, T_S64, T_F64, T_NONE};
    static const uint8_t late[8] = {T_U32, T_S32, T_U64, T_S64, T_B128, T_NONE, T_NONE, T_NONE};
    unsigned code = bits(l, AT_TYPE, 3);
    enum lane_type type = l->arch == SASS_90 ? late[code] : early[code];
    if (type == T_NONE || (!(l->arch & (SASS_70 | SASS_75 | SASS_90)) && bit(l, AT_TYPE + 3)))
        sass_not_covered(l, "this type");
    return type;
}

/* [73:4] of sm_90's floats: the type of an element, and how many there are. Halves come in pairs. */
struct floats {
    uint8_t type, count;
};
static struct floats floats_of(struct sass_lowering *l)
{
    static const struct floats all[16] = {[0] = {T_F16X2, 1}, {T_F16X2, 2},      {T_F16X2, 4},     {T_BF16X2, 1},
                                          {T_BF16X2, 2},      {T_BF16X2, 4},     [9] = {T_F32, 1}, {T_F32, 2},
                                          {T_F32, 4},         [12] = {T_F32, 1}, [15] = {T_F64, 1}};
    struct floats f = all[bits(l, AT_TYPE, 4)];
    if (!f.count || bit(l, AT_OPERATION))
        sass_not_covered(l, "this type");
    return f;
}

static bool is_float_form(const struct sass_lowering *l)
{
    return l->row->value == 0x9a2 || l->row->value == 0x9a3 || l->row->value == 0x9a6;
}

static struct operation begin(struct sass_lowering *l, enum rp_space space)
{
    unsigned op = is_float_form(l) ? bits(l, AT_OPERATION + 1, 2) : bits(l, AT_OPERATION, 4);
    if (op >= SASS_ATOMICS)
        sass_not_covered(l, "this operation");
    if (!is_float_form(l))
        return sass_atomic(l, space, sass_atomics[op], type_of(l));
    struct floats f = floats_of(l);
    struct operation u = sass_atomic(l, space, sass_atomics[op], (enum lane_type)f.type);
    u.memory.elements = f.count;
    u.memory.width = (uint8_t)(u.memory.width * f.count);
    return u;
}

/* Sets the value to combine with: register n, or a vector from it on. */
static void set_value(struct sass_lowering *l, struct operation *u, unsigned n)
{
    const uint32_t count = u->memory.elements;
    if (count == 1) {
        u->b = sass_atomic_value(l, u, n);
        return;
    }
    for (unsigned i = 0; i < 2; i++)
        u->lists[i] = (struct operand_list){ARENA_ARRAY(l->b.arena, struct operand, count), count};
    struct operand *from = register_list_at(&l->b, n, count, false);
    for (uint32_t i = 0; i < count; i++) { /* an old value may go to the register of a later element */
        u->lists[0].at[i] = OPERAND_NONE;
        u->lists[1].at[i] = sass_value_of(l, (struct operation){.op = OP_MOV, .type = T_B32, .a = from[i]});
    }
}

/* Emits the atomic, with the old value or values into d. */
static void return_old(struct sass_lowering *l, struct operation *u, unsigned d)
{
    if (u->memory.elements > 1 && d != RZ) {
        l->b.order |= order_of_access(&u->memory, true);
        u->lists[0].at = register_list_at(&l->b, d, u->memory.elements, true);
        sass_access(l, u);
        return;
    }
    sass_return_old(l, u, d);
}

static void set_scope(struct sass_lowering *l, struct operation *u)
{
    struct rp_memory_operand said = {0};
    sass7x_set_order(l, &said);
    if (said.order != RP_ORDER_WEAK) {
        u->memory.order = said.order;
        u->memory.scope = said.scope;
    }
}

/* The predicate of a generic atomic: it was done. On the hardware it fails for addresses of shared and local memory,
 * and the code that follows does it there by other instructions; here it is done everywhere. */
static void write_done(struct sass_lowering *l)
{
    struct operand pd = written_predicate(l, AT_PD);
    if (is_register(pd))
        sass_emit(&l->b, (struct operation){
                             .kind = UOP_LANE, .op = OP_MOV, .type = T_PRED, .d = pd, .a = constant32(&l->b, ~0u)});
}

static void lower_device(struct sass_lowering *l, enum rp_space space)
{
    struct operation u = begin(l, space);
    set_scope(l, &u);
    set_value(l, &u, bits(l, AT_RB, 8));
    sass7x_set_address(l, &u, 0, bit(l, AT_EXTENDED));
    return_old(l, &u, bits(l, AT_RD, 8));
    write_done(l);
}

/* Compares with the first register, and stores the second. */
static void compare_and_swap(struct sass_lowering *l, enum rp_space space, bool extended)
{
    enum { CAS_64 = 2, CAS_128 = 4 };
    unsigned code = bits(l, AT_TYPE, space == RP_SPACE_SHARED && l->arch != SASS_90 ? 2 : 3);
    unsigned variant = bits(l, AT_OPERATION, 2);
    bool casts = variant & 1;
    if (code != 0 && code != CAS_64 && (code != CAS_128 || casts))
        sass_not_covered(l, "this type");
    enum lane_type type = code == CAS_128 ? T_B128 : code == CAS_64 ? T_B64 : T_B32;
    struct operation u = sass_atomic(l, space, RP_ATOMIC_CAS, type);
    if (space != RP_SPACE_SHARED)
        set_scope(l, &u);
    u.b = sass_atomic_value(l, &u, bits(l, AT_RB, 8));
    u.c = sass_atomic_value(l, &u, bits(l, AT_RC, 8));
    sass7x_set_address(l, &u, 0, extended);
    if (casts)
        sass_return_success(l, &u, bits(l, AT_RD, 8));
    else
        sass_return_old(l, &u, bits(l, AT_RD, 8));
}

static void lower_atom(struct sass_lowering *l)
{
    enum { CAS = 0x38b };
    if (l->row->value != CAS) {
        lower_device(l, RP_SPACE_GENERIC);
        return;
    }
    compare_and_swap(l, RP_SPACE_GENERIC, bit(l, AT_EXTENDED));
    write_done(l);
}

static void lower_atomg(struct sass_lowering *l)
{
    enum { CAS = 0x3a9 };
    if (l->row->value != CAS) {
        lower_device(l, RP_SPACE_GLOBAL);
        return;
    }
    compare_and_swap(l, RP_SPACE_GLOBAL, bit(l, AT_EXTENDED));
    write_done(l);
}

/* Adds 1 for each lane. */
static void count_up(struct sass_lowering *l)
{
    struct operation u = sass_atomic(l, RP_SPACE_SHARED, RP_ATOMIC_ADD, T_U32);
    u.b = constant32(&l->b, 1);
    sass7x_set_address(l, &u, 0, false);
    sass_return_old(l, &u, bits(l, AT_RD, 8));
}

/* Each lane arrives once at a barrier object. */
void sass7x_arrive(struct sass_lowering *l, unsigned d, uint64_t flags)
{
    struct operation u = sass_atomic(l, RP_SPACE_SHARED, RP_ATOMIC_ADD, T_U64);
    u.op = OP_ARRIVE;
    u.flags |= flags;
    u.b = constant64(&l->b, 1);
    sass7x_set_address(l, &u, 0, false);
    sass_return_old(l, &u, d);
}

static void lower_atoms(struct sass_lowering *l)
{
    enum { CAS = 0x38d, OTHER = 0xf8c, ARRIVE = 9, COUNT_UP = 10, LATE_COUNT_UP = 11, WIDE = 2 };
    static const uint8_t types[8] = {T_U32, T_S32, T_U64, T_NONE, T_B128, T_NONE, T_NONE, T_NONE};
    unsigned code = bits(l, AT_TYPE, l->arch == SASS_90 ? 3 : 2), op = bits(l, AT_OPERATION, 4);
    if (l->row->value == CAS) {
        compare_and_swap(l, RP_SPACE_SHARED, false);
        return;
    }
    if (l->row->value == OTHER) {
        if (op == (l->arch == SASS_90 ? LATE_COUNT_UP : COUNT_UP) && !code)
            count_up(l);
        else if (op == ARRIVE && code == WIDE && l->arch != SASS_90)
            sass7x_arrive(l, bits(l, AT_RD, 8), 0);
        else
            sass_not_covered(l, "this type or operation");
        return;
    }
    if (types[code] == T_NONE || op >= SASS_ATOMICS)
        sass_not_covered(l, "this type or operation");
    struct operation u = sass_atomic(l, RP_SPACE_SHARED, sass_atomics[op], types[code]);
    u.b = sass_atomic_value(l, &u, bits(l, AT_RB, 8));
    sass7x_set_address(l, &u, 0, false);
    sass_return_old(l, &u, bits(l, AT_RD, 8));
}

/* Reductions of global memory; up to sm_89 also of generic addresses. */
static void lower_red(struct sass_lowering *l)
{
    struct operation u = is_float_form(l)
                             ? begin(l, RP_SPACE_GLOBAL)
                             : sass_atomic(l, RP_SPACE_GENERIC, sass_atomics[bits(l, AT_OPERATION, 3)], type_of(l));
    set_scope(l, &u);
    u.memory.kind = RP_ACCESS_REDUCTION;
    set_value(l, &u, bits(l, AT_RB, 8));
    sass7x_set_address(l, &u, 0, bit(l, AT_EXTENDED));
    sass_access(l, &u);
}

const struct sass_meaning sass7x_atomic[] = {{"ATOM", lower_atom}, {"ATOMG", lower_atomg}, {"ATOMS", lower_atoms},
                                             {"RED", lower_red},   {"REDG", lower_red},    {NULL, NULL}};
