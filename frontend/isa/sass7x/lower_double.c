/* Double precision. */
#include "frontend/isa/sass7x/lower.h"

static void arithmetic(struct sass_lowering *l, enum lane_op op)
{
    struct operation u = {.op = (uint8_t)op, .type = T_F64, .rounding = (uint8_t)sass_rounding(bits(l, 78, 2))};
    u.a = source_f64(l, 0);
    u.b = source_f64(l, 1);
    if (op == OP_FMA)
        u.c = source_f64(l, 2);
    sass7x_write_64(l, sass_value_of(l, u));
}
static void lower_dadd(struct sass_lowering *l) { arithmetic(l, OP_ADD); }
static void lower_dmul(struct sass_lowering *l) { arithmetic(l, OP_MUL); }
static void lower_dfma(struct sass_lowering *l) { arithmetic(l, OP_FMA); }

/* u combined with Pc as the instruction says, into a temporary. */
static struct operand combined(struct sass_lowering *l, struct operation u)
{
    u.kind = UOP_LANE;
    u.op = OP_SETP;
    sass7x_set_predicates(l, &u);
    u.pd = sass_temporary(&l->b);
    u.pd2 = OPERAND_NONE;
    sass_emit(&l->b, u);
    return u.pd;
}

/* .MIN and .MAX: Pd says that the first source is the one to take, Pd2 that both are NaN: ptxas makes min.f64 of it,
 * FSEL, SEL, and where Pd2 holds the upper word of the second source with 0x80000 or-ed in. */
static void choice(struct sass_lowering *l, enum lane_op op)
{
    struct operation u = {.op = (uint8_t)op, .type = T_F64};
    u.a = source_f64(l, 0);
    u.b = source_f64(l, 1);
    struct operand chosen = sass_value_of(l, u);
    struct operation first = {.type = T_U64, .compare = CMP_EQ, .a = chosen, .b = u.a};
    struct operation none = {.type = T_F64, .compare = CMP_NAN, .a = chosen, .b = chosen};
    first.pd = combined(l, first);
    none.pd = combined(l, none);
    sass7x_write_predicates(l, first.pd, none.pd);
}

static void lower_dsetp(struct sass_lowering *l)
{
    enum { MIN = 0, MAX = 15 };
    unsigned compare = bits(l, 76, 4);
    if (compare == MIN || compare == MAX) {
        choice(l, compare == MIN ? OP_MIN : OP_MAX);
        return;
    }
    struct operation u = {.kind = UOP_LANE, .op = OP_SETP, .type = T_F64, .compare = (uint8_t)float_compare(compare)};
    u.a = source_f64(l, 0);
    u.b = source_f64(l, 1);
    sass7x_set_predicates(l, &u);
    sass_emit(&l->b, u);
}

const struct sass_meaning sass7x_double[] = {
    {"DADD", lower_dadd}, {"DMUL", lower_dmul}, {"DFMA", lower_dfma}, {"DSETP", lower_dsetp}, {NULL, NULL}};
