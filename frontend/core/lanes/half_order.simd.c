/* Signs, extremes and comparisons of f16 and bf16, alone and in pairs (PTX ISA, the half-precision instructions).
 *
 * min and max compare bits: they convert the operands to integers of the same order, with -0 less than +0. If one
 * operand is NaN the other is the result; two give NaN. With .NaN one is enough for NaN. .xorsign.abs compares
 * magnitudes and gives the result the product of the signs. setp of a pair has a predicate for each half, p|q. set
 * writes 1.0, or all ones, to the destination; for a pair, to each half. */
#include "frontend/core/lanes/groups.h"
#include "frontend/core/lanes/small.h"

enum { SMALL_NAN = 0x7fff };

INLINE bool is_pair(enum lane_type t) { return t == T_F16X2 || t == T_BF16X2; }
INLINE bool is_brain(enum lane_type t) { return t == T_BF16 || t == T_BF16X2; }
INLINE u16 infinity_of(enum lane_type t) { return (u16)(is_brain(t) ? bf16_format.infinity : f16_format.infinity); }

/* One half of a lane, or all of it. ftz (f16 only): subnormals count as zero. */
INLINE u16 element(const void *reg, enum lane_type type, int l, int part, bool ftz)
{
    u16 h = is_pair(type) ? (u16)(((const u32 *)reg)[l] >> 16 * part) : ((const u16 *)reg)[l];
    return ftz && !(h & 0x7c00) ? h & 0x8000 : h;
}
static bool flushes(const struct uop *u, enum lane_type type) { return u->flags & UF_FTZ && !is_brain(type); }

static void store(struct warp *w, const struct uop *u, lanemask executed, const u32 *r)
{
    if (is_pair(u->type) || TYPE(u->type) & TYPES32)
        STORE_LANES(u32, destination(w, u->d), executed, r[l]);
    else
        STORE_LANES(u16, destination(w, u->d), executed, r[l]);
}

/* ---- signs and extremes ---- */

static u16 signed_as(const struct uop *u, u16 h) { return u->op == OP_ABS ? h & 0x7fff : h ^ 0x8000; }

HANDLER(small_sign)
{
    const void *a = source(w, u->a);
    const int parts = is_pair(u->type) ? 2 : 1;
    u32 r[LANES] ALIGNED;
    for (int l = 0; l < LANES; l++) {
        r[l] = 0;
        for (int part = 0; part < parts; part++)
            r[l] |= (u32)signed_as(u, element(a, u->type, l, part, flushes(u, u->type))) << 16 * part;
    }
    store(w, u, executed, r);
}

INLINE u16 ordered_bits(u16 h) { return h & 0x8000 ? ~h : h | 0x8000; }

static u16 extreme(const struct uop *u, u16 x, u16 y)
{
    const u16 infinity = infinity_of(u->type);
    const u16 sign = u->flags & UF_XORSIGN ? (x ^ y) & 0x8000 : 0, keep = u->flags & UF_XORSIGN ? 0x7fff : 0xffff;
    const bool nan_x = (x & 0x7fff) > infinity, nan_y = (y & 0x7fff) > infinity;
    if ((nan_x && nan_y) || ((nan_x || nan_y) && u->flags & UF_NAN))
        return SMALL_NAN;
    x &= keep;
    y &= keep;
    const bool less = ordered_bits(x) < ordered_bits(y);
    const u16 r = nan_x ? y : nan_y ? x : less == (u->op == OP_MIN) ? x : y;
    return r | sign;
}

HANDLER(small_extreme)
{
    const void *a = source(w, u->a), *b = source(w, u->b);
    const int parts = is_pair(u->type) ? 2 : 1;
    const bool ftz = flushes(u, u->type);
    u32 r[LANES] ALIGNED;
    for (int l = 0; l < LANES; l++) {
        r[l] = 0;
        for (int part = 0; part < parts; part++)
            r[l] |= (u32)extreme(u, element(a, u->type, l, part, ftz), element(b, u->type, l, part, ftz)) << 16 * part;
    }
    store(w, u, executed, r);
}

/* ---- comparisons ---- */

/* The outcomes for which a comparison holds: less 1, equal 2, greater 4, not ordered 8. */
static const u8 holds_for[] = {
    [CMP_EQ] = 2,   [CMP_NE] = 5,   [CMP_LT] = 1,    [CMP_LE] = 3,   [CMP_GT] = 4,   [CMP_GE] = 6,
    [CMP_EQU] = 10, [CMP_NEU] = 13, [CMP_LTU] = 9,   [CMP_LEU] = 11, [CMP_GTU] = 12, [CMP_GEU] = 14,
    [CMP_NUM] = 7,  [CMP_NAN] = 8,  [CMP_TRUE] = 15, [CMP_FALSE] = 0};

/* The lanes in which the comparison of one half holds. */
static lanemask compared(const struct warp *w, const struct uop *u, enum lane_type type, int part)
{
    const void *a = source(w, u->a), *b = source(w, u->b);
    const bool ftz = flushes(u, type), brain = is_brain(type);
    const u32 holds = holds_for[u->compare];
    u32 q[LANES] ALIGNED;
    for (int l = 0; l < LANES; l++) {
        const u16 x = element(a, type, l, part, ftz), y = element(b, type, l, part, ftz);
        const f32 fx = brain ? f32_of_bf16(x) : f32_of_f16(x), fy = brain ? f32_of_bf16(y) : f32_of_f16(y);
        const u32 is = fx < fy ? 1 : fx == fy ? 2 : fx > fy ? 4 : 8;
        q[l] = holds & is ? ~0u : 0;
    }
    return mask_of_words(q);
}
static lanemask combined(const struct warp *w, const struct uop *u, lanemask t)
{
    return combine_masks(u->combine, t, u->combine == COMBINE_NONE ? 0 : predicate(w, u));
}

HANDLER(small_setp)
{
    const lanemask low = compared(w, u, u->type, 0), high = is_pair(u->type) ? compared(w, u, u->type, 1) : ~low;
    const lanemask first = combined(w, u, low), second = combined(w, u, high);
    write_predicate(w, u->pd, first, executed);
    write_predicate(w, second_predicate(u), second, executed);
}

/* What set writes where the comparison holds. */
static u32 truth(const struct uop *u)
{
    switch (u->type) {
    case T_F16:
    case T_F16X2: return 0x3c00;
    case T_BF16:
    case T_BF16X2: return 0x3f80;
    default: return is_pair(u->stype) || TYPE(u->type) & TYPES16 ? 0xffff : 0xffffffff;
    }
}

HANDLER(small_set)
{
    const lanemask low = combined(w, u, compared(w, u, u->stype, 0));
    const lanemask high = is_pair(u->stype) ? combined(w, u, compared(w, u, u->stype, 1)) : 0;
    const u32 yes = truth(u);
    u32 r[LANES] ALIGNED;
    for (int l = 0; l < LANES; l++)
        r[l] = (low & lane_bit[l] ? yes : 0) | (high & lane_bit[l] ? yes << 16 : 0);
    store(w, u, executed, r);
}

#define SMALL (TYPE(T_F16) | TYPE(T_BF16))
#define PAIRS (TYPE(T_F16X2) | TYPE(T_BF16X2))
static const struct lane_row rows[] = {
    {OP_ABS, SMALL | PAIRS, 0, SEMANTIC_FLAGS & ~(u32)UF_FTZ, 0, 0, small_sign},
    {OP_NEG, SMALL | PAIRS, 0, SEMANTIC_FLAGS & ~(u32)UF_FTZ, 0, 0, small_sign},
    {OP_MIN, SMALL | PAIRS, 0, SEMANTIC_FLAGS & ~(u32)(UF_FTZ | UF_NAN | UF_XORSIGN | UF_ABS), 0, 0, small_extreme},
    {OP_MAX, SMALL | PAIRS, 0, SEMANTIC_FLAGS & ~(u32)(UF_FTZ | UF_NAN | UF_XORSIGN | UF_ABS), 0, 0, small_extreme},
    {OP_SETP, SMALL | PAIRS, 0, SEMANTIC_FLAGS & ~(u32)UF_FTZ, 0, 0, small_setp},
    {OP_SET, TYPES16 | TYPES32 | SMALL, SMALL, SEMANTIC_FLAGS & ~(u32)UF_FTZ, 0, 0, small_set},
    {OP_SET, TYPES32 | PAIRS, PAIRS, SEMANTIC_FLAGS & ~(u32)UF_FTZ, 0, 0, small_set},
};

static bool compares_as_small(const struct operation *o)
{
    return o->compare < sizeof holds_for && (holds_for[o->compare] || o->compare == CMP_FALSE);
}
uop_fn SIMD_NAME(lanes_half_order)(const struct operation *o)
{
    bool compares = o->op == OP_SETP || o->op == OP_SET;
    return compares && !compares_as_small(o) ? NULL : FIND_ROW(rows, o);
}
