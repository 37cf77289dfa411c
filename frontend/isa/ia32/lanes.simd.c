#include "frontend/isa/ia32/lanes.h"

#include "frontend/guest/flag_lanes.h"
#include "frontend/isa/ia32/operations.h"
#include "tracefmt/writer.h"

INLINE u32 *guest_register_at(const struct warp *w, unsigned n) { return destination(w, GUEST_REGISTER(n)); }

/* ---- flags ------------------------------------------------------------------------------------------------------- */

INLINE lanemask mask_of_zeros(const u32 *x)
{
    u32 words[LANES] ALIGNED;
    FOR_LANES words[l] = x[l] ? 0 : UINT32_MAX;
    return mask_of_words(words);
}

/* The lanes in which x is not 0. */
INLINE lanemask mask_of_others(const u32 *x) { return ~mask_of_zeros(x); }

NOINLINE void set_parity(struct warp *w, const u32 *r, lanemask executed)
{
    u32 words[LANES] ALIGNED;
    FOR_LANES words[l] = ia32_parity(r[l]);
    merge(predicate_at(w, IA32_P_PARITY), mask_of_ones(words), executed);
}

/* ZF, SF and PF of a result without bits above its size. */
INLINE void set_result(struct warp *w, const u32 *r, int64_t imm, lanemask executed)
{
    const unsigned up = 32 - IA32_BITS(imm);
    u32 words[LANES] ALIGNED;
    FOR_LANES words[l] = r[l] << up;
    merge(&w->sign, mask_of_words(words), executed);
    merge(&w->zero, mask_of_zeros(r), executed);
    if (imm & IA32_WANTS_PARITY)
        set_parity(w, r, executed);
}

/* ---- sums and logic ---------------------------------------------------------------------------------------------- */

/* How far up a value lies in its register. */
INLINE u32 place_in(const struct uop *u, enum ia32_form form, int64_t second)
{
    return form == IA32_PART && u->imm & second ? 8 : 0;
}

INLINE void set_adjust(struct warp *w, const struct uop *u, lanemask executed, unsigned operation, enum ia32_form form)
{
    const u32 *a = source(w, u->a), *b = source(w, u->b);
    const u32 a_at = place_in(u, form, IA32_A_SECOND), b_at = place_in(u, form, IA32_B_SECOND);
    const lanemask carry = w->carry;
    u32 words[LANES] ALIGNED;
    FOR_LANES words[l] = ia32_adjust(operation, a[l] >> a_at, b[l] >> b_at, carry & lane_bit[l] ? 1 : 0);
    merge(predicate_at(w, IA32_P_ADJUST), mask_of_ones(words), executed);
}

INLINE u32 blended(u32 old, u32 value, u32 mask) { return old ^ ((old ^ value) & mask); }

INLINE void store_part(struct warp *w, const struct uop *u, lanemask executed, unsigned bits, const u32 *r)
{
    const u32 at = place_in(u, IA32_PART, IA32_INTO_SECOND), mask = UINT32_MAX >> (32 - bits) << at;
    const u32 *old = source(w, u->d);
    STORE_WORDS(destination(w, u->d), executed, (old[l] & ~mask) | r[l] << at);
}

/* Whether a part can be computed where it lies in its register: neither CF nor 1 is added to its lowest bit. */
INLINE bool fits_in_place(unsigned operation)
{
    return operation != IA32_ADC && operation != IA32_SBB && operation != IA32_INC && operation != IA32_DEC;
}

/* A part of d, which is the first source, too, where it lies: below it are zeros, so that nothing carries into it. */
INLINE void data_in_place(struct warp *w, const struct uop *u, lanemask executed, unsigned operation)
{
    const u32 *old = source(w, u->d), *b = source(w, u->b);
    const u32 at = place_in(u, IA32_PART, IA32_INTO_SECOND), from = place_in(u, IA32_PART, IA32_B_SECOND);
    const u32 mask = UINT32_MAX >> (32 - IA32_BITS(u->imm)) << at;
    struct ia32_carry f;
    if (at == from)
        STORE_WORDS(destination(w, u->d), executed,
                    blended(old[l], ia32_data(operation, 32, old[l] & mask, b[l] & mask, 0, &f), mask));
    else
        STORE_WORDS(destination(w, u->d), executed,
                    blended(old[l], ia32_data(operation, 32, old[l] & mask, b[l] >> from << at & mask, 0, &f), mask));
}

INLINE void data_lanes(struct warp *w, const struct uop *u, lanemask executed, unsigned operation, enum ia32_form form,
                       bool sets)
{
    if (form == IA32_PART && !sets && fits_in_place(operation)) {
        data_in_place(w, u, executed, operation);
        return;
    }
    const u32 *a = source(w, u->a), *b = source(w, u->b);
    const u32 a_at = place_in(u, form, IA32_A_SECOND), b_at = place_in(u, form, IA32_B_SECOND);
    const unsigned bits = form == IA32_WHOLE ? 32 : IA32_BITS(u->imm);
    const lanemask carry = w->carry;
    u32 r[LANES] ALIGNED, c[LANES] ALIGNED, o[LANES] ALIGNED;
    FOR_LANES
    {
        struct ia32_carry f;
        r[l] = ia32_data(operation, bits, a[l] >> a_at, b[l] >> b_at, carry & lane_bit[l] ? 1 : 0, &f);
        c[l] = f.c;
        o[l] = f.o;
    }
    if (sets && u->imm & IA32_WANTS_ADJUST)
        set_adjust(w, u, executed, operation, form);
    if (form == IA32_PART)
        store_part(w, u, executed, bits, r);
    else
        store_lanes(destination(w, u->d), r, executed);
    if (!sets)
        return;
    if (operation != IA32_INC && operation != IA32_DEC)
        merge(&w->carry, mask_of_words(c), executed);
    if (u->imm & IA32_CARRY_ALONE)
        return;
    merge(&w->overflow, mask_of_words(o), executed);
    set_result(w, r, u->imm, executed);
}

#define DATA_FORM(operation, form)                                                                                     \
    HANDLER(data_##operation##_##form) { data_lanes(w, u, executed, IA32_##operation, IA32_##form, false); }           \
    HANDLER(data_sets_##operation##_##form) { data_lanes(w, u, executed, IA32_##operation, IA32_##form, true); }
#define DATA(operation) DATA_FORM(operation, WHOLE) DATA_FORM(operation, NARROW) DATA_FORM(operation, PART)
#define ALL_DATA(X) X(ADD) X(OR) X(ADC) X(SBB) X(AND) X(SUB) X(XOR) X(INC) X(DEC) X(NEG) X(NOT)
ALL_DATA(DATA)

static uop_fn data_handler(unsigned operation, enum ia32_form form, bool sets)
{
    static const uop_fn handlers[][IA32_FORMS][2] = {
#define FORM(operation, form) [IA32_##form] = {data_##operation##_##form, data_sets_##operation##_##form}
#define ROW(operation) [IA32_##operation] = {FORM(operation, WHOLE), FORM(operation, NARROW), FORM(operation, PART)},
        ALL_DATA(ROW)
#undef ROW
#undef FORM
    };
    const unsigned computed = operation == IA32_CMP ? IA32_SUB : operation == IA32_TEST ? IA32_AND : operation;
    return handlers[computed][form][sets];
}

/* ---- shifts ------------------------------------------------------------------------------------------------------ */

/* The flags of a shift by 1 or more. */
INLINE void set_shifted(struct warp *w, const struct uop *u, lanemask executed, unsigned operation, const u32 *r,
                        const u32 *c, const u32 *o)
{
    merge(&w->carry, mask_of_words(c), executed);
    merge(&w->overflow, mask_of_words(o), executed);
    if (ia32_rotates(operation))
        return;
    if (u->imm & IA32_WANTS_ADJUST)
        merge(predicate_at(w, IA32_P_ADJUST), 0, executed);
    set_result(w, r, u->imm, executed);
}

INLINE void shift_bits(struct warp *w, const struct uop *u, lanemask executed, unsigned operation, unsigned bits,
                       bool sets)
{
    const u32 *a = source(w, u->a), *b = source(w, u->b), *amount = source(w, u->c);
    const lanemask carry = w->carry;
    u32 r[LANES] ALIGNED, c[LANES] ALIGNED, o[LANES] ALIGNED, n[LANES] ALIGNED;
    FOR_LANES
    {
        struct ia32_carry f = {0};
        n[l] = ia32_amount(operation, bits, amount[l]);
        const u32 shifted = ia32_shift(operation, bits, a[l], b[l], n[l] ? n[l] : 1, carry & lane_bit[l] ? 1 : 0, &f);
        r[l] = n[l] ? shifted : ia32_low_bits(a[l], bits);
        c[l] = f.c;
        o[l] = f.o;
    }
    store_lanes(destination(w, u->d), r, executed);
    executed &= sets ? mask_of_others(n) : 0;
    if (executed)
        set_shifted(w, u, executed, operation, r, c, o);
}

/* All lanes by the same amount, which is not 0. */
INLINE void shift_by_same(struct warp *w, const struct uop *u, lanemask executed, unsigned operation, unsigned bits,
                          bool sets)
{
    const u32 *a = source(w, u->a), *b = source(w, u->b), n = *(const u32 *)source(w, u->c);
    const lanemask carry = w->carry;
    u32 r[LANES] ALIGNED, c[LANES] ALIGNED, o[LANES] ALIGNED;
    FOR_LANES
    {
        struct ia32_carry f = {0};
        r[l] = ia32_shift(operation, bits, a[l], b[l], n, carry & lane_bit[l] ? 1 : 0, &f);
        c[l] = f.c;
        o[l] = f.o;
    }
    store_lanes(destination(w, u->d), r, executed);
    if (sets)
        set_shifted(w, u, executed, operation, r, c, o);
}

INLINE void shift_lanes(struct warp *w, const struct uop *u, lanemask executed, unsigned operation, bool sets)
{
    const bool same = u->imm & IA32_SAME_AMOUNT;
    switch (IA32_BITS(u->imm)) {
#define CASE(bits)                                                                                                     \
    case bits:                                                                                                         \
        if (same)                                                                                                      \
            shift_by_same(w, u, executed, operation, bits, sets);                                                      \
        else                                                                                                           \
            shift_bits(w, u, executed, operation, bits, sets);                                                         \
        break
        CASE(8);
        CASE(16);
        CASE(32);
#undef CASE
    }
}

#define SHIFT(operation)                                                                                               \
    HANDLER(shift_##operation) { shift_lanes(w, u, executed, IA32_##operation, false); }                               \
    HANDLER(shift_sets_##operation) { shift_lanes(w, u, executed, IA32_##operation, true); }
#define ALL_SHIFTS(X) X(ROL) X(ROR) X(RCL) X(RCR) X(SHL) X(SHR) X(SAR) X(SHLD) X(SHRD)
ALL_SHIFTS(SHIFT)

/* ---- bits -------------------------------------------------------------------------------------------------------- */

INLINE void bit_lanes(struct warp *w, const struct uop *u, lanemask executed, unsigned operation)
{
    const u32 *a = source(w, u->a), *b = source(w, u->b);
    const u32 most = IA32_BITS(u->imm) - 1;
    u32 r[LANES] ALIGNED, c[LANES] ALIGNED;
    FOR_LANES
    {
        r[l] = ia32_bit(operation, a[l], 1u << (b[l] & most));
        c[l] = a[l] >> (b[l] & most);
    }
    merge(&w->carry, mask_of_ones(c), executed);
    if (operation != IA32_BT)
        store_lanes(destination(w, u->d), r, executed);
}

INLINE void scan_lanes(struct warp *w, const struct uop *u, lanemask executed, unsigned operation, bool sets)
{
    const u32 *a = source(w, u->a), *old = source(w, u->b);
    const unsigned bits = IA32_BITS(u->imm);
    u32 r[LANES] ALIGNED, from[LANES] ALIGNED;
    FOR_LANES
    {
        from[l] = ia32_low_bits(a[l], bits);
        const u32 bit = highest_bit(operation == IA32_BSR ? from[l] : from[l] & -from[l]);
        r[l] = from[l] ? bit : operation == IA32_TZCNT ? bits : old[l];
    }
    store_lanes(destination(w, u->d), r, executed);
    if (!sets)
        return;
    set_result(w, operation == IA32_TZCNT ? r : from, u->imm, executed);
    merge(&w->carry, operation == IA32_TZCNT ? mask_of_zeros(from) : 0, executed);
    merge(&w->overflow, 0, executed);
    merge(predicate_at(w, IA32_P_ADJUST), 0, executed);
    if (operation == IA32_TZCNT)
        merge(predicate_at(w, IA32_P_PARITY), 0, executed);
}

#define BIT(operation)                                                                                                 \
    HANDLER(bit_##operation) { bit_lanes(w, u, executed, IA32_##operation); }
#define SCAN(operation)                                                                                                \
    HANDLER(scan_##operation) { scan_lanes(w, u, executed, IA32_##operation, false); }                                 \
    HANDLER(scan_sets_##operation) { scan_lanes(w, u, executed, IA32_##operation, true); }
#define ALL_BITS(X) X(BT) X(BTS) X(BTR) X(BTC)
#define ALL_SCANS(X) X(BSF) X(BSR) X(TZCNT)
ALL_BITS(BIT)
ALL_SCANS(SCAN)

uop_fn SIMD_NAME(ia32_handler)(unsigned operation, enum ia32_form form, bool sets)
{
    switch (operation) {
#define CASE(operation)                                                                                                \
    case IA32_##operation: return sets ? shift_sets_##operation : shift_##operation;
        ALL_SHIFTS(CASE)
#undef CASE
#define CASE(operation)                                                                                                \
    case IA32_##operation: return bit_##operation;
        ALL_BITS(CASE)
#undef CASE
#define CASE(operation)                                                                                                \
    case IA32_##operation: return sets ? scan_sets_##operation : scan_##operation;
        ALL_SCANS(CASE)
#undef CASE
    default: return operation <= IA32_NOT ? data_handler(operation, form, sets) : NULL;
    }
}

/* ---- parts of registers ------------------------------------------------------------------------------------------ */

HANDLER(nothing) { (void)w, (void)u, (void)executed; }

HANDLER(address)
{
    const u32 *a = source(w, u->a), *b = source(w, u->b);
    const u32 displacement = (u32)u->imm, scale = (u32)(u->imm >> IA32_SCALE_AT);
    STORE_WORDS(destination(w, u->d), executed, a[l] + (b[l] << scale) + displacement);
}

HANDLER(short_address)
{
    const u32 *a = source(w, u->a), *b = source(w, u->b);
    const u32 displacement = (u32)u->imm, scale = (u32)(u->imm >> IA32_SCALE_AT) & 3;
    STORE_WORDS(destination(w, u->d), executed, (a[l] + (b[l] << scale) + displacement) & 0xffff);
}

/* A part of a register, of so many bits, from bit `at` on. */
INLINE void extract_part(struct warp *w, const struct uop *u, lanemask executed, unsigned bits, unsigned at)
{
    const u32 *a = source(w, u->a);
    const unsigned up = 32 - bits - at, down = 32 - bits;
    if (u->imm & IA32_SIGNED)
        STORE_WORDS(destination(w, u->d), executed, (s32)(a[l] << up) >> down);
    else
        STORE_WORDS(destination(w, u->d), executed, a[l] << up >> down);
}
INLINE void insert_part(struct warp *w, const struct uop *u, lanemask executed, unsigned bits, unsigned at)
{
    const u32 *a = source(w, u->a), *old = source(w, u->d);
    const u32 mask = UINT32_MAX >> (32 - bits) << at;
    STORE_WORDS(destination(w, u->d), executed, (old[l] & ~mask) | (a[l] << at & mask));
}
#define PART(name, bits, at)                                                                                           \
    HANDLER(extract_##name) { extract_part(w, u, executed, bits, at); }                                                \
    HANDLER(insert_##name) { insert_part(w, u, executed, bits, at); }
PART(byte, 8, 0)
PART(second_byte, 8, 8)
PART(half, 16, 0)

HANDLER(extract_sign)
{
    const u32 *a = source(w, u->a);
    const unsigned up = 31 - (unsigned)(u->imm >> IA32_SHIFT_AT);
    STORE_WORDS(destination(w, u->d), executed, (s32)(a[l] << up) >> 31);
}

HANDLER(swap)
{
    const u32 *a = source(w, u->a);
    STORE_WORDS(destination(w, u->d), executed, ia32_swapped(a[l]));
}

/* ---- products and quotients -------------------------------------------------------------------------------------- */

/* To AX, DX:AX or EDX:EAX. */
INLINE void store_wide(struct warp *w, unsigned bits, const u32 *high, const u32 *low, lanemask executed)
{
    u32 *eax = guest_register_at(w, IA32_EAX), *edx = guest_register_at(w, IA32_EDX);
    if (bits == 8) {
        STORE_WORDS(eax, executed, (eax[l] & ~0xffffu) | high[l] << 8 | low[l]);
    } else if (bits == 16) {
        STORE_WORDS(eax, executed, (eax[l] & ~0xffffu) | low[l]);
        STORE_WORDS(edx, executed, (edx[l] & ~0xffffu) | high[l]);
    } else {
        store_lanes(eax, low, executed);
        store_lanes(edx, high, executed);
    }
}

INLINE void set_product(struct warp *w, const struct uop *u, const u32 *low, const u32 *carry, lanemask executed)
{
    const lanemask c = mask_of_words(carry);
    merge(&w->carry, c, executed);
    merge(&w->overflow, c, executed);
    merge(predicate_at(w, IA32_P_ADJUST), 0, executed);
    set_result(w, low, u->imm, executed);
}

INLINE void product_lanes(struct warp *w, const struct uop *u, lanemask executed, bool is_signed)
{
    const u32 *a = guest_register_at(w, IA32_EAX), *b = source(w, u->b);
    const unsigned bits = IA32_BITS(u->imm);
    u32 low[LANES] ALIGNED, high[LANES] ALIGNED, carry[LANES] ALIGNED;
    FOR_LANES
    {
        const u64 r = ia32_product(is_signed, bits, a[l], b[l]);
        low[l] = ia32_low_bits((u32)r, bits);
        high[l] = ia32_low_bits((u32)(r >> bits), bits);
        carry[l] = ia32_product_carry(is_signed, bits, r);
    }
    store_wide(w, bits, high, low, executed);
    if (u->imm & IA32_WANTS_FLAGS)
        set_product(w, u, low, carry, executed);
}

/* Of 32 bits, without flags. */
INLINE void whole_product_lanes(struct warp *w, const struct uop *u, lanemask executed, bool is_signed)
{
    const u32 *a = guest_register_at(w, IA32_EAX), *b = source(w, u->b);
    u32 low[LANES] ALIGNED, high[LANES] ALIGNED;
    FOR_LANES
    {
        const u64 r = ia32_product(is_signed, 32, a[l], b[l]);
        low[l] = (u32)r;
        high[l] = (u32)(r >> 32);
    }
    store_wide(w, 32, high, low, executed);
}

HANDLER(product)
{
    if (u->imm == 32)
        whole_product_lanes(w, u, executed, false);
    else if (u->imm == (32 | IA32_SIGNED))
        whole_product_lanes(w, u, executed, true);
    else if (u->imm & IA32_SIGNED)
        product_lanes(w, u, executed, true);
    else
        product_lanes(w, u, executed, false);
}

HANDLER(multiply)
{
    const u32 *a = source(w, u->a), *b = source(w, u->b);
    const unsigned bits = IA32_BITS(u->imm);
    u32 low[LANES] ALIGNED, carry[LANES] ALIGNED;
    FOR_LANES
    {
        const u64 r = ia32_product(true, bits, a[l], b[l]);
        low[l] = ia32_low_bits((u32)r, bits);
        carry[l] = ia32_product_carry(true, bits, r);
    }
    store_lanes(destination(w, u->d), low, executed);
    if (u->imm & IA32_WANTS_FLAGS)
        set_product(w, u, low, carry, executed);
}

INLINE u32 magnitude(u32 x, bool is_signed) { return is_signed && x >> 31 ? -x : x; }

/* Dividends of at most 32 bits: as doubles, whose error is smaller than the distance of a quotient from the next
 * integer (frontend/core/lanes/integer.simd.c). Returns the lanes in which the quotient fits into `bits`. */
INLINE lanemask divide_words(bool is_signed, unsigned bits, const u32 *dividend, const u32 *b, u32 *quotient,
                             u32 *remainder)
{
    u32 bad[LANES] ALIGNED;
    const u32 most = is_signed ? UINT32_MAX >> (33 - bits) : UINT32_MAX >> (32 - bits);
    FOR_LANES
    {
        const u32 divisor = is_signed ? ia32_signed(b[l], bits) : ia32_low_bits(b[l], bits);
        const u32 n = magnitude(dividend[l], is_signed), d = magnitude(divisor, is_signed);
        const u32 q = u32_of_f64(__builtin_trunc(f64_of_u32(n) / f64_of_u32(d + (d == 0)))), r = n - q * d;
        const u32 negative = is_signed && (dividend[l] ^ divisor) >> 31 ? 1 : 0;
        quotient[l] = ia32_low_bits(negative ? -q : q, bits);
        remainder[l] = ia32_low_bits(is_signed && dividend[l] >> 31 ? -r : r, bits);
        bad[l] = d == 0 || q > most + negative ? UINT32_MAX : 0;
    }
    return ~mask_of_words(bad);
}

/* Sets dividends of 32 bits: DX:AX, AX, or EAX where it says all that EDX:EAX does. False: there are longer ones. */
INLINE bool short_dividends(u32 *dividend, bool is_signed, unsigned bits, const u32 *high, const u32 *low,
                            lanemask executed)
{
    u32 longer[LANES] ALIGNED;
    FOR_LANES
    {
        const u32 both = high[l] << (bits & 31) | ia32_low_bits(low[l], bits);
        dividend[l] = bits == 32 ? low[l] : bits == 16 ? both : is_signed ? ia32_signed(low[l], 16) : low[l] & 0xffff;
        longer[l] = bits == 32 && high[l] != (is_signed ? -(low[l] >> 31) : 0) ? UINT32_MAX : 0;
    }
    return !(mask_of_words(longer) & executed);
}

INLINE void divide_lanes(struct warp *w, const struct uop *u, lanemask executed, bool is_signed)
{
    const u32 *b = source(w, u->b), *eax = guest_register_at(w, IA32_EAX), *edx = guest_register_at(w, IA32_EDX);
    const unsigned bits = IA32_BITS(u->imm);
    lanemask done = 0;
    u32 quotient[LANES] ALIGNED, remainder[LANES] ALIGNED, dividend[LANES] ALIGNED;
    if (short_dividends(dividend, is_signed, bits, edx, eax, executed)) {
        done = divide_words(is_signed, bits, dividend, b, quotient, remainder);
    } else {
        for (lanemask m = executed; m; m &= m - 1) {
            const int l = __builtin_ctz(m);
            quotient[l] = remainder[l] = 0;
            if (ia32_divide(is_signed, bits, edx[l], eax[l], b[l], &quotient[l], &remainder[l]))
                done |= lane_bit[l];
        }
    }
    store_wide(w, bits, remainder, quotient, executed & done);
    *predicate_at(w, IA32_P_CONDITION) = executed & ~done;
}

HANDLER(divide)
{
    if (u->imm & IA32_SIGNED)
        divide_lanes(w, u, executed, true);
    else
        divide_lanes(w, u, executed, false);
}

/* ---- bits of strings --------------------------------------------------------------------------------------------- */

HANDLER(bit_mask)
{
    const u32 *a = source(w, u->a);
    const u32 most = IA32_BITS(u->imm) - 1;
    STORE_WORDS(destination(w, u->d), executed, 1u << (a[l] & most));
}

HANDLER(bit_place)
{
    const u32 *a = source(w, u->a), *b = source(w, u->b);
    const unsigned bits = IA32_BITS(u->imm), by = bits == 16 ? 4 : 5;
    STORE_WORDS(destination(w, u->d), executed, a[l] + (u32)((s32)ia32_signed(b[l], bits) >> by) * (bits / 8));
}

/* ---- conditions -------------------------------------------------------------------------------------------------- */

INLINE lanemask condition_mask(const struct warp *w, const struct uop *u)
{
    return ia32_condition((unsigned)u->imm, w->carry, w->zero, w->sign, w->overflow, *predicate_at(w, IA32_P_PARITY));
}

HANDLER(condition) { *predicate_at(w, IA32_P_CONDITION) = condition_mask(w, u) & executed; }

HANDLER(set)
{
    const lanemask m = condition_mask(w, u);
    STORE_WORDS(destination(w, u->d), executed, m & lane_bit[l] ? 1 : 0);
}

HANDLER(repeat)
{
    const u32 *a = source(w, u->a);
    const u32 mask = ia32_low_bits(UINT32_MAX, IA32_BITS(u->imm));
    u32 count[LANES] ALIGNED;
    FOR_LANES count[l] = a[l] & mask;
    *predicate_at(w, IA32_P_CONDITION) = mask_of_others(count) & executed;
    if (w->log)
        rp_log_guard(w->log, *predicate_at(w, IA32_P_CONDITION));
}

/* By the step that DF says, of 32 bits. */
INLINE u32 advanced(lanemask down, int l, u32 a, u32 b) { return down & lane_bit[l] ? a - b : a + b; }

HANDLER(advance)
{
    const u32 *a = source(w, u->a), *b = source(w, u->b);
    const lanemask down = *predicate_at(w, IA32_P_DIRECTION);
    if (down)
        STORE_WORDS(destination(w, u->d), executed, advanced(down, l, a[l], b[l]));
    else
        STORE_WORDS(destination(w, u->d), executed, a[l] + b[l]);
}

HANDLER(advance_half)
{
    const u32 *a = source(w, u->a), *b = source(w, u->b);
    const lanemask down = *predicate_at(w, IA32_P_DIRECTION);
    STORE_WORDS(destination(w, u->d), executed, (a[l] & ~0xffffu) | (advanced(down, l, a[l], b[l]) & 0xffff));
}

/* ---- the register of flags --------------------------------------------------------------------------------------- */

HANDLER(set_carry) { merge(&w->carry, u->imm == 2 ? ~w->carry : u->imm ? EVERY_LANE : 0, executed); }

HANDLER(direction) { merge(predicate_at(w, IA32_P_DIRECTION), u->imm ? EVERY_LANE : 0, executed); }

HANDLER(get_flags)
{
    const lanemask c = w->carry, z = w->zero, s = w->sign, o = w->overflow;
    const lanemask p = *predicate_at(w, IA32_P_PARITY), a = *predicate_at(w, IA32_P_ADJUST);
    const lanemask d = *predicate_at(w, IA32_P_DIRECTION);
    STORE_WORDS(destination(w, u->d), executed,
                IA32_FLAGS_ON | (c & lane_bit[l] ? IA32_CF : 0) | (p & lane_bit[l] ? IA32_PF : 0) |
                    (a & lane_bit[l] ? IA32_AF : 0) | (z & lane_bit[l] ? IA32_ZF : 0) |
                    (s & lane_bit[l] ? IA32_SF : 0) | (d & lane_bit[l] ? IA32_DF : 0) |
                    (o & lane_bit[l] ? IA32_OF : 0));
}

HANDLER(set_flags)
{
    static const u32 bits[] = {IA32_CF, IA32_ZF, IA32_SF, IA32_OF, IA32_PF, IA32_AF, IA32_DF};
    const u32 *a = source(w, u->a);
    lanemask *const flags[] = {&w->carry,
                               &w->zero,
                               &w->sign,
                               &w->overflow,
                               predicate_at(w, IA32_P_PARITY),
                               predicate_at(w, IA32_P_ADJUST),
                               predicate_at(w, IA32_P_DIRECTION)};
    u32 words[LANES] ALIGNED;
    for (unsigned n = 0; n < sizeof bits / sizeof *bits; n++) {
        FOR_LANES words[l] = a[l] & bits[n];
        if (u->imm & bits[n])
            merge(flags[n], mask_of_others(words), executed);
    }
}

HANDLER(equal)
{
    const u32 *a = source(w, u->a), *b = source(w, u->b);
    const u32 *eax = guest_register_at(w, IA32_EAX), *edx = guest_register_at(w, IA32_EDX);
    u32 differ[LANES] ALIGNED;
    FOR_LANES differ[l] = (a[l] ^ eax[l]) | (b[l] ^ edx[l]);
    merge(&w->zero, mask_of_zeros(differ), executed);
}

static uop_fn part_handler(bool insert, unsigned bits, unsigned at)
{
    if (bits == 1)
        return extract_sign;
    if (bits == 16)
        return insert ? insert_half : extract_half;
    if (at)
        return insert ? insert_second_byte : extract_second_byte;
    return insert ? insert_byte : extract_byte;
}

uop_fn SIMD_NAME(ia32_lane_handler)(unsigned lane, int64_t imm)
{
    static const uop_fn handlers[IA32_LANES] = {
        [IA32_LANE_NOTHING] = nothing,     [IA32_LANE_SWAP] = swap,           [IA32_LANE_PRODUCT] = product,
        [IA32_LANE_MULTIPLY] = multiply,   [IA32_LANE_DIVIDE] = divide,       [IA32_LANE_BIT_MASK] = bit_mask,
        [IA32_LANE_BIT_PLACE] = bit_place, [IA32_LANE_CONDITION] = condition, [IA32_LANE_SET] = set,
        [IA32_LANE_REPEAT] = repeat,       [IA32_LANE_CARRY] = set_carry,     [IA32_LANE_DIRECTION] = direction,
        [IA32_LANE_GET_FLAGS] = get_flags, [IA32_LANE_SET_FLAGS] = set_flags, [IA32_LANE_EQUAL] = equal,
    };
    switch (lane) {
    case IA32_LANE_ADDRESS: return imm >> IA32_SHORT_ADDRESS & 1 ? short_address : address;
    case IA32_LANE_ADVANCE: return IA32_BITS(imm) == 16 ? advance_half : advance;
    case IA32_LANE_EXTRACT:
    case IA32_LANE_INSERT:
        return part_handler(lane == IA32_LANE_INSERT, IA32_BITS(imm), (unsigned)(imm >> IA32_SHIFT_AT));
    default: return handlers[lane];
    }
}
