/* Addresses of memory operands: registers, uniform registers and offsets as the row's address item says. */
#include "frontend/isa/sass7x/lower.h"

/* The address item number n of the row. */
static const struct sass_item *address_item(struct sass_lowering *l, unsigned n)
{
    for (const struct sass_item *i = l->row->items; i->kind != SI_END; i++)
        if (i->kind == SI_ADDRESS && i->parts && !n--)
            return i;
    sass_not_covered(l, "this form of address");
}

struct address {
    const struct sass_item *base, *uniform; /* NULL: absent */
    int64_t offset;
};

static struct address parts_of(const struct sass_lowering *l, const struct sass_item *item)
{
    struct address a = {0};
    for (const struct sass_item *p = item->parts; p->kind != SI_END; p++) {
        if (p->kind == SI_IMMEDIATE)
            a.offset = sass_sign_extend(sass_value(l->word, p), (unsigned)p->f.width + p->g.width) * (1 << p->unit);
        else if (p->file == FILE_UNIFORM && sass_value(l->word, p) != URZ)
            a.uniform = p;
        else if (p->file == FILE_GENERAL && sass_value(l->word, p) != RZ)
            a.base = p;
    }
    return a;
}

/* Whether a base register is a pair: where the row does not say, those of the instruction's .E are. */
static bool is_pair(const struct sass_lowering *l, const struct sass_item *base, bool extended)
{
    if (!base->names)
        return extended;
    return base->sf.width ? sass_part(l->word, base) == 1 : true;
}

static unsigned number(const struct sass_lowering *l, const struct sass_item *i)
{
    return (unsigned)sass_value(l->word, i);
}

static struct operand widened(struct sass_lowering *l, struct operand v)
{
    return sass_value_of(l, (struct operation){.op = OP_CVT, .type = T_U64, .stype = T_U32, .a = v});
}

/* ---- shared memory of sm_90 ---- */

enum { RANK_AT = 24, OFFSET_MASK = (1 << RANK_AT) - 1 };

static struct operand special(struct sass_lowering *l, enum special which)
{
    return sass_value_of(l, (struct operation){.op = OP_SPECIAL, .type = T_U32, .imm = which});
}

static struct operand choose(struct sass_lowering *l, enum lane_type type, struct operand p, struct operand a,
                             struct operand b)
{
    return sass_value_of(l, (struct operation){.op = OP_SELP, .type = (uint8_t)type, .p = p, .a = a, .b = b});
}

static struct operand differs(struct sass_lowering *l, struct operand a, struct operand b)
{
    struct operation u = {.kind = UOP_LANE, .op = OP_SETP, .type = T_U32, .compare = CMP_NE, .a = a, .b = b};
    u.pd = sass_temporary(&l->b);
    sass_emit(&l->b, u);
    return u.pd;
}

struct operand sass7x_shared_offset(struct sass_lowering *l, struct operand at)
{
    if (l->arch != SASS_90)
        return at;
    struct operand rank = lane2(&l->b, OP_SHR, T_U32, at, constant32(&l->b, RANK_AT));
    struct operand other = differs(l, rank, special(l, SR_CLUSTER_RANK));
    struct operand base = lane2(&l->b, OP_SHL, T_B32, rank, constant32(&l->b, CLUSTER_STEP_LOG));
    base = lane2(&l->b, OP_ADD, T_U32, base, special(l, SR_CLUSTER_SHARED));
    base = choose(l, T_B32, other, base, constant32(&l->b, 0));
    at = lane2(&l->b, OP_AND, T_B32, at, constant32(&l->b, OFFSET_MASK));
    return lane2(&l->b, OP_ADD, T_U32, at, base);
}

struct operand sass7x_generic_address(struct sass_lowering *l, struct operand at)
{
    if (l->arch != SASS_90)
        return at;
    struct operand words[2];
    sass7x_split(l, at, words);
    struct operand elsewhere = differs(l, words[1], constant32(&l->b, SHARED_HIGH));
    struct operand offset = sass7x_shared_offset(l, words[0]);
    offset = lane2(&l->b, OP_ADD, T_U32, offset, constant32(&l->b, (uint32_t)SHARED_WINDOW));
    return choose(l, T_B64, elsewhere, at, widened(l, offset));
}

/* ---- operands ---- */

/* Of 64 bits: pairs, or a register of 32 bits beside a uniform pair. */
static void set_wide(struct sass_lowering *l, struct operation *u, const struct address *a)
{
    struct operand base = OPERAND_NONE;
    u->stype = T_U64;
    if (a->base)
        base = is_pair(l, a->base, true) ? read_pair(&l->b, number(l, a->base))
                                         : widened(l, read_register(&l->b, number(l, a->base)));
    if (a->uniform) {
        struct operand uniform = read_uniform_pair(&l->b, number(l, a->uniform));
        base = a->base ? lane2(&l->b, OP_ADD, T_U64, base, uniform) : uniform;
    }
    u->a = u->memory.space == RP_SPACE_GENERIC && is_register(base) ? sass7x_generic_address(l, base) : base;
}

static void set_narrow(struct sass_lowering *l, struct operation *u, const struct address *a)
{
    struct operand base = a->base ? read_register(&l->b, number(l, a->base)) : OPERAND_NONE;
    unsigned scale = a->base && a->base->names && a->base->sf.width ? (unsigned)sass_part(l->word, a->base) : 0;
    u->stype = T_U32;
    if (scale) /* X4, X8, X16 */
        base = lane2(&l->b, OP_SHL, T_B32, base, constant32(&l->b, scale + 1));
    if (a->uniform) {
        struct operand uniform = read_uniform(&l->b, number(l, a->uniform));
        base = a->base ? lane2(&l->b, OP_ADD, T_U32, base, uniform) : uniform;
    }
    if (u->memory.space == RP_SPACE_SHARED && l->arch == SASS_90 && is_register(base)) /* of this block */
        base = lane2(&l->b, OP_AND, T_B32, base, constant32(&l->b, OFFSET_MASK));
    u->a = base;
}

void sass7x_set_address(struct sass_lowering *l, struct operation *u, unsigned n, bool extended)
{
    struct address a = parts_of(l, address_item(l, n));
    u->imm = a.offset;
    if (extended)
        set_wide(l, u, &a);
    else
        set_narrow(l, u, &a);
    if (u->memory.space == RP_SPACE_SHARED_CLUSTER)
        u->a = sass7x_shared_offset(l, is_register(u->a) ? u->a : constant32(&l->b, 0));
    if (!is_register(u->a))
        u->imm &= extended ? INT64_MAX : UINT32_MAX;
}
