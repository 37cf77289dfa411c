/* Half precision: two operations side by side. Each result is rounded once, to f16 or to f32. A source that is a single
 * f32 (.F32) is first truncated to f16: ptxas writes cvt.rz.f16.f32 as HADD2 Rd, Ra.F32, -0 (and cvt.rn as F2F). */
#include "frontend/isa/sass5x/lower.h"

enum half_swizzle { BOTH_HALVES, ONE_F32, LOW_TWICE, HIGH_TWICE };
enum half_merge { MERGE_PAIR, MERGE_F32, MERGE_LOW, MERGE_HIGH };

struct half_source {
    struct operand word;
    enum half_swizzle swizzle;
    bool absolute, negated;
};
/* The bit positions of a form's modifiers. */
struct half_form {
    uint16_t row;
    uint8_t op, ftz_at, ftz_width, sat_at, merge_at; /* 0: none */
};
static const struct half_form forms[] = {
    {0x5d10, OP_ADD, 39, 1, 32, 49}, {0x7a80, OP_ADD, 39, 1, 52, 49}, {0x7a00, OP_ADD, 39, 1, 52, 49},
    {0x2c00, OP_ADD, 55, 1, 52, 0},  {0x5d08, OP_MUL, 39, 2, 32, 49}, {0x7880, OP_MUL, 39, 2, 52, 49},
    {0x7800, OP_MUL, 39, 2, 52, 49}, {0x2a00, OP_MUL, 55, 2, 52, 0},  {0x5d00, OP_FMA, 37, 2, 32, 49},
    {0x7080, OP_FMA, 57, 2, 52, 49}, {0x6080, OP_FMA, 57, 2, 52, 49}, {0x7000, OP_FMA, 57, 2, 52, 49},
    {0x2800, OP_FMA, 55, 2, 0, 0},
};

static const struct half_form *form_of(struct sass_lowering *l)
{
    for (unsigned i = 0; i < sizeof forms / sizeof *forms; i++)
        if (forms[i].row == l->row->value)
            return &forms[i];
    sass_not_covered(l, NULL);
}

/* Finds the sources in order. An immediate consists of two of the instruction's items, the upper half first. */
static unsigned half_sources(struct sass_lowering *l, struct half_source out[3])
{
    unsigned count = 0;
    for (unsigned i = 0; i < l->source_count && count < 3; i++) {
        const struct sass_source *s = &l->source[i];
        struct half_source h = {.absolute = s->absolute, .negated = s->negated};
        /* a constant is always an f32: ptxas puts 0x3f80a000 into the bank for the f16 constant 0x3c05 */
        h.swizzle = s->item->kind == SI_CONSTANT ? ONE_F32 : BOTH_HALVES;
        if (s->item->sf.width)
            h.swizzle = (enum half_swizzle)sass_field(l->word, s->item->sf);
        if (s->item->kind == SI_IMMEDIATE && i + 1 < l->source_count) {
            unsigned shift = s->item->style == IMM_F16_9 ? 6 : 0;
            uint64_t high = sass_value(l->word, s->item), low = sass_value(l->word, l->source[++i].item);
            h.word = constant32(&l->b, (uint32_t)(high << shift << 16 | low << shift));
        } else {
            h.word = source_raw(l, i);
        }
        out[count++] = h;
    }
    return count;
}

static struct operand converted(struct sass_lowering *l, enum lane_type from, enum lane_type to, struct operand a)
{
    return sass_value_of(l, (struct operation){.op = OP_CVT,
                                               .type = (uint8_t)to,
                                               .stype = (uint8_t)from,
                                               .rounding = to == T_F16 ? ROUND_Z : ROUND_DEFAULT,
                                               .a = a});
}

/* The value of a source for one half of the result, as f16. */
static struct operand value_of(struct sass_lowering *l, const struct half_source *s, unsigned part)
{
    struct operand v;
    if (s->swizzle == ONE_F32)
        v = converted(l, T_F32, T_F16, s->word);
    else
        v = sass_half_of(l, s->word, s->swizzle == LOW_TWICE ? 0 : s->swizzle == HIGH_TWICE ? 1 : part);
    if (s->absolute)
        v = lane2(&l->b, OP_AND, T_B16, v, constant32(&l->b, 0x7fff7fff));
    if (s->negated)
        v = lane2(&l->b, OP_XOR, T_B16, v, constant32(&l->b, 0x80008000));
    return v;
}
/* Flushes subnormals to zero, by a product with one. */
static struct operand flushed(struct sass_lowering *l, struct operand v)
{
    return sass_value_of(
        l,
        (struct operation){.op = OP_MUL, .type = T_F16, .flags = UF_FTZ, .a = v, .b = constant32(&l->b, 0x3c003c00)});
}

/* Computes one half of the result, or an f32, into d. */
static void compute(struct sass_lowering *l, const struct half_form *f, const struct half_source *s, unsigned part,
                    bool to_f32, struct operand d)
{
    unsigned ftz = bits(l, f->ftz_at, f->ftz_width), count = f->op == OP_FMA ? 3 : 2;
    struct operand v[3] = {OPERAND_NONE, OPERAND_NONE, OPERAND_NONE};
    if (ftz > 2)
        sass_not_covered(l, "a reserved modifier");
    for (unsigned i = 0; i < count; i++) {
        v[i] = value_of(l, &s[i], part);
        v[i] = ftz == 2 || (ftz && to_f32) ? flushed(l, v[i]) : v[i];
        v[i] = to_f32 || ftz == 2 ? converted(l, T_F16, T_F32, v[i]) : v[i];
    }
    if (ftz == 2)
        sass_zero_factors(l, &v[0], &v[1]);
    for (unsigned i = 0; i < count && ftz == 2 && !to_f32; i++)
        v[i] = converted(l, T_F32, T_F16, v[i]);
    struct operation u = {.kind = UOP_LANE, .op = f->op, .type = to_f32 ? T_F32 : T_F16, .d = d};
    u.flags = (ftz ? UF_FTZ : 0) | (f->sat_at && bit(l, f->sat_at) ? UF_SAT : 0);
    u.rounding = ROUND_N;
    u.a = v[0];
    u.b = v[1];
    u.c = v[2];
    sass_emit(&l->b, u);
}

/* Stores both halves into Rd, or one half beside the other half of the old value. */
static void store_halves(struct sass_lowering *l, struct operand low, struct operand high, enum half_merge merge)
{
    unsigned d = bits(l, 0, 8);
    if (merge == MERGE_HIGH)
        low = sass_half_of(l, read_register(&l->b, d), 0);
    if (merge == MERGE_LOW)
        high = sass_half_of(l, read_register(&l->b, d), 1);
    sass_store_halves(l, written(&l->b, d), low, high);
}

static void lower_arithmetic(struct sass_lowering *l)
{
    const struct half_form *f = form_of(l);
    struct half_source s[3];
    enum half_merge merge = f->merge_at ? (enum half_merge)bits(l, f->merge_at, 2) : MERGE_PAIR;
    half_sources(l, s);
    if (merge == MERGE_F32) {
        compute(l, f, s, 0, true, written(&l->b, bits(l, 0, 8)));
        return;
    }
    struct operand half[2];
    half[0] = sass_temporary(&l->b);
    half[1] = sass_temporary(&l->b);
    uint32_t kept = l->b.temporaries;
    for (unsigned part = 0; part < 2; part++) {
        l->b.temporaries = kept;
        compute(l, f, s, part, false, half[part]);
    }
    store_halves(l, half[0], half[1], merge);
}

/* ---- comparisons ---- */

/* The result of the comparison of one half, before it is combined with Pc. */
static struct operand compared(struct sass_lowering *l, unsigned part, unsigned compare_at, bool ftz)
{
    struct half_source s[3];
    half_sources(l, s);
    struct operation u = {.kind = UOP_LANE, .op = OP_SETP, .type = T_F32, .combine = COMBINE_AND};
    u.compare = (uint8_t)float_compare(bits(l, compare_at, 4));
    struct operand a = value_of(l, &s[0], part), b = value_of(l, &s[1], part);
    u.a = converted(l, T_F16, T_F32, ftz ? flushed(l, a) : a);
    u.b = converted(l, T_F16, T_F32, ftz ? flushed(l, b) : b);
    u.p = constant32(&l->b, ~0u);
    u.pd = sass_temporary(&l->b);
    sass_emit(&l->b, u);
    return u.pd;
}

/* The value, or its complement if `negated`, combined with Pc as the instruction says. */
static struct operand with_predicate(struct sass_lowering *l, struct operand value, bool negated)
{
    static const uint8_t ops[3] = {OP_AND, OP_OR, OP_XOR};
    unsigned how = bits(l, 45, 2);
    if (how == 3)
        sass_not_covered(l, "this combination of predicates");
    struct operand c = read_predicate(l, 39);
    if (bit(l, 42))
        c = lane2(&l->b, OP_XOR, T_PRED, c, constant32(&l->b, ~0u));
    if (negated)
        value = lane2(&l->b, OP_XOR, T_PRED, value, constant32(&l->b, ~0u));
    return lane2(&l->b, (enum lane_op)ops[how], T_PRED, value, c);
}

static void lower_hset2(struct sass_lowering *l)
{
    bool reg = l->row->value == 0x5d18, one = bit(l, reg ? 49 : 53), ftz = bit(l, reg ? 50 : 54);
    struct operand parts[2];
    for (unsigned part = 0; part < 2; part++) {
        struct operation u = {.kind = UOP_LANE, .op = OP_SELP, .type = T_B32, .b = constant32(&l->b, 0)};
        u.a = constant32(&l->b, (one ? 0x3c00u : 0xffffu) << 16 * part);
        u.p = with_predicate(l, compared(l, part, reg ? 35 : 49, ftz), false);
        parts[part] = u.d = sass_temporary(&l->b);
        sass_emit(&l->b, u);
    }
    struct operand value = lane2(&l->b, OP_OR, T_B32, parts[0], parts[1]);
    move32(&l->b, written(&l->b, bits(l, 0, 8)), value);
}

static void lower_hsetp2(struct sass_lowering *l)
{
    bool reg = l->row->value == 0x5d20, both = bit(l, reg ? 49 : 53), ftz = bit(l, 6);
    struct operand low = compared(l, 0, reg ? 35 : 49, ftz), high = compared(l, 1, reg ? 35 : 49, ftz);
    if (both)
        low = high = lane2(&l->b, OP_AND, T_PRED, low, high);
    struct operand first = with_predicate(l, low, false);
    write_predicates(l, first, with_predicate(l, high, both));
}

const struct sass_meaning sass_half[] = {
    {"HADD2", lower_arithmetic},     {"HADD2_32I", lower_arithmetic}, {"HMUL2", lower_arithmetic},
    {"HMUL2_32I", lower_arithmetic}, {"HFMA2", lower_arithmetic},     {"HFMA2_32I", lower_arithmetic},
    {"HSET2", lower_hset2},          {"HSETP2", lower_hsetp2},        {NULL, NULL}};
