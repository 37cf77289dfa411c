/* Arithmetic that instructions of several generations have: products with .FMZ and scales, extremes, sums with signs by
 * lane, reciprocals of doubles from their upper words, parts of words, numbers of 8 and 16 bits. */
#include "frontend/isa/sass/lower.h"

struct operand sass_value_of(struct sass_lowering *l, struct operation u)
{
    u.kind = UOP_LANE;
    u.d = sass_temporary(&l->b);
    sass_emit(&l->b, u);
    return u.d;
}

/* ---- products ---- */

void sass_zero_factors(struct sass_lowering *l, struct operand *a, struct operand *b)
{
    struct operand *factors[2] = {a, b}, zero = constant32(&l->b, 0), either = sass_temporary(&l->b);
    for (int i = 0; i < 2; i++)
        sass_emit(&l->b, (struct operation){.kind = UOP_LANE,
                                            .op = OP_SETP,
                                            .type = T_F32,
                                            .flags = UF_FTZ,
                                            .compare = CMP_EQ,
                                            .combine = COMBINE_OR,
                                            .a = *factors[i],
                                            .b = zero,
                                            .p = i ? either : zero,
                                            .pd = either});
    for (int i = 0; i < 2; i++)
        *factors[i] = sass_value_of(
            l, (struct operation){.op = OP_SELP, .type = T_B32, .a = zero, .b = *factors[i], .p = either});
}

static struct operand as_f64(struct sass_lowering *l, struct operand v, uint64_t flags)
{
    return sass_value_of(
        l, (struct operation){.op = OP_CVT, .type = T_F64, .stype = T_F32, .flags = flags & UF_FTZ, .a = v});
}

/* In double precision all but the last rounding is exact. */
void sass_scaled_product(struct sass_lowering *l, struct operation u, int exponent)
{
    struct operation product = {.op = OP_MUL, .type = T_F64, .rounding = ROUND_N};
    product.a = as_f64(l, u.a, u.flags);
    product.b = as_f64(l, u.b, u.flags);
    product.a = sass_value_of(l, product);
    product.b = constant64(&l->b, (uint64_t)(1023 + exponent) << 52);
    u.kind = UOP_LANE;
    u.op = OP_CVT;
    u.type = T_F32;
    u.stype = T_F64;
    u.a = sass_value_of(l, product);
    u.b = OPERAND_NONE;
    sass_emit(&l->b, u);
}

/* ---- extremes ---- */

void sass_extreme(struct sass_lowering *l, struct operation u, unsigned predicate_at)
{
    const unsigned bits_of = lane_type_bits((enum lane_type)u.type);
    bool negated = bit(l, predicate_at + 3);
    u.kind = UOP_LANE;
    u.op = negated ? OP_MAX : OP_MIN;
    if (bits(l, predicate_at, 3) == PT) {
        sass_emit(&l->b, u);
        return;
    }
    struct operation select = {.kind = UOP_LANE, .op = OP_SELP, .type = bits_of == 64 ? T_B64 : T_B32, .d = u.d};
    u.op = OP_MIN;
    select.a = sass_value_of(l, u);
    u.op = OP_MAX;
    select.b = sass_value_of(l, u);
    select.p = read_predicate(l, predicate_at);
    select.p_flip = negated;
    sass_emit(&l->b, select);
}

/* ---- sums by lane ---- */

/* One word for each lane, the same in all quads. */
static struct operand by_lane(struct sass_lowering *l, const uint32_t of_quad[4])
{
    uint32_t elements[RP_WARP_LANES];
    for (int lane = 0; lane < RP_WARP_LANES; lane++)
        elements[lane] = of_quad[lane % 4];
    return constants_words(&l->b.constants, l->b.arena, elements);
}

/* The names of the codes from the row's swizzle: of each source P, N (negated) or Z (zero). */
static const char *const *swizzle_names(const struct sass_lowering *l)
{
    const struct sass_item *i = l->row->items;
    while (i->kind != SI_SWIZZLE)
        i++;
    return i->names;
}

void sass_swizzled_sum(struct sass_lowering *l, struct operation u, unsigned swizzle_at)
{
    const char *const *names = swizzle_names(l);
    const uint32_t sign = 0x80000000;
    uint32_t keep_a[4], sign_a[4], sign_b[4];
    for (unsigned lane = 0; lane < 4; lane++) {
        const char *how = names[bits(l, swizzle_at + 6 - 2 * lane, 2)];
        keep_a[lane] = how[0] == 'Z' ? 0 : ~0u;
        sign_a[lane] = how[0] == 'N' ? sign : 0;
        sign_b[lane] = how[1] == 'N' ? sign : 0;
    }
    u.kind = UOP_LANE;
    u.op = OP_ADD;
    u.type = T_F32;
    struct operand a = lane2(&l->b, OP_XOR, T_B32, source_raw(l, 0), by_lane(l, sign_a));
    u.a = lane2(&l->b, OP_AND, T_B32, a, by_lane(l, keep_a));
    u.b = lane2(&l->b, OP_XOR, T_B32, source_raw(l, 1), by_lane(l, sign_b));
    sass_emit(&l->b, u);
}

/* ---- doubles by their upper words ---- */

void sass_upper_function(struct sass_lowering *l, enum lane_op op, struct operand upper, struct operand d)
{
    struct operand *words = ARENA_ARRAY(l->b.arena, struct operand, 2),
                   *out = ARENA_ARRAY(l->b.arena, struct operand, 2);
    words[0] = constant32(&l->b, 0);
    words[1] = upper;
    struct operation u = {.op = (uint8_t)op, .type = T_F64, .flags = UF_APPROX | UF_FTZ};
    u.a = sass_value_of(l, (struct operation){.op = OP_PACK, .type = T_B64, .stype = T_B32, .lists = {{words, 2}}});
    out[1] = d;
    u.a = sass_value_of(l, u);
    sass_emit(&l->b,
              (struct operation){
                  .kind = UOP_LANE, .op = OP_UNPACK, .type = T_B64, .stype = T_B32, .a = u.a, .lists = {{out, 2}}});
}

/* ---- parts of words ---- */

struct operand sass_half_of(struct sass_lowering *l, struct operand word, bool upper)
{
    struct operand *halves = ARENA_ARRAY(l->b.arena, struct operand, 2), t = sass_temporary(&l->b);
    halves[upper] = t;
    sass_emit(&l->b,
              (struct operation){
                  .kind = UOP_LANE, .op = OP_UNPACK, .type = T_B32, .stype = T_B16, .a = word, .lists = {{halves, 2}}});
    return t;
}

void sass_store_halves(struct sass_lowering *l, struct operand d, struct operand low, struct operand high)
{
    struct operand *list = ARENA_ARRAY(l->b.arena, struct operand, 2);
    list[0] = low;
    list[1] = high;
    sass_emit(&l->b, (struct operation){
                         .kind = UOP_LANE, .op = OP_PACK, .type = T_B32, .stype = T_B16, .d = d, .lists = {{list, 2}}});
}

struct operand sass_part_of(struct sass_lowering *l, struct operand word, bool is_signed, unsigned at, unsigned width)
{
    struct operation u = {.op = OP_BFE, .type = is_signed ? T_S32 : T_U32, .a = word};
    u.b = constant32(&l->b, at);
    u.c = constant32(&l->b, width);
    return sass_value_of(l, u);
}

struct operand sass_small_float(struct sass_lowering *l, unsigned i, bool upper)
{
    struct operand v = sass_half_of(l, source_raw(l, i), upper);
    if (l->source[i].absolute)
        v = lane2(&l->b, OP_AND, T_B16, v, constant32(&l->b, 0x7fff7fff));
    if (l->source[i].negated)
        v = lane2(&l->b, OP_XOR, T_B16, v, constant32(&l->b, 0x80008000));
    return v;
}

struct operand sass_store_number(struct sass_lowering *l, unsigned d, enum lane_type type, struct operand value)
{
    switch (lane_type_bits(type)) {
    case 64: write_pair(&l->b, d, value); return value;
    case 32: move32(&l->b, written(&l->b, d), value); return value;
    default: {
        bool is_float = type == T_F16 || type == T_BF16;
        struct operation u = {.kind = UOP_LANE, .op = OP_CVT, .type = T_U32, .a = value};
        u.stype = is_float ? T_U16 : (uint8_t)type;
        u.d = written(&l->b, d);
        sass_emit(&l->b, u);
        return is_float ? value : u.d;
    }
    }
}
