/* Operations that only the machine code of Maxwell and Pascal has: sums with condition codes, XMAD, comparisons that
 * continue a subtraction of lower halves, tests of condition codes, FCHK.
 *
 * The condition codes of an integer result are zero, sign, carry and overflow. Carry is the carry of the sum as it is
 * added: a negated operand is its complement plus one, so 0 - 0 carries. Overflow is that of the signed sum. With .X
 * zero holds only if it held before, so that it covers all words of a long number. */
#include "frontend/core/lanes/groups.h"
#include "frontend/core/lanes/loop.h"
#include "frontend/operation/address_map.h"

INLINE void set_codes(lanemask *code, lanemask value, lanemask executed)
{
    *code = (*code & ~executed) | (value & executed);
}
INLINE lanemask mask_where_zero(const u32 *r)
{
    u32 q[LANES] ALIGNED;
    for (int l = 0; l < LANES; l++)
        q[l] = r[l] ? 0 : ~0u;
    return mask_of_words(q);
}
/* The lanes whose generic address, or its lower word, lies in the shared window. */
INLINE lanemask mask_in_shared(const u32 *r)
{
    u32 q[LANES] ALIGNED;
    for (int l = 0; l < LANES; l++)
        q[l] = r[l] - (u32)SHARED_WINDOW < SHARED_WINDOW_SIZE ? ~0u : 0;
    return mask_of_words(q);
}
static void set_zero_sign(struct warp *w, const struct uop *u, lanemask executed, const u32 *r)
{
    lanemask before = u->flags & UF_CARRY_IN ? w->zero : EVERY_LANE;
    set_codes(&w->zero, mask_where_zero(r) & before, executed);
    set_codes(&w->sign, mask_of_words(r), executed);
}

/* ---- sums ---- */

HANDLER(sum3)
{
    const u32 *a = source(w, u->a), *b = source(w, u->b), *c = source(w, u->c);
    u32 na = u->flags & UF_NEGATE_A ? ~0u : 0, nb = u->flags & UF_NEGATE_B ? ~0u : 0,
        nc = u->flags & UF_NEGATE_C ? ~0u : 0;
    bool chained = u->flags & UF_CARRY_IN;
    u32 ones = chained ? 0 : (na & 1) + (nb & 1) + (nc & 1);
    ones += u->flags & UF_PLUS_ONE ? 1 : 0;
    lanemask in = chained ? w->carry : 0;
    lanemask second = chained ? w->second_carry : 0;
    u32 r[LANES] ALIGNED, carry[LANES] ALIGNED, two[LANES] ALIGNED, overflow[LANES] ALIGNED;
    for (int l = 0; l < LANES; l++) {
        u32 x = a[l] << u->mode ^ na, y = b[l] ^ nb, z = c[l] ^ nc, one = ones + (in & lane_bit[l] ? 1 : 0);
        one += second & lane_bit[l] ? 2 : 0;
        u64 sum = (u64)x + y + z + one;
        s64 exact = (s64)(s32)x + (s32)y + (s32)z + one;
        r[l] = (u32)sum;
        carry[l] = sum >> 32 & 1 ? ~0u : 0;
        two[l] = sum >> 33 ? ~0u : 0;
        overflow[l] = exact != (s32)exact ? ~0u : 0;
    }
    STORE_LANES(u32, destination(w, u->d), executed, r[l]);
    if (!is_sink(u->pd))
        write_predicate(w, u->pd, ~(chained ? mask_where_zero(r) & w->low_in_shared : mask_in_shared(r)), executed);
    if (!(u->flags & UF_CARRY_OUT))
        return;
    set_zero_sign(w, u, executed, r);
    set_codes(&w->low_in_shared, mask_in_shared(r), executed);
    set_codes(&w->carry, mask_of_words(carry), executed);
    set_codes(&w->second_carry, mask_of_words(two), executed);
    set_codes(&w->overflow, mask_of_words(overflow), executed);
}

/* Condition codes of a logic result, and a predicate: whether it is zero (CMP_EQ) or not. */
HANDLER(flags)
{
    u32 r[LANES] ALIGNED;
    memcpy(r, source(w, u->a), sizeof r);
    lanemask zero = mask_where_zero(r) & (u->flags & UF_CARRY_IN ? w->zero : EVERY_LANE);
    write_predicate(w, u->pd, u->compare == CMP_EQ ? zero : ~zero, executed);
    if (!(u->flags & UF_CARRY_OUT))
        return;
    set_zero_sign(w, u, executed, r);
    set_codes(&w->carry, 0, executed);
    set_codes(&w->overflow, 0, executed);
    set_codes(&w->second_carry, 0, executed);
}

/* ---- XMAD: detail = {A's upper half, B's, PSL, MRG, mode, A signed, B signed} ---- */

enum xmad_mode { XMAD_NONE, XMAD_CLO, XMAD_CHI, XMAD_CSFU, XMAD_CBCC };

INLINE u32 half(u32 x, u32 shift, u32 sign) { return ((x >> shift & 0xffff) ^ sign) - sign; }

/* The product, and what is added to it. CSFU corrects the sum that follows in a 32-bit high multiplication, by
 * IADD3.RS. That sum adds the two middle products as unsigned numbers, so a negative one counts 2^32 too much, 2^16
 * after the shift. A's upper half times B's lower half is negative if A is and B's lower half is not zero, and the
 * other way round. No other rule gives the high product that PTX's mul.hi.s32 requires. */
INLINE void xmad_terms(const struct uop *u, const struct warp *w, u32 *product, u32 *addend)
{
    const u32 *a = source(w, u->a), *b = source(w, u->b), *c = source(w, u->c);
    const u8 *m = u->detail;
    u32 shift_a = m[0] ? 16 : 0, shift_b = m[1] ? 16 : 0, up = m[2] ? 16 : 0;
    u32 sign_a = m[5] ? 0x8000 : 0, sign_b = m[6] ? 0x8000 : 0;
    u32 keep = m[4] == XMAD_CLO ? 0xffff : ~0u, down = m[4] == XMAD_CHI ? 16 : 0;
    u32 with_b = m[4] == XMAD_CBCC ? ~0u : 0, fix = m[4] == XMAD_CSFU ? 0x10000 : 0;
    for (int l = 0; l < LANES; l++) {
        u32 x = half(a[l], shift_a, sign_a), y = half(b[l], shift_b, sign_b);
        u32 negative = (b[l] & 0xffff ? x >> 31 : 0) + (a[l] & 0xffff ? y >> 31 : 0);
        product[l] = x * y << up;
        addend[l] = ((c[l] & keep) >> down) + (b[l] << 16 & with_b) - negative * fix;
    }
}
HANDLER(xmad)
{
    u32 product[LANES] ALIGNED, addend[LANES] ALIGNED, upper[LANES] ALIGNED;
    memcpy(upper, source(w, u->b), sizeof upper);
    xmad_terms(u, w, product, addend);
    u32 keep = u->detail[3] ? 0xffff : ~0u;
    STORE_LANES(u32, destination(w, u->d), executed, ((product[l] + addend[l]) & keep) | (upper[l] << 16 & ~keep));
}
HANDLER(xmad_chain)
{
    u32 product[LANES] ALIGNED, addend[LANES] ALIGNED, r[LANES] ALIGNED, carry[LANES] ALIGNED;
    xmad_terms(u, w, product, addend);
    lanemask in = u->flags & UF_CARRY_IN ? w->carry : 0;
    for (int l = 0; l < LANES; l++) {
        u64 sum = (u64)product[l] + addend[l] + (in & lane_bit[l] ? 1 : 0);
        r[l] = (u32)sum;
        carry[l] = sum >> 32 ? ~0u : 0;
    }
    STORE_LANES(u32, destination(w, u->d), executed, r[l]);
    if (!(u->flags & UF_CARRY_OUT))
        return;
    set_zero_sign(w, u, executed, r);
    set_codes(&w->carry, mask_of_words(carry), executed);
    set_codes(&w->overflow, 0, executed);
    set_codes(&w->second_carry, 0, executed);
}

/* ---- comparisons that continue those of lower words: a - b - borrow ---- */

HANDLER(compare_x)
{
    const u32 *a = source(w, u->a), *b = source(w, u->b);
    u32 r[LANES] ALIGNED, carry[LANES] ALIGNED, less[LANES] ALIGNED;
    for (int l = 0; l < LANES; l++) {
        u32 one = w->carry & lane_bit[l] ? 1 : 0;
        s64 exact = (s64)(s32)a[l] + (s32)~b[l] + one;
        u64 sum = (u64)a[l] + (u32)~b[l] + one;
        r[l] = (u32)sum;
        carry[l] = sum >> 32 ? ~0u : 0;
        less[l] = exact < 0 ? ~0u : 0;
    }
    lanemask zero = mask_where_zero(r) & w->zero;
    lanemask below = u->type == T_S32 ? mask_of_words(less) : ~mask_of_words(carry);
    lanemask t = 0;
    switch (u->compare) {
    case CMP_EQ: t = zero; break;
    case CMP_NE: t = ~zero; break;
    case CMP_LT: t = below; break;
    case CMP_LE: t = below | zero; break;
    case CMP_GT: t = ~(below | zero); break;
    case CMP_GE: t = ~below; break;
    case CMP_TRUE: t = EVERY_LANE; break;
    default: break;
    }
    lanemask with = predicate(w, u);
    write_predicate(w, u->pd, combine_masks(u->combine, t, with), executed);
    write_predicate(w, second_predicate(u), combine_masks(u->combine, ~t, with), executed);
}

/* The condition codes hold whether a is less than b, as far as the words so far decide it. They are set as by a - b:
 * zero; sign if less; carry (no borrow) if not less. NVIDIA does not publish what the hardware keeps, but only
 * instructions of this kind read it. */
HANDLER(minmax_x)
{
    const u32 *a = source(w, u->a), *b = source(w, u->b);
    u32 bias = u->type == T_S32 ? 0x80000000u : 0;
    u32 below[LANES] ALIGNED, differ[LANES] ALIGNED, r[LANES] ALIGNED;
    lanemask chained = u->flags & UF_CARRY_IN ? EVERY_LANE : 0, minimum = predicate(w, u);
    for (int l = 0; l < LANES; l++) {
        below[l] = (a[l] ^ bias) < (b[l] ^ bias) ? ~0u : 0;
        differ[l] = a[l] ^ b[l] ? ~0u : 0;
    }
    lanemask decided = chained & ~w->zero, equal = ~decided & ~mask_of_words(differ);
    lanemask less = (decided & w->sign) | (~decided & mask_of_words(below));
    lanemask takes_a = ~(less ^ minimum);
    for (int l = 0; l < LANES; l++)
        r[l] = takes_a & lane_bit[l] ? a[l] : b[l];
    STORE_LANES(u32, destination(w, u->d), executed, r[l]);
    if (!(u->flags & UF_CARRY_OUT))
        return;
    set_codes(&w->zero, equal, executed);
    set_codes(&w->sign, less, executed);
    set_codes(&w->carry, ~less, executed);
    set_codes(&w->overflow, 0, executed);
    set_codes(&w->second_carry, 0, executed);
}

/* ---- condition codes as numbers (P2R, R2P) ---- */

HANDLER(get_cc)
{
    lanemask z = w->zero, s = w->sign, c = w->carry, o = w->overflow;
    STORE_LANES(u32, destination(w, u->d), executed,
                (z >> l & 1) | (s >> l & 1) << 1 | (c >> l & 1) << 2 | (o >> l & 1) << 3);
}

static void set_code_bit(lanemask *code, const u32 *value, const u32 *mask, int at, lanemask executed)
{
    u32 v[LANES] ALIGNED, m[LANES] ALIGNED;
    for (int l = 0; l < LANES; l++) {
        v[l] = value[l] << (31 - at);
        m[l] = mask[l] << (31 - at);
    }
    set_codes(code, mask_of_words(v), executed & mask_of_words(m));
}
HANDLER(set_cc)
{
    const u32 *a = source(w, u->a), *b = source(w, u->b);
    set_code_bit(&w->zero, a, b, 0, executed);
    set_code_bit(&w->sign, a, b, 1, executed);
    set_code_bit(&w->carry, a, b, 2, executed);
    set_code_bit(&w->overflow, a, b, 3, executed);
    set_codes(&w->second_carry, 0, executed);
}

/* Tests of condition codes, in the order of their encoding. Zero and sign together mean "not a number". No integer
 * result sets both, and tests with U (7: a number, 8: not, 9 to 14) hold for them, too. The formulas are those that
 * envytools gives for earlier GPUs. Tests above 23 are for graphics. */
static bool test_is_covered(int64_t test) { return test >= 0 && test <= 23; }
HANDLER(test_cc)
{
    lanemask z = w->zero, s = w->sign, less = s ^ w->overflow, t;
    switch (u->mode) {
    case 1: t = (s & ~z) ^ w->overflow; break;
    case 2: t = z & ~s; break;
    case 3: t = s ^ (z | w->overflow); break;
    case 4: t = ~z & ~less; break;
    case 5: t = ~z; break;
    case 6: t = ~less; break;
    case 7: t = ~(z & s); break;
    case 8: t = z & s; break;
    case 9: t = less; break;
    case 10: t = z; break;
    case 11: t = z | less; break;
    case 12: t = ~(s ^ (z | w->overflow)); break;
    case 13: t = ~z | s; break;
    case 14: t = (~s | z) ^ w->overflow; break;
    case 15: t = EVERY_LANE; break;
    case 16: t = ~w->overflow; break;
    case 17: t = ~w->carry; break;
    case 18: t = ~w->sign; break;
    case 19: t = ~w->carry | w->zero; break;
    case 20: t = w->carry & ~w->zero; break;
    case 21: t = w->sign; break;
    case 22: t = w->carry; break;
    case 23: t = w->overflow; break;
    default: t = 0; break;
    }
    write_predicate(w, u->pd, t, executed);
}

/* FCHK.DIVIDE. NVIDIA does not publish the hardware's limits. These are the widest within which a reciprocal, one step
 * of Newton and one correction with fused multiply-adds divide correctly: no operand is zero, subnormal or not finite,
 * and reciprocal, quotient and remainder are normal. */
INLINE u32 needs_slow_path(u32 a, u32 b)
{
    s32 ea = a >> 23 & 255, eb = b >> 23 & 255, quotient = ea - eb;
    return (ea <= 24) | (ea == 255) | (eb == 0) | (eb >= 253) | (quotient > 125) | (quotient < -124);
}
HANDLER(fchk)
{
    const u32 *a = source(w, u->a), *b = source(w, u->b);
    u32 q[LANES] ALIGNED;
    for (int l = 0; l < LANES; l++)
        q[l] = needs_slow_path(a[l], b[l]) ? ~0u : 0;
    write_predicate(w, u->pd, mask_of_words(q), executed);
}

uop_fn SIMD_NAME(lanes_sass)(const struct operation *o)
{
    if (!(TYPE(o->type) & (TYPES32 | TYPE(T_F32))))
        return NULL;
    bool chain = o->flags & (UF_CARRY_IN | UF_CARRY_OUT);
    switch (o->op) {
    case OP_SUM3: return o->imm >= 0 && o->imm < 32 ? sum3 : NULL;
    case OP_XMAD: return !chain ? xmad : o->detail[3] ? NULL : xmad_chain;
    case OP_COMPARE_X: return compare_x;
    case OP_MINMAX_X: return minmax_x;
    case OP_FLAGS: return flags;
    case OP_GET_CC: return get_cc;
    case OP_SET_CC: return set_cc;
    case OP_TEST_CC: return test_is_covered(o->imm) ? test_cc : NULL;
    case OP_FCHK: return fchk;
    default: return NULL;
    }
}
