/* What only the machine code of Volta and later does: sums and comparisons of long numbers whose carries are
 * predicates, any function of three predicates, predicates as bits of a register, one value for all lanes. */
#include "frontend/core/lanes/groups.h"
#include "frontend/core/lanes/loop.h"

INLINE lanemask predicate_of(const struct warp *w, struct operand o) { return *(const lanemask *)source(w, o); }

/* ---- sums ---- */

/* The carry out of three terms is 0, 1 or 2: the number of predicates that hold. */
INLINE void add3(struct warp *w, const struct uop *u, lanemask executed, lanemask in, lanemask in2, u32 ones)
{
    const u32 *a = source(w, u->a), *b = source(w, u->b), *c = source(w, u->c);
    u32 na = u->flags & UF_NEGATE_A ? ~0u : 0, nb = u->flags & UF_NEGATE_B ? ~0u : 0,
        nc = u->flags & UF_NEGATE_C ? ~0u : 0;
    u32 r[LANES] ALIGNED, carry[LANES] ALIGNED, two[LANES] ALIGNED;
    for (int l = 0; l < LANES; l++) {
        u64 one = ones + (in & lane_bit[l] ? 1 : 0) + (in2 & lane_bit[l] ? 1 : 0);
        u64 sum = (u64)(a[l] ^ na) + (b[l] ^ nb) + (c[l] ^ nc) + one;
        r[l] = (u32)sum;
        carry[l] = sum >> 32 ? ~0u : 0;
        two[l] = sum >> 33 ? ~0u : 0;
    }
    lanemask first = mask_of_words(carry), second = mask_of_words(two);
    STORE_LANES(u32, destination(w, u->d), executed, r[l]);
    write_predicate(w, u->pd, first, executed);
    write_predicate(w, second_predicate(u), second, executed);
}
HANDLER(add3_plain)
{
    u32 ones = 0;
    ones += u->flags & UF_NEGATE_A ? 1 : 0;
    ones += u->flags & UF_NEGATE_B ? 1 : 0;
    ones += u->flags & UF_NEGATE_C ? 1 : 0;
    add3(w, u, executed, 0, 0, ones);
}
HANDLER(add3_chained)
{
    const struct operand *second = list_elements(u->lane, 0);
    add3(w, u, executed, predicate(w, u), predicate_of(w, *second), 0);
}
/* Without carries: the common case, which vectorises well. */
HANDLER(add3_words)
{
    const u32 *a = source(w, u->a), *b = source(w, u->b), *c = source(w, u->c);
    u32 na = u->flags & UF_NEGATE_A ? ~0u : 0, nb = u->flags & UF_NEGATE_B ? ~0u : 0,
        nc = u->flags & UF_NEGATE_C ? ~0u : 0;
    u32 ones = (na & 1) + (nb & 1) + (nc & 1);
    STORE_LANES(u32, destination(w, u->d), executed, (a[l] ^ na) + (b[l] ^ nb) + (c[l] ^ nc) + ones);
}

/* ---- comparisons ---- */

/* Where a and b are equal, the comparison of the lower words, lists[0], decides. */
HANDLER(compare_long)
{
    const u32 *a = source(w, u->a), *b = source(w, u->b);
    u32 bias = u->type == T_S32 ? 0x80000000u : 0;
    u32 less[LANES] ALIGNED, differ[LANES] ALIGNED;
    for (int l = 0; l < LANES; l++) {
        less[l] = (a[l] ^ bias) < (b[l] ^ bias) ? ~0u : 0;
        differ[l] = a[l] != b[l] ? ~0u : 0;
    }
    lanemask below = mask_of_words(less), equal = ~mask_of_words(differ),
             lower = predicate_of(w, *list_elements(u->lane, 0));
    lanemask t = 0;
    switch (u->compare) {
    case CMP_EQ: t = equal & lower; break;
    case CMP_NE: t = ~equal | lower; break;
    case CMP_LT:
    case CMP_LE: t = below | (equal & lower); break;
    case CMP_GT:
    case CMP_GE: t = ~(below | equal) | (equal & lower); break;
    case CMP_TRUE: t = EVERY_LANE; break;
    default: break;
    }
    lanemask with = predicate(w, u);
    write_predicate(w, u->pd, combine_masks(u->combine, t, with), executed);
    write_predicate(w, second_predicate(u), combine_masks(u->combine, ~t, with), executed);
}

/* ---- predicates ---- */

/* Bit 4a + 2b + c of the table. */
INLINE lanemask look_up(unsigned table, lanemask a, lanemask b, lanemask c)
{
    lanemask r = 0;
    for (unsigned i = 0; i < 8; i++)
        if (table >> i & 1)
            r |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
    return r;
}
HANDLER(predicate_table)
{
    lanemask r = look_up(u->mode, predicate_of(w, u->a), predicate_of(w, u->b), predicate_of(w, u->c));
    write_predicate(w, u->d, r, executed);
}
/* d = the bits of the predicates in lists[0], lowest first. */
HANDLER(gather_predicates)
{
    const struct operand *list = list_elements(u->lane, 0);
    u32 r[LANES] ALIGNED = {0};
    for (u32 n = 0; n < list_count(u->lane, 0); n++) {
        lanemask p = predicate_of(w, list[n]);
        for (int l = 0; l < LANES; l++)
            r[l] |= p & lane_bit[l] ? 1u << n : 0;
    }
    STORE_LANES(u32, destination(w, u->d), executed, r[l]);
}
/* The predicates in lists[0] = the bits of a, where b has a 1. */
HANDLER(scatter_predicates)
{
    const struct operand *list = list_elements(u->lane, 0);
    u32 a[LANES] ALIGNED, b[LANES] ALIGNED, value[LANES] ALIGNED, chosen[LANES] ALIGNED;
    memcpy(a, source(w, u->a), sizeof a);
    memcpy(b, source(w, u->b), sizeof b);
    for (u32 n = 0; n < list_count(u->lane, 0); n++) {
        for (int l = 0; l < LANES; l++) {
            value[l] = a[l] << (31 - n);
            chosen[l] = b[l] << (31 - n);
        }
        write_predicate(w, list[n], mask_of_words(value), executed & mask_of_words(chosen));
    }
}

/* ---- one value for the warp ---- */

HANDLER(broadcast)
{
    u32 value = ((const u32 *)source(w, u->a))[__builtin_ctz(executed)], *d = destination(w, u->d);
    for (int l = 0; l < LANES; l++)
        d[l] = value;
}
HANDLER(broadcast_predicate)
{
    lanemask p = predicate(w, u) >> __builtin_ctz(executed) & 1;
    write_predicate(w, u->pd, -p, EVERY_LANE);
}

static uop_fn choose_sum(const struct operation *o)
{
    if (o->flags & UF_CARRY_IN)
        return o->lists[0].count == 1 ? add3_chained : NULL;
    return o->pd.at || o->pd2.at ? add3_plain : add3_words;
}

uop_fn SIMD_NAME(lanes_sass7x)(const struct operation *o)
{
    bool word = TYPE(o->type) & TYPES32, predicate = o->type == T_PRED;
    switch (o->op) {
    case OP_ADD3: return word ? choose_sum(o) : NULL;
    case OP_COMPARE_LONG: return word && o->lists[0].count == 1 ? compare_long : NULL;
    case OP_PREDICATE_TABLE: return predicate ? predicate_table : NULL;
    case OP_GATHER_PREDICATES: return word && o->lists[0].count <= 32 ? gather_predicates : NULL;
    case OP_SCATTER_PREDICATES: return word && o->lists[0].count <= 32 ? scatter_predicates : NULL;
    case OP_BROADCAST: return word ? broadcast : predicate ? broadcast_predicate : NULL;
    default: return NULL;
    }
}
