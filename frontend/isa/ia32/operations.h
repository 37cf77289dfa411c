/* What instructions of IA-32 compute, for both engines: functions of words, which compilers turn into vectors where the
 * operation is a constant. Values of 8 and 16 bits are in the lowest bits of words; what lies above them in operands
 * does not matter, and results have zeros there. */
#ifndef REPRISE_FRONTEND_ISA_IA32_OPERATIONS_H
#define REPRISE_FRONTEND_ISA_IA32_OPERATIONS_H

#include "frontend/isa/ia32/table.h"

#define IA32_INLINE static inline __attribute__((always_inline, unused))

/* EFLAGS: the manual's volume 1, 3.4.3. */
enum ia32_eflags {
    IA32_CF = 0x001,
    IA32_PF = 0x004,
    IA32_AF = 0x010,
    IA32_ZF = 0x040,
    IA32_SF = 0x080,
    IA32_DF = 0x400,
    IA32_OF = 0x800,
    IA32_STATUS = IA32_CF | IA32_PF | IA32_AF | IA32_ZF | IA32_SF | IA32_OF,
    IA32_FLAGS_ON = 0x202, /* as programs see the rest of them */
};

/* CF and OF of an operation, in the highest bit of words. */
struct ia32_carry {
    uint32_t c, o;
};

IA32_INLINE uint32_t ia32_low_bits(uint32_t x, unsigned bits) { return x << (32 - bits) >> (32 - bits); }
IA32_INLINE uint32_t ia32_signed(uint32_t x, unsigned bits)
{
    return (uint32_t)((int32_t)(x << (32 - bits)) >> (32 - bits));
}

/* ---- sums and logic ---------------------------------------------------------------------------------------------- */

/* The operands lie in the upper bits of words: so flags of all sizes are those of 32 bits. carry: 0 or 1 in the lowest
 * bit of the size. */
IA32_INLINE uint32_t ia32_sum_up(uint32_t a, uint32_t b, uint32_t carry, struct ia32_carry *f)
{
    const uint32_t r = a + b + carry;
    f->c = (a & b) | ((a | b) & ~r);
    f->o = (a ^ r) & (b ^ r);
    return r;
}
IA32_INLINE uint32_t ia32_difference_up(uint32_t a, uint32_t b, uint32_t borrow, struct ia32_carry *f)
{
    const uint32_t r = a - b - borrow;
    f->c = (~a & b) | ((~a | b) & r);
    f->o = (a ^ b) & (a ^ r);
    return r;
}

/* IA32_ADD to IA32_NOT of `bits`; carry: CF, 0 or 1. INC and DEC leave CF, NOT all flags to the caller. */
IA32_INLINE uint32_t ia32_data(unsigned operation, unsigned bits, uint32_t a, uint32_t b, uint32_t carry,
                               struct ia32_carry *f)
{
    const unsigned up = 32 - bits;
    uint32_t r;
    a <<= up;
    b <<= up;
    f->c = f->o = 0;
    switch (operation) {
    case IA32_ADD: r = ia32_sum_up(a, b, 0, f); break;
    case IA32_ADC: r = ia32_sum_up(a, b, carry << up, f); break;
    case IA32_SBB: r = ia32_difference_up(a, b, carry << up, f); break;
    case IA32_CMP:
    case IA32_SUB: r = ia32_difference_up(a, b, 0, f); break;
    case IA32_INC: r = ia32_sum_up(a, 1u << up, 0, f); break;
    case IA32_DEC: r = ia32_difference_up(a, 1u << up, 0, f); break;
    case IA32_NEG: r = ia32_difference_up(0, a, 0, f); break;
    case IA32_OR: r = a | b; break;
    case IA32_XOR: r = a ^ b; break;
    case IA32_NOT: r = ~a; break;
    default: r = a & b; break; /* IA32_AND, IA32_TEST */
    }
    return r >> up;
}

/* AF: the carry out of the lowest four bits, in the lowest bit. Logic operations clear it (the manual: undefined). */
IA32_INLINE uint32_t ia32_adjust(unsigned operation, uint32_t a, uint32_t b, uint32_t carry)
{
    a &= 15;
    b &= 15;
    switch (operation) {
    case IA32_ADD: return (a + b) >> 4;
    case IA32_ADC: return (a + b + carry) >> 4;
    case IA32_CMP:
    case IA32_SUB: return (a - b) >> 31;
    case IA32_SBB: return (a - b - carry) >> 31;
    case IA32_INC: return (a + 1) >> 4;
    case IA32_DEC: return (a - 1) >> 31;
    case IA32_NEG: return (0 - a) >> 31;
    default: return 0;
    }
}

/* PF: whether the lowest byte has an even number of ones, in the lowest bit. */
IA32_INLINE uint32_t ia32_parity(uint32_t x)
{
    x ^= x >> 4;
    return ~(0x6996u >> (x & 15)) & 1;
}

/* ---- shifts and rotates ------------------------------------------------------------------------------------------ */

/* Whether an operation writes CF and OF alone. */
IA32_INLINE bool ia32_rotates(unsigned operation) { return operation >= IA32_ROL && operation <= IA32_RCR; }

/* An 8- or 16-bit value over and over in 32 bits. */
IA32_INLINE uint32_t ia32_repeated(uint32_t a, unsigned bits)
{
    a = ia32_low_bits(a, bits);
    return bits == 8 ? a * 0x01010101u : bits == 16 ? a * 0x00010001u : a;
}
IA32_INLINE uint32_t ia32_rotated(uint32_t a, unsigned left) { return a << (left & 31) | a >> (-left & 31); }

/* Through CF: bits + 1 wide, by 1 to `bits`. carry: 0 or 1 */
IA32_INLINE uint32_t ia32_rotate_through(bool left, unsigned bits, uint32_t a, unsigned n, uint32_t carry,
                                         struct ia32_carry *f)
{
    const unsigned by = left ? n : bits + 1 - n; /* to the left */
    uint32_t r;
    if (bits == 32) {
        r = left ? a << (n & 31) | carry << (n - 1) | a >> 1 >> (-n & 31)
                 : a >> (n & 31) | carry << (-n & 31) | a << 1 << (-n & 31);
        f->c = (left ? a >> (-n & 31) : a >> (n - 1)) << 31;
    } else {
        const uint32_t x = carry << bits | a;
        r = x << by | x >> (bits + 1 - by);
        f->c = r >> bits << 31;
    }
    f->o = (r ^ a) << (32 - bits);
    return ia32_low_bits(r, bits);
}

/* The bits that count of an amount of IA32_ROL to IA32_SHRD. 0: the instruction does nothing, and leaves flags alone.
 */
IA32_INLINE uint32_t ia32_amount(unsigned operation, unsigned bits, uint32_t n)
{
    n &= 31;
    if ((operation != IA32_RCL && operation != IA32_RCR) || bits == 32)
        return n;
    return bits == 8 ? n - (n * 57 >> 9) * 9 : n >= 17 ? n - 17 : n; /* modulo 9 and 17 */
}

/* The value before the last bit was shifted out, and OF and CF from it. OF of more than one bit is undefined in the
 * manual: it is computed as that of the last one. */
IA32_INLINE uint32_t ia32_shift_ends(bool left, unsigned bits, uint32_t before, uint32_t r, struct ia32_carry *f)
{
    const unsigned up = 32 - bits;
    f->c = left ? before << up : before << 31;
    f->o = (before ^ r) << up;
    return ia32_low_bits(r, bits);
}

/* n: from ia32_amount, not 0; b: the second register of SHLD and SHRD; carry: CF, 0 or 1. */
IA32_INLINE uint32_t ia32_shift(unsigned operation, unsigned bits, uint32_t a, uint32_t b, uint32_t n, uint32_t carry,
                                struct ia32_carry *f)
{
    const unsigned m = (n - 1) & 31;
    const uint32_t x = ia32_low_bits(a, bits), rest = ia32_low_bits(b, bits);
    uint32_t before, r;
    switch (operation) {
    case IA32_ROL:
        r = ia32_low_bits(ia32_rotated(ia32_repeated(a, bits), n), bits);
        f->c = r << 31;
        f->o = r << (32 - bits) ^ r << 31;
        return r;
    case IA32_ROR:
        r = ia32_low_bits(ia32_rotated(ia32_repeated(a, bits), 32 - n), bits);
        f->c = r << (32 - bits);
        f->o = r << (32 - bits) ^ r << (33 - bits);
        return r;
    case IA32_RCL: return ia32_rotate_through(true, bits, x, n, carry, f);
    case IA32_RCR: return ia32_rotate_through(false, bits, x, n, carry, f);
    case IA32_SHR: before = x >> m; return ia32_shift_ends(false, bits, before, before >> 1, f);
    case IA32_SAR:
        before = (uint32_t)((int32_t)ia32_signed(a, bits) >> m);
        return ia32_shift_ends(false, bits, before, (uint32_t)((int32_t)before >> 1), f);
    case IA32_SHLD:
        before = x << m;
        r = bits == 16 ? (x << 16 | rest) << (n & 31) >> 16 | (n > 16 ? x >> (-n & 31) : 0)
                       : before << 1 | rest >> (-n & 31);
        return ia32_shift_ends(true, bits, before, r, f);
    case IA32_SHRD:
        before = (bits == 16 ? rest << 16 | x : x) >> m;
        r = bits == 16 ? before >> 1 : before >> 1 | rest << (-n & 31);
        return ia32_shift_ends(false, bits, before, r, f);
    default: /* IA32_SHL */ before = x << m; return ia32_shift_ends(true, bits, before, before << 1, f);
    }
}

/* ---- products ---------------------------------------------------------------------------------------------------- */

/* a × b, of 2 × bits. */
IA32_INLINE uint64_t ia32_product(bool is_signed, unsigned bits, uint32_t a, uint32_t b)
{
    if (is_signed)
        return (uint64_t)((int64_t)(int32_t)ia32_signed(a, bits) * (int32_t)ia32_signed(b, bits));
    return (uint64_t)ia32_low_bits(a, bits) * ia32_low_bits(b, bits);
}
/* CF and OF of a product: whether its upper half says more than the lower one, in the highest bit. */
IA32_INLINE uint32_t ia32_product_carry(bool is_signed, unsigned bits, uint64_t r)
{
    const uint32_t low = (uint32_t)r, high = bits == 32 ? (uint32_t)(r >> 32) : low >> bits;
    const uint32_t expected = is_signed ? -(ia32_low_bits(low, bits) >> (bits - 1)) : 0;
    return bits == 32 ? (high != expected ? 1u << 31 : 0) : (ia32_low_bits(high ^ expected, bits) ? 1u << 31 : 0);
}

/* ---- division ---------------------------------------------------------------------------------------------------- */

/* high, low: the dividend, each of `bits`. False: the divisor is 0, or the quotient does not fit. */
IA32_INLINE bool ia32_divide(bool is_signed, unsigned bits, uint32_t high, uint32_t low, uint32_t divisor,
                             uint32_t *quotient, uint32_t *remainder)
{
    const uint64_t n = (uint64_t)ia32_low_bits(high, bits) << bits | ia32_low_bits(low, bits);
    const uint32_t d = ia32_low_bits(divisor, bits);
    if (!d)
        return false;
    if (!is_signed) {
        *quotient = (uint32_t)(n / d);
        *remainder = (uint32_t)(n % d);
        return n / d >> bits == 0;
    }
    const int64_t x = (int64_t)(n << (64 - 2 * bits)) >> (64 - 2 * bits), y = (int32_t)ia32_signed(d, bits);
    if (x == INT64_MIN)
        return false;
    const int64_t q = x / y;
    *quotient = ia32_low_bits((uint32_t)q, bits);
    *remainder = ia32_low_bits((uint32_t)(x % y), bits);
    return q == (int32_t)ia32_signed((uint32_t)q, bits);
}

/* ---- bits -------------------------------------------------------------------------------------------------------- */

/* IA32_BT to IA32_BTC: the word with bit n changed. */
IA32_INLINE uint32_t ia32_bit(unsigned operation, uint32_t a, uint32_t mask)
{
    switch (operation) {
    case IA32_BTS: return a | mask;
    case IA32_BTR: return a & ~mask;
    case IA32_BTC: return a ^ mask;
    default: return a; /* IA32_BT */
    }
}
/* BSF and BSR of 0 leave the old value, as processors do (the manual: undefined). */
IA32_INLINE uint32_t ia32_scan(unsigned operation, unsigned bits, uint32_t a, uint32_t old)
{
    if (!a)
        return operation == IA32_TZCNT ? bits : old;
    return operation == IA32_BSR ? 31u - (uint32_t)__builtin_clz(a) : (uint32_t)__builtin_ctz(a);
}
IA32_INLINE uint32_t ia32_swapped(uint32_t a) { return a << 24 | (a & 0xff00) << 8 | (a >> 8 & 0xff00) | a >> 24; }

/* ---- conditions -------------------------------------------------------------------------------------------------- */

/* c, z, s, o, p: words whose bits are each core's flag, or one core's 0 and all ones. */
IA32_INLINE uint32_t ia32_condition(unsigned condition, uint32_t c, uint32_t z, uint32_t s, uint32_t o, uint32_t p)
{
    uint32_t holds;
    switch (condition >> 1) {
    case 0: holds = o; break;
    case 1: holds = c; break;
    case 2: holds = z; break;
    case 3: holds = c | z; break;
    case 4: holds = s; break;
    case 5: holds = p; break;
    case 6: holds = s ^ o; break;
    default: holds = (s ^ o) | z; break;
    }
    return condition & 1 ? ~holds : holds;
}

#endif
