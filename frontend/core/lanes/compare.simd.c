/* Comparisons (PTX ISA "Comparison and Selection Instructions"): setp and set.
 *
 * There are seven basic comparisons. The forms that are true for NaN (.equ .neu .ltu .leu .gtu .geu, .nan) are
 * complements of the opposite ordered ones. The most frequent case, setp to one predicate with nothing to combine, has
 * a handler per type and basic comparison. All other cases share one handler per type that also looks at `combine`. */
#include "frontend/core/lanes/groups.h"
#include "frontend/core/lanes/loop.h"

enum basic { EQ, NE, LT, LE, GT, GE, NUM, BASIC_COUNT, NEVER = BASIC_COUNT };

struct comparison {
    uint8_t basic;
    bool complement, is_unsigned;
};
static const struct comparison comparisons[] = {
    [CMP_EQ] = {EQ, 0, 0},   [CMP_NE] = {NE, 0, 0},   [CMP_LT] = {LT, 0, 0},      [CMP_LE] = {LE, 0, 0},
    [CMP_GT] = {GT, 0, 0},   [CMP_GE] = {GE, 0, 0},   [CMP_LO] = {LT, 0, 1},      [CMP_LS] = {LE, 0, 1},
    [CMP_HI] = {GT, 0, 1},   [CMP_HS] = {GE, 0, 1},   [CMP_EQU] = {NE, 1, 0},     [CMP_NEU] = {EQ, 1, 0},
    [CMP_LTU] = {GE, 1, 0},  [CMP_LEU] = {GT, 1, 0},  [CMP_GTU] = {LE, 1, 0},     [CMP_GEU] = {LT, 1, 0},
    [CMP_NUM] = {NUM, 0, 0}, [CMP_NAN] = {NUM, 1, 0}, [CMP_TRUE] = {NEVER, 1, 0}, [CMP_FALSE] = {NEVER, 0, 0},
};

/* Evaluates `test` in all lanes as a mask; a and b are the operands, of type t. */
#define COMPARE_LOOP(name, t, word, extract, prepare, test)                                                            \
    INLINE lanemask name(const struct warp *w, const struct uop *u)                                                    \
    {                                                                                                                  \
        const t *pa = source(w, u->a), *pb = source(w, u->b);                                                          \
        word q[LANES] ALIGNED;                                                                                         \
        for (int l = 0; l < LANES; l++) {                                                                              \
            t a = prepare(pa[l]), b = prepare(pb[l]);                                                                  \
            q[l] = (test) ? ~(word)0 : 0;                                                                              \
        }                                                                                                              \
        return extract(q) ^ -(lanemask)comparisons[u->compare].complement;                                             \
    }                                                                                                                  \
    HANDLER(setp_##name) { write_predicate(w, u->pd, name(w, u), executed); }

/* setp with a second destination or a predicate to combine with, and set: for all basic comparisons. */
#define COMPARE_ANY(t)                                                                                                 \
    NOINLINE lanemask compare_##t(const struct warp *w, const struct uop *u)                                           \
    {                                                                                                                  \
        switch (comparisons[u->compare].basic) {                                                                       \
        case EQ: return eq_##t(w, u);                                                                                  \
        case NE: return ne_##t(w, u);                                                                                  \
        case LT: return lt_##t(w, u);                                                                                  \
        case LE: return le_##t(w, u);                                                                                  \
        case GT: return gt_##t(w, u);                                                                                  \
        case GE: return ge_##t(w, u);                                                                                  \
        case NUM: return num_##t(w, u);                                                                                \
        default: return -(lanemask)comparisons[u->compare].complement;                                                 \
        }                                                                                                              \
    }                                                                                                                  \
    HANDLER(setp_any_##t) { combine_and_write(w, u, executed, compare_##t(w, u)); }                                    \
    HANDLER(set_##t) { set_value(w, u, executed, compare_##t(w, u)); }                                                 \
    static const uop_fn setp_##t[BASIC_COUNT] = {setp_eq_##t, setp_ne_##t, setp_lt_##t, setp_le_##t,                   \
                                                 setp_gt_##t, setp_ge_##t, setp_num_##t};

#define COMPARE_TYPE(name, t, word, extract, prepare)                                                                  \
    COMPARE_LOOP(eq_##name, t, word, extract, prepare, a == b)                                                         \
    COMPARE_LOOP(ne_##name, t, word, extract, prepare, (a < b) | (a > b))                                              \
    COMPARE_LOOP(lt_##name, t, word, extract, prepare, a < b)                                                          \
    COMPARE_LOOP(le_##name, t, word, extract, prepare, a <= b)                                                         \
    COMPARE_LOOP(gt_##name, t, word, extract, prepare, a > b)                                                          \
    COMPARE_LOOP(ge_##name, t, word, extract, prepare, a >= b)                                                         \
    COMPARE_LOOP(num_##name, t, word, extract, prepare, (a == a) & (b == b))                                           \
    COMPARE_ANY(name)

/* pd = t combine p, and pd2 = not t combine p. */
static void combine_and_write(struct warp *w, const struct uop *u, lanemask executed, lanemask t)
{
    lanemask with = u->combine == COMBINE_NONE ? 0 : predicate(w, u);
    write_predicate(w, u->pd, combine_masks(u->combine, t, with), executed);
    write_predicate(w, second_predicate(u), combine_masks(u->combine, ~t, with), executed);
}

static void set_value(struct warp *w, const struct uop *u, lanemask executed, lanemask t)
{
    u32 truth = u->type == T_F32 ? 0x3f800000u : u->type == T_F16 ? 0x3c00 : u->type == T_BF16 ? 0x3f80 : ~0u;
    lanemask with = u->combine == COMBINE_NONE ? 0 : predicate(w, u);
    t = combine_masks(u->combine, t, with);
    if (TYPE(u->type) & (TYPE(T_F16) | TYPE(T_BF16)))
        STORE_LANES(u16, destination(w, u->d), executed, t & lane_bit[l] ? truth : 0);
    else
        STORE_LANES(u32, destination(w, u->d), executed, t & lane_bit[l] ? truth : 0);
}

#define AS_IT_IS(x) (x)
COMPARE_TYPE(u16, u16, u32, mask_of_words, AS_IT_IS)
COMPARE_TYPE(s16, s16, u32, mask_of_words, AS_IT_IS)
COMPARE_TYPE(u32, u32, u32, mask_of_words, AS_IT_IS)
COMPARE_TYPE(s32, s32, u32, mask_of_words, AS_IT_IS)
COMPARE_TYPE(u64, u64, u64, mask_of_doublewords, AS_IT_IS)
COMPARE_TYPE(s64, s64, u64, mask_of_doublewords, AS_IT_IS)
COMPARE_TYPE(f32, f32, u32, mask_of_words, AS_IT_IS)
COMPARE_TYPE(ftz, f32, u32, mask_of_words, flush)
COMPARE_TYPE(f64, f64, u64, mask_of_doublewords, AS_IT_IS)

struct family {
    u64 types, flags;
    const uop_fn *setp; /* by basic comparison */
    uop_fn setp_any, set;
};
#define FAMILY(types, flags, name)                                                                                     \
    {                                                                                                                  \
        types, flags, setp_##name, setp_any_##name, set_##name                                                         \
    }
static const struct family families[] = {
    FAMILY(UNSIGNED16, 0, u16),  FAMILY(SIGNED16, 0, s16),         FAMILY(UNSIGNED32, 0, u32),
    FAMILY(SIGNED32, 0, s32),    FAMILY(UNSIGNED64, 0, u64),       FAMILY(SIGNED64, 0, s64),
    FAMILY(TYPE(T_F32), 0, f32), FAMILY(TYPE(T_F32), UF_FTZ, ftz), FAMILY(TYPE(T_F64), 0, f64),
};

static enum lane_type unsigned_form(enum lane_type t)
{
    return t == T_S16 ? T_U16 : t == T_S32 ? T_U32 : t == T_S64 ? T_U64 : t;
}

uop_fn SIMD_NAME(lanes_compare)(const struct operation *o)
{
    if ((o->op != OP_SETP && o->op != OP_SET) || o->compare > CMP_FALSE)
        return NULL;
    const struct comparison *c = &comparisons[o->compare];
    enum lane_type compared = o->op == OP_SET ? o->stype : o->type;
    if (o->op == OP_SET && !(TYPE(o->type) & (TYPES32 | TYPE(T_F32) | TYPE(T_F16) | TYPE(T_BF16))))
        return NULL;
    if (c->is_unsigned)
        compared = unsigned_form(compared);
    for (u32 i = 0; i < sizeof families / sizeof *families; i++) {
        const struct family *f = &families[i];
        if (!(f->types & TYPE(compared)) || (o->flags & SEMANTIC_FLAGS) != f->flags)
            continue;
        if (o->op == OP_SET)
            return f->set;
        bool plain = o->combine == COMBINE_NONE && is_sink(o->pd2) && c->basic != NEVER;
        return plain ? f->setp[c->basic] : f->setp_any;
    }
    return NULL;
}
