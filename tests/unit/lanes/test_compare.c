#include "harness.h"
#include "tests/support/model_float.h"

/* Comparison by the table of the PTX ISA; floats as long double, which holds both formats exactly. */
static long double value_of(int type, uint64_t bits)
{
    uint32_t word = (uint32_t)bits;
    float f;
    double d;
    memcpy(&f, &word, sizeof f);
    memcpy(&d, &bits, sizeof d);
    return type == T_F32 ? (long double)f : (long double)d;
}
static bool ordered(int compare, bool less, bool equal)
{
    switch (compare) {
    case CMP_EQ: return equal;
    case CMP_NE: return !equal;
    case CMP_LT:
    case CMP_LO: return less;
    case CMP_LE:
    case CMP_LS: return less || equal;
    case CMP_GT:
    case CMP_HI: return !less && !equal;
    default: return !less;
    }
}
static bool model(int compare, int type, bool ftz, uint64_t a, uint64_t b)
{
    if (compare >= CMP_TRUE)
        return compare == CMP_TRUE;
    if (!lane_is_float(type)) {
        bool s = lane_is_signed(type) && compare < CMP_LO;
        int64_t x = sext(a, lane_type_bits(type)), y = sext(b, lane_type_bits(type));
        uint64_t ux = zext(a, lane_type_bits(type)), uy = zext(b, lane_type_bits(type));
        return ordered(compare, s ? x < y : ux < uy, ux == uy);
    }
    long double x = value_of(type, ftz ? flushed(a) : a), y = value_of(type, ftz ? flushed(b) : b);
    bool nan = x != x || y != y;
    if (compare == CMP_NUM || compare == CMP_NAN)
        return nan == (compare == CMP_NAN);
    if (nan)
        return compare >= CMP_EQU;
    static const uint8_t plain[] = {[CMP_EQU] = CMP_EQ, [CMP_NEU] = CMP_NE, [CMP_LTU] = CMP_LT,
                                    [CMP_LEU] = CMP_LE, [CMP_GTU] = CMP_GT, [CMP_GEU] = CMP_GE};
    return ordered(compare >= CMP_EQU ? plain[compare] : compare, x < y, x == y);
}
static bool combined(int combine, bool t, bool p)
{
    return combine == COMBINE_AND ? t && p : combine == COMBINE_OR ? t || p : combine == COMBINE_XOR ? t != p : t;
}

enum { PREDICATES = 13 }; /* a slot: p at 0, pd at 4, pd2 at 8 */
static void fill(struct bench_warp *w, int type, uint64_t a[LANES], uint64_t b[LANES], int batch)
{
    struct corners c = corners_of(type);
    for (int l = 0; l < LANES; l++) {
        int i = batch * LANES + l;
        bool corner = i < c.count * c.count;
        put_element(w->slots + 4 * SLOT, type, l, a[l] = corner ? c.values[i % c.count] : random_value(type));
        put_element(w->slots + 7 * SLOT, type, l,
                    b[l] = corner              ? c.values[i / c.count]
                           : next_random() % 4 ? random_value(type)
                                               : a[l]);
    }
}
static void check_setp(const struct operation *u, int batch, int level)
{
    struct bench_warp *w = new_warp();
    uint64_t a[LANES], b[LANES];
    fill(w, u->type, a, b, batch);
    lanemask mask = batch % 2 ? ~0u : (lanemask)next_random(), before[3], after[3];
    memcpy(before, w->slots + PREDICATES * SLOT, sizeof before);
    execute(u, &w->warp, mask);
    memcpy(after, w->slots + PREDICATES * SLOT, sizeof after);
    for (int l = 0; l < LANES; l++) {
        bool executed = mask >> l & 1, t = model(u->compare, u->type, u->flags & UF_FTZ, a[l], b[l]);
        bool p = (before[0] >> l & 1) ^ u->p_flip;
        bool first = executed ? combined(u->combine, t, p) : before[1] >> l & 1;
        bool second = executed && is_register(u->pd2) ? combined(u->combine, !t, p) : before[2] >> l & 1;
        cr_assert_eq(after[1] >> l & 1, first, "setp compare %d type %d combine %d v%d: %#lx %#lx", u->compare, u->type,
                     u->combine, level, a[l], b[l]);
        cr_assert_eq(after[2] >> l & 1, second, "second of setp compare %d type %d combine %d v%d: %#lx %#lx",
                     u->compare, u->type, u->combine, level, a[l], b[l]);
    }
}
static void check_set(struct operation u, int batch, int level, int result)
{
    u.op = OP_SET, u.stype = u.type, u.type = (uint8_t)result;
    u.fn = bind_at(&u, level);
    cr_assert(u.fn, "set");
    struct bench_warp *w = new_warp();
    uint64_t a[LANES], b[LANES];
    fill(w, u.stype, a, b, batch);
    lanemask p;
    memcpy(&p, w->slots + PREDICATES * SLOT, sizeof p);
    execute(&u, &w->warp, ~0u);
    for (int l = 0; l < LANES; l++) {
        bool t = combined(u.combine, model(u.compare, u.stype, u.flags & UF_FTZ, a[l], b[l]), (p >> l & 1) ^ u.p_flip);
        uint32_t expected = !t ? 0 : result == T_F32 ? 0x3f800000 : 0xffffffff;
        cr_assert_eq(get_element(w->slots + SLOT, T_U32, l), expected, "set compare %d type %d", u.compare, u.stype);
    }
}
static void check_compare(int type, int compare, uint32_t flags, int level)
{
    struct lane_case c = {"setp", OP_SETP, (uint8_t)type, 0, flags, 0, 0, 0, 0, 0, 0, 0};
    for (int combine = COMBINE_NONE; combine <= COMBINE_XOR; combine++)
        for (int form = 0; form < 2; form++) { /* one destination, or two and a negated predicate */
            struct operation u = operation_of(&c);
            u.compare = (uint8_t)compare, u.combine = (uint8_t)combine, u.p_flip = (uint8_t)form;
            u.p = OPERAND_REGISTER(PREDICATES * SLOT);
            u.pd = OPERAND_REGISTER(PREDICATES * SLOT + 4);
            if (form)
                u.pd2 = OPERAND_REGISTER(PREDICATES * SLOT + 8);
            u.fn = bind_at(&u, level);
            cr_assert(u.fn, "setp compare %d type %d", compare, type);
            int batches = combine ? 4 : 60;
            for (int batch = 0; batch < batches; batch++)
                check_setp(&u, batch, level);
            check_set(u, 5, level, form ? T_F32 : T_U32);
        }
}
Test(compare, every_comparison)
{
    static const uint8_t integers[] = {T_B16, T_U16, T_S16, T_B32, T_U32, T_S32, T_B64, T_U64, T_S64};
    for (int level = 2; level <= widest_level(); level++) {
        for (int i = 0; i < 9; i++)
            for (int compare = CMP_EQ; compare <= CMP_HS; compare++)
                check_compare(integers[i], compare, 0, level);
        for (int compare = CMP_EQ; compare <= CMP_FALSE; compare++) {
            if (compare >= CMP_LO && compare <= CMP_HS)
                continue;
            check_compare(T_F32, compare, 0, level);
            check_compare(T_F32, compare, UF_FTZ, level);
            check_compare(T_F64, compare, 0, level);
        }
    }
}

Test(compare, classes)
{
    for (int level = 2; level <= widest_level(); level++)
        for (int type = T_F32; type <= T_F64; type++)
            for (int test = TESTP_FINITE; test <= TESTP_SUBNORMAL; test++) {
                struct lane_case c = {"testp", OP_TESTP, (uint8_t)type, 0, 0, 0, test, 0, 0, 0, 0, 0};
                struct operation u = operation_of(&c);
                u.pd = OPERAND_REGISTER(PREDICATES * SLOT);
                u.fn = bind_at(&u, level);
                cr_assert(u.fn);
                struct bench_warp *w = new_warp();
                uint64_t a[LANES], b[LANES];
                fill(w, type, a, b, 0);
                execute(&u, &w->warp, ~0u);
                lanemask got;
                memcpy(&got, w->slots + PREDICATES * SLOT, sizeof got);
                for (int l = 0; l < LANES; l++) {
                    long double x = value_of(type, a[l]), m = x < 0 ? -x : x;
                    long double least = type == T_F32 ? 0x1p-126L : 0x1p-1022L;
                    bool nan = x != x, infinite = m > 0x1p1024L, subnormal = m > 0 && m < least;
                    bool expected[] = {!nan && !infinite, infinite, !nan, nan, !nan && !infinite && !subnormal,
                                       subnormal};
                    cr_assert_eq(got >> l & 1, expected[test], "testp %d type %d of %#lx", test, type, a[l]);
                }
            }
}

/* ---- selection ---- */

static uint64_t slct_model(const struct lane_case *c, uint64_t a, uint64_t b, uint64_t z)
{
    if (c->stype != T_F32)
        return sext(z, 32) >= 0 ? a : b;
    long double x = value_of(T_F32, c->flags & UF_FTZ ? flushed(z) : z);
    return x >= 0 ? a : b;
}
Test(compare, slct)
{
    static const uint8_t types[] = {T_B16, T_B32, T_B64, T_F32, T_F64};
    for (int i = 0; i < 5; i++)
        for (int k = 0; k < 3; k++) {
            uint8_t third = k ? T_F32 : T_S32;
            struct lane_case c = {"slct",   OP_SLCT,  types[i], third, k == 2 ? UF_FTZ : 0, 0, 0,
                                  types[i], types[i], types[i], third, slct_model};
            run_case(&c, 256);
        }
}
static lanemask selector = 0x13579bdf;
static uint64_t selp_model(const struct lane_case *c, uint64_t a, uint64_t b, uint64_t z)
{
    (void)c;
    return z ? a : b;
}
Test(compare, selp)
{
    static const uint8_t types[] = {T_B16, T_B32, T_B64};
    for (int level = 2; level <= widest_level(); level++)
        for (int i = 0; i < 6; i++) {
            struct lane_case c = {"selp", OP_SELP, types[i % 3], 0, 0, 0, 0, 0, 0, 0, 0, selp_model};
            struct operation u = operation_of(&c);
            u.p_flip = i >= 3;
            u.fn = bind_at(&u, level);
            cr_assert(u.fn);
            struct bench_warp *w = new_warp();
            u.p = put_constant(w, &selector, sizeof selector);
            uint64_t a[LANES], b[LANES];
            fill(w, c.type, a, b, 100);
            execute(&u, &w->warp, ~0u);
            for (int l = 0; l < LANES; l++)
                cr_assert_eq(get_element(w->slots + SLOT, c.type, l),
                             selp_model(&c, a[l], b[l], (selector >> l & 1) ^ u.p_flip), "selp");
        }
}
