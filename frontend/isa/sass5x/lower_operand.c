/* Operands as instructions name them: fields, modifiers, guards. */
#include <string.h>

#include "frontend/isa/sass5x/lower.h"

struct operand read_predicate(struct sass_lowering *l, unsigned at)
{
    return predicate_register(&l->b, bits(l, at, 3));
}

struct operand written_predicate(struct sass_lowering *l, unsigned at)
{
    return written_predicate_register(&l->b, bits(l, at, 3));
}

/* What the driver leaves below the parameters. */
struct operand sass5x_launch_word(struct sass_build *b, uint32_t offset)
{
    enum { ENVIRONMENT = 0x30, ENVIRONMENT_END = 0xb0 };
    if (offset == ENVIRONMENT + 4 || offset == ENVIRONMENT + 8) /* %envreg1, %envreg2 */
        return special_register(b, offset == ENVIRONMENT + 4 ? SR_WORKSPACE_HIGH : SR_WORKSPACE_LOW);
    if (offset >= ENVIRONMENT && offset < ENVIRONMENT_END)
        return constant32(b, 0); /* the other %envreg, which CUDA does not use */
    switch (offset) {
    case 0x00: return constant32(b, (uint32_t)SHARED_WINDOW);
    case 0x04: return constant32(b, (uint32_t)LOCAL_WINDOW);
    case 0x08: return special_register(b, SR_NTID_X);
    case 0x0c: return special_register(b, SR_NTID_Y);
    case 0x10: return special_register(b, SR_NTID_Z);
    case 0x14: return special_register(b, SR_NCTAID_X);
    case 0x18: return special_register(b, SR_NCTAID_Y);
    case 0x1c: return special_register(b, SR_NCTAID_Z);
    case 0x20: return special_register(b, SR_LOCAL_BYTES);
    case 0x28: return special_register(b, SR_GRIDID);
    case 0xd0: return constant32(b, (uint32_t)CONST_WINDOW + b->banks->at[3]);
    case 0xfc: return special_register(b, SR_DYNAMIC_SMEM_SIZE);
    case 0x2c:
    case 0xd4:
    case 0x100:
    case 0x104:                            /* upper words */
    case 0x108: return constant32(b, 0);   /* whether the numbers of SMs and warps are to be converted (sm_60) */
    case 0x10c: return constant32(b, ~0u); /* how often %clock64 tries again when its upper word changes */
    default: b->family->not_covered(b, "this word of constant bank 0"); return OPERAND_NONE;
    }
}

/* ---- sources ---- */

static bool is_source(const struct sass_item *i)
{
    switch (i->kind) {
    case SI_REGISTER: return i->reuse != 0;
    case SI_CONSTANT:
    case SI_IMMEDIATE: return true;
    default: return false;
    }
}

void find_sources(struct sass_lowering *l)
{
    l->source_count = 0;
    l->plus_one = false;
    for (const struct sass_item *i = l->row->items; i->kind != SI_END; i++) {
        if (!is_source(i) || l->source_count == 4)
            continue;
        struct sass_source *s = &l->source[l->source_count++];
        bool both = i->po && bits(l, i->po, 2) == 3;
        l->plus_one |= both;
        *s = (struct sass_source){i, i->neg && bit(l, i->neg) && !both, i->abs && bit(l, i->abs),
                                  i->inv && bit(l, i->inv)};
    }
}

static uint64_t immediate(const struct sass_lowering *l, const struct sass_item *i)
{
    uint64_t v = sass_value(l->word, i), low = sass_field(l->word, i->f), sign = sass_field(l->word, i->g);
    unsigned source_size = bits(l, 10, 2);
    switch (i->style) {
    case IMM_S20:
    case IMM_U20:
    case IMM_U20_MASK: return (uint32_t)(low - (sign ? 0x80000 : 0));
    case IMM_F20: return low << 12 | sign << 31;
    case IMM_D20: return low << 44 | sign << 63;
    case IMM_BY_SOURCE:
        return source_size == 3 ? low << 44 | sign << 63 : source_size == 2 ? low << 12 | sign << 31 : low;
    default: return v;
    }
}

bool source_immediate(const struct sass_lowering *l, unsigned i, uint64_t *value)
{
    if (i >= l->source_count || l->source[i].item->kind != SI_IMMEDIATE)
        return false;
    *value = immediate(l, l->source[i].item);
    return true;
}

static const struct sass_item *item_of(struct sass_lowering *l, unsigned i)
{
    if (i >= l->source_count)
        sass_not_covered(l, NULL);
    return l->source[i].item;
}

struct operand source_raw(struct sass_lowering *l, unsigned i)
{
    const struct sass_item *item = item_of(l, i);
    uint64_t value = sass_value(l->word, item);
    switch (item->kind) {
    case SI_REGISTER: return read_register(&l->b, (unsigned)value);
    case SI_CONSTANT:
        return bank_word(&l->b, bits(l, item->g.at, item->g.width), 4 * bits(l, item->f.at, item->f.width));
    default: return constant32(&l->b, (uint32_t)immediate(l, item));
    }
}

struct operand source_64(struct sass_lowering *l, unsigned i)
{
    const struct sass_item *item = item_of(l, i);
    if (item->kind == SI_REGISTER)
        return read_pair(&l->b, (unsigned)sass_value(l->word, item));
    if (item->kind == SI_IMMEDIATE)
        return constant64(&l->b, immediate(l, item));
    unsigned bank = bits(l, item->g.at, item->g.width), offset = 4 * bits(l, item->f.at, item->f.width);
    struct operand *list = ARENA_ARRAY(l->b.arena, struct operand, 2);
    list[0] = bank_word(&l->b, bank, offset);
    list[1] = bank_word(&l->b, bank, offset + 4);
    return sass_pack(&l->b, list);
}

struct operand source_int(struct sass_lowering *l, unsigned i)
{
    struct operand v = source_raw(l, i);
    const struct sass_source *s = &l->source[i];
    if (s->inverted)
        v = lane2(&l->b, OP_NOT, T_B32, v, v);
    if (s->absolute)
        v = lane2(&l->b, OP_ABS, T_S32, v, v);
    if (s->negated)
        v = lane2(&l->b, OP_NEG, T_S32, v, v);
    return v;
}

struct operand source_f32(struct sass_lowering *l, unsigned i)
{
    struct operand v = source_raw(l, i);
    const struct sass_source *s = &l->source[i];
    if (s->absolute)
        v = lane2(&l->b, OP_AND, T_B32, v, constant32(&l->b, 0x7fffffff));
    if (s->negated)
        v = lane2(&l->b, OP_XOR, T_B32, v, constant32(&l->b, 0x80000000));
    return v;
}

struct operand source_f64(struct sass_lowering *l, unsigned i)
{
    struct operand v = source_64(l, i);
    const struct sass_source *s = &l->source[i];
    if (s->absolute)
        v = lane2(&l->b, OP_AND, T_B64, v, constant64(&l->b, ~0ull >> 1));
    if (s->negated)
        v = lane2(&l->b, OP_XOR, T_B64, v, constant64(&l->b, 1ull << 63));
    return v;
}

/* ---- operations ---- */

struct operand sass_guard(struct sass_lowering *l, bool *negated)
{
    bool has = !(l->row->flags & SASS_NO_GUARD);
    *negated = has && bit(l, 19) && bits(l, 16, 3) != PT;
    return has && bits(l, 16, 4) == (PT | 8) ? false_predicate() : has ? read_predicate(l, 16) : constant32(&l->b, ~0u);
}

void set_codes(struct sass_lowering *l, struct operand value)
{
    if (bit(l, 47))
        sass_emit(&l->b, (struct operation){
                             .kind = UOP_LANE, .op = OP_FLAGS, .type = T_U32, .flags = UF_CARRY_OUT, .a = value});
}

/* Condition code `code` where the value compares with zero. */
static struct operand code_where(struct sass_lowering *l, enum lane_type type, enum compare compare,
                                 struct operand value, uint32_t code)
{
    struct operation u = {
        .kind = UOP_LANE, .op = OP_SETP, .type = (uint8_t)type, .compare = (uint8_t)compare, .a = value};
    u.b = type == T_F64 ? constant64(&l->b, 0) : constant32(&l->b, 0);
    u.pd = sass_temporary(&l->b);
    sass_emit(&l->b, u);
    u = (struct operation){.kind = UOP_LANE, .op = OP_SELP, .type = T_B32, .p = u.pd};
    u.a = constant32(&l->b, code);
    u.b = constant32(&l->b, 0);
    u.d = sass_temporary(&l->b);
    sass_emit(&l->b, u);
    return u.d;
}
void set_float_codes(struct sass_lowering *l, unsigned at, enum lane_type type, struct operand value)
{
    enum { ZERO = 1, SIGN = 2, ALL = 15 };
    if (!bit(l, at))
        return;
    struct operand zero = code_where(l, type, CMP_EQU, value, ZERO);
    struct operand sign = code_where(l, type, CMP_LTU, value, SIGN);
    struct operation u = {.kind = UOP_LANE, .op = OP_SET_CC, .type = T_U32, .flags = UF_CARRY_OUT};
    u.a = lane2(&l->b, OP_OR, T_B32, zero, sign);
    u.b = constant32(&l->b, ALL);
    sass_emit(&l->b, u);
}

void sass_set(struct sass_lowering *l, struct operation u, bool as_float)
{
    struct operand value = sass_temporary(&l->b);
    u.pd = sass_temporary(&l->b);
    sass_emit(&l->b, u);
    sass_emit(&l->b, (struct operation){.kind = UOP_LANE,
                                        .op = OP_SELP,
                                        .type = T_B32,
                                        .d = value,
                                        .p = u.pd,
                                        .a = constant32(&l->b, as_float ? 0x3f800000 : ~0u),
                                        .b = constant32(&l->b, 0)});
    move32(&l->b, written(&l->b, bits(l, 0, 8)), value);
    set_codes(l, value);
}

void set_predicates(struct sass_lowering *l, struct operation *u, unsigned combine_at)
{
    static const uint8_t combines[4] = {COMBINE_AND, COMBINE_OR, COMBINE_XOR, COMBINE_NONE};
    u->combine = combines[bits(l, combine_at, 2)];
    if (u->combine == COMBINE_NONE)
        sass_not_covered(l, "this combination of predicates");
    u->p = read_predicate(l, 39);
    u->p_flip = bit(l, 42);
}

static void move_predicate(struct sass_lowering *l, struct operand d, struct operand value)
{
    sass_emit(&l->b, (struct operation){.kind = UOP_LANE, .op = OP_MOV, .type = T_PRED, .d = d, .a = value});
}
void write_predicates(struct sass_lowering *l, struct operand first, struct operand second)
{
    struct operand d = written_predicate(l, 3), d2 = written_predicate(l, 0);
    bool first_last = bits(l, 3, 3) == bits(l, 16, 3);
    if (is_register(d) && !first_last)
        move_predicate(l, d, first);
    if (is_register(d2))
        move_predicate(l, d2, second);
    if (is_register(d) && first_last)
        move_predicate(l, d, first);
}
enum compare float_compare(unsigned code)
{
    static const uint8_t compares[16] = {CMP_FALSE, CMP_LT,  CMP_EQ,  CMP_LE,  CMP_GT,  CMP_NE,  CMP_GE,  CMP_NUM,
                                         CMP_NAN,   CMP_LTU, CMP_EQU, CMP_LEU, CMP_GTU, CMP_NEU, CMP_GEU, CMP_TRUE};
    return compares[code & 15];
}

enum compare int_compare(unsigned code) { return code == 7 ? CMP_TRUE : float_compare(code & 7); }

enum rounding sass_rounding(unsigned code)
{
    static const uint8_t roundings[4] = {ROUND_N, ROUND_M, ROUND_P, ROUND_Z};
    return roundings[code & 3];
}
