/* What instructions of ARMv7-A compute, in one core: chapter A8 of the manual, and A2.2.1 for its functions. The plain
 * engine calls these functions; the lane handlers of the other one (lanes.simd.c) are loops over them. */
#ifndef REPRISE_FRONTEND_ISA_ARM_OPERATIONS_H
#define REPRISE_FRONTEND_ISA_ARM_OPERATIONS_H

#include "frontend/isa/arm/table.h"

#define ARM_INLINE static inline __attribute__((always_inline))

/* Bits of the status register, A2.4. */
#define ARM_N 0x80000000u
#define ARM_Z 0x40000000u
#define ARM_C 0x20000000u
#define ARM_V 0x10000000u
#define ARM_Q_FLAG 0x08000000u
#define ARM_GE_SHIFT 16
#define ARM_USER_MODE 0x10u /* what else the register holds for programs */

/* ---- shifts, A8.4.3 ---------------------------------------------------------------------------------------------- */

/* `amount`: 0 to 255. *carry, 0 or 1: C before, and the shifter's carry after. */
ARM_INLINE uint32_t arm_shift(uint32_t x, unsigned type, uint32_t amount, uint32_t *carry)
{
    const uint32_t in = *carry, n = amount < 32 ? amount : 31, by = amount & 31;
    switch (type) {
    case ARM_LSL:
        *carry = !amount ? in : amount > 32 ? 0 : amount == 32 ? x & 1 : x >> (32 - n) & 1;
        return amount < 32 ? x << n : 0;
    case ARM_LSR:
        *carry = !amount ? in : amount > 32 ? 0 : amount == 32 ? x >> 31 : x >> ((n - 1) & 31) & 1;
        return amount < 32 ? x >> n : 0;
    case ARM_ASR:
        *carry = !amount ? in : amount >= 32 ? x >> 31 : x >> ((n - 1) & 31) & 1;
        return (uint32_t)((int32_t)x >> n);
    case ARM_ROR: {
        const uint32_t r = x >> by | x << ((32 - by) & 31);
        *carry = amount ? r >> 31 : in;
        return r;
    }
    default: /* RRX */ *carry = x & 1; return in << 31 | x >> 1;
    }
}

/* ---- data processing, A8.8 --------------------------------------------------------------------------------------- */

ARM_INLINE bool arm_is_logical(unsigned operation)
{
    return operation <= ARM_EOR || operation == ARM_TST || operation == ARM_TEQ || operation >= ARM_ORR;
}

/* C and V of a sum, as the highest bits of words. */
struct arm_sum {
    uint32_t c, v;
};

/* a + b + carry, A2.2.1 */
ARM_INLINE uint32_t arm_add(uint32_t a, uint32_t b, uint32_t carry, struct arm_sum *flags)
{
    const uint32_t sum = a + b + carry;
    flags->c = (a & b) | ((a | b) & ~sum);
    flags->v = (a ^ sum) & (b ^ sum);
    return sum;
}

/* carry: C. *flags: of sums; C of logic operations is the shifter's. */
ARM_INLINE uint32_t arm_data(unsigned operation, uint32_t n, uint32_t operand, uint32_t carry, struct arm_sum *flags)
{
    switch (operation) {
    case ARM_TST:
    case ARM_AND: return n & operand;
    case ARM_TEQ:
    case ARM_EOR: return n ^ operand;
    case ARM_CMP:
    case ARM_SUB: return arm_add(n, ~operand, 1, flags);
    case ARM_RSB: return arm_add(~n, operand, 1, flags);
    case ARM_CMN:
    case ARM_ADD: return arm_add(n, operand, 0, flags);
    case ARM_ADC: return arm_add(n, operand, carry, flags);
    case ARM_SBC: return arm_add(n, ~operand, carry, flags);
    case ARM_RSC: return arm_add(~n, operand, carry, flags);
    case ARM_ORR: return n | operand;
    case ARM_BIC: return n & ~operand;
    case ARM_MVN: return ~operand;
    case ARM_ORN: return n | ~operand;
    case ARM_MOVT: return (n & 0xffff) | operand << 16;
    default: return operand; /* ARM_MOV */
    }
}

/* ---- saturation, A2.2.1 ------------------------------------------------------------------------------------------ */

/* Words suffice for what has fewer than 64 bits in the manual: vectors then hold as many lanes as of anything else. */

/* *q becomes 1 if the value does not fit. */
ARM_INLINE uint32_t arm_saturate(int32_t x, int32_t least, int32_t most, uint32_t *q)
{
    const int32_t y = x < least ? least : x > most ? most : x;
    *q |= y != x;
    return (uint32_t)y;
}
ARM_INLINE uint32_t arm_saturate_signed(int32_t x, unsigned bits, uint32_t *q)
{
    const int32_t most = (int32_t)((1u << (bits - 1)) - 1);
    return arm_saturate(x, ~most, most, q);
}
ARM_INLINE uint32_t arm_saturate_unsigned(int32_t x, unsigned bits, uint32_t *q)
{
    return arm_saturate(x, 0, (int32_t)((1u << bits) - 1), q);
}

/* x + y or x - y, to 32 bits. */
ARM_INLINE uint32_t arm_saturated_sum(uint32_t x, uint32_t y, bool subtract, uint32_t *q)
{
    const uint32_t sum = subtract ? x - y : x + y;
    const uint32_t overflow = (subtract ? x ^ y : ~(x ^ y)) & (x ^ sum);
    *q |= overflow >> 31;
    return overflow >> 31 ? 0x7fffffff + (x >> 31) : sum;
}

/* ---- halves and bytes -------------------------------------------------------------------------------------------- */

ARM_INLINE int32_t arm_half(uint32_t x, unsigned top) { return (int16_t)(x >> (top ? 16 : 0)); }
ARM_INLINE uint32_t arm_halves(uint32_t high, uint32_t low) { return high << 16 | (low & 0xffff); }
ARM_INLINE uint32_t arm_exchange(uint32_t x, uint32_t imm) { return imm & 1 ? x >> 16 | x << 16 : x; }

/* The parts of a word that a parallel addition adds: `high` has the highest bit of each. Masks of parts have that bit,
 * too. */
struct arm_parts {
    uint32_t sum, overflow, carry; /* carry of a difference: where it does not borrow */
};

/* Without the highest bits first, so that no part carries into the next one. */
ARM_INLINE struct arm_parts arm_add_parts(uint32_t high, uint32_t x, uint32_t y, bool subtract)
{
    const uint32_t z = subtract ? ~y : y; /* x - y = x + ~y + 1 */
    const uint32_t low = subtract ? (x | high) - (y & ~high) : (x & ~high) + (y & ~high);
    const uint32_t sum = subtract ? low ^ (~(x ^ y) & high) : low ^ ((x ^ y) & high);
    return (struct arm_parts){sum, ~(x ^ z) & (x ^ sum) & high, ((x & z) | ((x | z) & ~sum)) & high};
}

/* All bits of these parts. */
ARM_INLINE uint32_t arm_whole_parts(uint32_t parts, unsigned width) { return (parts << 1) - (parts >> (width - 1)); }

/* Half the sums or differences, rounded downwards. Signed parts are taken for numbers greater by 2^(width - 1); half of
 * x - y is half of x + ~y, rounded upwards, less 2^(width - 1). */
ARM_INLINE uint32_t arm_halve_parts(uint32_t high, uint32_t x, uint32_t y, bool subtract, bool is_signed)
{
    const uint32_t more = is_signed ? high : 0, a = x ^ more, b = subtract ? ~(y ^ more) : y ^ more;
    const uint32_t half = (a ^ b) >> 1 & ~high;
    return (subtract ? (a | b) - half : (a & b) + half) ^ (subtract ? high : more);
}

/* *ge: parts whose signed sum is not below zero, or whose unsigned one carries. */
ARM_INLINE uint32_t arm_parallel_parts(uint32_t variant, uint32_t x, uint32_t y, bool subtract, unsigned width,
                                       uint32_t *ge)
{
    const uint32_t high = width == 8 ? 0x80808080u : 0x80008000u;
    const struct arm_parts p = arm_add_parts(high, x, y, subtract);
    const uint32_t carried = arm_whole_parts(p.carry, width), overflowed = arm_whole_parts(p.overflow, width);
    *ge = variant == ARM_UNSIGNED ? p.carry : ~(p.sum ^ p.overflow) & high;
    switch (variant) {
    case ARM_Q: return (p.sum & ~overflowed) | ((~high + ((x & high) >> (width - 1))) & overflowed);
    case ARM_UQ: return subtract ? p.sum & carried : p.sum | carried;
    case ARM_SH:
    case ARM_UH: return arm_halve_parts(high, x, y, subtract, variant == ARM_SH);
    default: return p.sum;
    }
}

ARM_INLINE uint32_t arm_parallel_halves(uint32_t variant, uint32_t operation, uint32_t n, uint32_t m, uint32_t *ge)
{
    const bool crossed = operation == ARM_ASX || operation == ARM_SAX;
    const bool low_subtracts = operation == ARM_ASX || operation == ARM_SUB16;
    const bool high_subtracts = operation == ARM_SAX || operation == ARM_SUB16;
    const uint32_t y = crossed ? m >> 16 | m << 16 : m;
    uint32_t low_ge, high_ge;
    const uint32_t low = arm_parallel_parts(variant, n, y, low_subtracts, 16, &low_ge);
    const uint32_t high = arm_parallel_parts(variant, n, y, high_subtracts, 16, &high_ge);
    *ge = (low_ge >> 15 & 1) * 3 | (high_ge >> 31) * 12;
    return arm_halves(high >> 16, low);
}

ARM_INLINE uint32_t arm_parallel_bytes(uint32_t variant, uint32_t operation, uint32_t n, uint32_t m, uint32_t *ge)
{
    uint32_t g;
    const uint32_t r = arm_parallel_parts(variant, n, m, operation == ARM_SUB8, 8, &g);
    *ge = (g >> 7 & 1) | (g >> 14 & 2) | (g >> 21 & 4) | (g >> 28 & 8);
    return r;
}

/* Whether a parallel addition sets GE: those that neither saturate nor halve. */
ARM_INLINE bool arm_sets_ge(uint32_t imm) { return imm >> 3 == ARM_SIGNED || imm >> 3 == ARM_UNSIGNED; }

ARM_INLINE uint32_t arm_parallel_sum(uint32_t imm, uint32_t n, uint32_t m, uint32_t *ge)
{
    const uint32_t variant = imm >> 3, operation = imm & 7;
    return operation >= ARM_ADD8 ? arm_parallel_bytes(variant, operation, n, m, ge)
                                 : arm_parallel_halves(variant, operation, n, m, ge);
}

ARM_INLINE uint32_t arm_select(uint32_t n, uint32_t m, uint32_t ge)
{
    uint32_t mask = 0;
    for (unsigned b = 0; b < 4; b++)
        mask |= (ge >> b & 1 ? 0xffu : 0) << 8 * b;
    return (n & mask) | (m & ~mask);
}

/* The sum of the bytes' absolute differences. */
ARM_INLINE uint32_t arm_differences(uint32_t n, uint32_t m)
{
    uint32_t sum = 0;
    for (unsigned at = 0; at < 32; at += 8) {
        const int32_t d = (int32_t)(n >> at & 255) - (int32_t)(m >> at & 255);
        sum += (uint32_t)(d < 0 ? -d : d);
    }
    return sum;
}

ARM_INLINE uint32_t arm_reverse_bits(uint32_t x)
{
    x = (x & 0x55555555) << 1 | (x >> 1 & 0x55555555);
    x = (x & 0x33333333) << 2 | (x >> 2 & 0x33333333);
    x = (x & 0x0f0f0f0f) << 4 | (x >> 4 & 0x0f0f0f0f);
    return x << 24 | (x & 0xff00) << 8 | (x >> 8 & 0xff00) | x >> 24;
}
ARM_INLINE uint32_t arm_reverse_halves(uint32_t x) { return (x & 0x00ff00ff) << 8 | (x >> 8 & 0x00ff00ff); }
ARM_INLINE uint32_t arm_leading_zeros(uint32_t x) { return x ? (uint32_t)__builtin_clz(x) : 32; }

/* ---- division, A8.8.165 and A8.8.248 ----------------------------------------------------------------------------- */

ARM_INLINE uint32_t arm_divide_signed(uint32_t n, uint32_t m)
{
    return !m ? 0 : n == 0x80000000u && m == UINT32_MAX ? n : (uint32_t)((int32_t)n / (int32_t)m);
}

/* ---- bit fields -------------------------------------------------------------------------------------------------- */

ARM_INLINE uint32_t arm_field_mask(uint32_t imm)
{
    const uint32_t width = imm >> 8;
    return (width < 32 ? (1u << width) - 1 : UINT32_MAX) << (imm & 31);
}
ARM_INLINE uint32_t arm_extract(uint32_t x, uint32_t imm) { return (x & arm_field_mask(imm)) >> (imm & 31); }
ARM_INLINE uint32_t arm_extract_signed(uint32_t x, uint32_t imm)
{
    const uint32_t width = imm >> 8, above = (32 - (imm & 31) - width) & 31;
    return (uint32_t)((int32_t)(x << above) >> ((32 - width) & 31));
}

/* ---- products ---------------------------------------------------------------------------------------------------- */

ARM_INLINE int64_t arm_wide(uint32_t n, uint32_t m) { return (int64_t)(int32_t)n * (int32_t)m; }
/* The product of n and half of m, without its lowest 16 bits. */
ARM_INLINE uint32_t arm_upper_product(uint32_t n, int32_t half)
{
    return (uint32_t)(arm_half(n, 1) * half + ((int32_t)(n & 0xffff) * half >> 16));
}
/* *q becomes 1 if the sum does not fit 32 bits. */
ARM_INLINE uint32_t arm_sum_q(uint32_t x, uint32_t y, uint32_t *q)
{
    const uint32_t sum = x + y;
    *q |= ((x ^ sum) & (y ^ sum)) >> 31;
    return sum;
}
/* The sum or the difference of two products of halves. */
ARM_INLINE int64_t arm_half_products(uint32_t n, uint32_t m, bool subtract)
{
    const int64_t low = arm_half(n, 0) * arm_half(m, 0), high = arm_half(n, 1) * arm_half(m, 1);
    return subtract ? low - high : low + high;
}
/* That and a; *q becomes 1 if it does not fit 32 bits. It does where the products alone do not, and a brings them back.
 */
ARM_INLINE uint32_t arm_half_products_q(uint32_t n, uint32_t m, uint32_t a, bool subtract, uint32_t *q)
{
    const uint32_t low = (uint32_t)(arm_half(n, 0) * arm_half(m, 0));
    const uint32_t high = (uint32_t)(arm_half(n, 1) * arm_half(m, 1));
    uint32_t first = 0, second = 0;
    const uint32_t sum = subtract ? low - high : arm_sum_q(low, high, &first); /* a difference fits */
    const uint32_t r = arm_sum_q(sum, a, &second);
    *q |= first ^ second;
    return r;
}
ARM_INLINE uint32_t arm_upper_word(uint64_t x, uint32_t imm)
{
    return (uint32_t)((x + (imm & 1 ? 0x80000000u : 0)) >> 32);
}

/* ---- all of ARM_CLASS_COMPUTE ------------------------------------------------------------------------------------ */

/* n, m, a: registers, m shifted as the instruction says; d: the destination's old value. *q becomes 1 where the
 * instruction sets Q. *ge: GE before, and after. */
ARM_INLINE uint32_t arm_compute_product(unsigned operation, uint32_t n, uint32_t m, uint32_t a, uint32_t imm,
                                        uint32_t *q)
{
    switch (operation) {
    case ARM_MUL: return n * m;
    case ARM_MLA: return n * m + a;
    case ARM_MLS: return a - n * m;
    case ARM_SMULXY: return (uint32_t)(arm_half(n, imm & 1) * arm_half(m, imm >> 1));
    case ARM_SMLAXY: return arm_sum_q((uint32_t)(arm_half(n, imm & 1) * arm_half(m, imm >> 1)), a, q);
    case ARM_SMULW: return arm_upper_product(n, arm_half(m, imm >> 1));
    case ARM_SMLAW: return arm_sum_q(arm_upper_product(n, arm_half(m, imm >> 1)), a, q);
    case ARM_SMUAD: return arm_half_products_q(n, arm_exchange(m, imm), 0, false, q);
    case ARM_SMLAD: return arm_half_products_q(n, arm_exchange(m, imm), a, false, q);
    case ARM_SMUSD: return arm_half_products_q(n, arm_exchange(m, imm), 0, true, q);
    case ARM_SMLSD: return arm_half_products_q(n, arm_exchange(m, imm), a, true, q);
    case ARM_SMMUL: return arm_upper_word((uint64_t)arm_wide(n, m), imm);
    case ARM_SMMLA: return arm_upper_word(((uint64_t)a << 32) + (uint64_t)arm_wide(n, m), imm);
    case ARM_SMMLS: return arm_upper_word(((uint64_t)a << 32) - (uint64_t)arm_wide(n, m), imm);
    case ARM_USAD8: return arm_differences(n, m);
    case ARM_USADA8: return arm_differences(n, m) + a;
    case ARM_SDIV: return arm_divide_signed(n, m);
    default: return m ? n / m : 0; /* ARM_UDIV */
    }
}

ARM_INLINE uint32_t arm_compute_saturating(unsigned operation, uint32_t n, uint32_t m, uint32_t imm, uint32_t *q)
{
    switch (operation) {
    case ARM_QADD: return arm_saturated_sum(m, n, false, q);
    case ARM_QSUB: return arm_saturated_sum(m, n, true, q);
    case ARM_QDADD: return arm_saturated_sum(m, arm_saturated_sum(n, n, false, q), false, q);
    case ARM_QDSUB: return arm_saturated_sum(m, arm_saturated_sum(n, n, false, q), true, q);
    case ARM_SSAT: return arm_saturate_signed((int32_t)m, imm, q);
    case ARM_USAT: return arm_saturate_unsigned((int32_t)m, imm, q);
    case ARM_SSAT16:
        return arm_halves(arm_saturate_signed(arm_half(m, 1), imm, q), arm_saturate_signed(arm_half(m, 0), imm, q));
    default: /* ARM_USAT16 */
        return arm_halves(arm_saturate_unsigned(arm_half(m, 1), imm, q), arm_saturate_unsigned(arm_half(m, 0), imm, q));
    }
}

ARM_INLINE uint32_t arm_compute_extension(unsigned operation, uint32_t n, uint32_t m)
{
    switch (operation) {
    case ARM_SXTB: return (uint32_t)(int8_t)m;
    case ARM_SXTH: return (uint32_t)(int16_t)m;
    case ARM_SXTB16: return arm_halves((uint32_t)(int8_t)(m >> 16), (uint32_t)(int8_t)m);
    case ARM_UXTB: return m & 0xff;
    case ARM_UXTH: return m & 0xffff;
    case ARM_UXTB16: return m & 0x00ff00ff;
    case ARM_SXTAB: return n + (uint32_t)(int8_t)m;
    case ARM_SXTAH: return n + (uint32_t)(int16_t)m;
    case ARM_SXTAB16: return arm_halves((n >> 16) + (uint32_t)(int8_t)(m >> 16), n + (uint32_t)(int8_t)m);
    case ARM_UXTAB: return n + (m & 0xff);
    case ARM_UXTAH: return n + (m & 0xffff);
    default: return arm_halves((n >> 16) + (m >> 16 & 0xff), n + (m & 0xff)); /* ARM_UXTAB16 */
    }
}

ARM_INLINE uint32_t arm_compute_bits(unsigned operation, uint32_t n, uint32_t m, uint32_t d, uint32_t imm)
{
    switch (operation) {
    case ARM_PKHBT: return (m & 0xffff0000) | (n & 0xffff);
    case ARM_PKHTB: return (n & 0xffff0000) | (m & 0xffff);
    case ARM_REV: return arm_reverse_halves(m) << 16 | arm_reverse_halves(m) >> 16;
    case ARM_REV16: return arm_reverse_halves(m);
    case ARM_REVSH: return (uint32_t)(int16_t)arm_reverse_halves(m);
    case ARM_RBIT: return arm_reverse_bits(m);
    case ARM_CLZ: return arm_leading_zeros(m);
    case ARM_BFI: return (d & ~arm_field_mask(imm)) | (n << (imm & 31) & arm_field_mask(imm));
    case ARM_BFC: return d & ~arm_field_mask(imm);
    case ARM_SBFX: return arm_extract_signed(n, imm);
    default: return arm_extract(n, imm); /* ARM_UBFX */
    }
}

ARM_INLINE uint32_t arm_compute(unsigned operation, uint32_t n, uint32_t m, uint32_t a, uint32_t d, uint32_t imm,
                                uint32_t *q, uint32_t *ge)
{
    if (operation <= ARM_UDIV)
        return arm_compute_product(operation, n, m, a, imm, q);
    if (operation <= ARM_USAT16)
        return arm_compute_saturating(operation, n, m, imm, q);
    if (operation == ARM_PARALLEL) {
        uint32_t new_ge;
        const uint32_t r = arm_parallel_sum(imm, n, m, &new_ge);
        *ge = arm_sets_ge(imm) ? new_ge : *ge;
        return r;
    }
    if (operation == ARM_SEL)
        return arm_select(n, m, *ge);
    if (operation >= ARM_SXTB && operation <= ARM_UXTAB16)
        return arm_compute_extension(operation, n, m);
    return arm_compute_bits(operation, n, m, d, imm);
}

/* ---- ARM_CLASS_LONG ---------------------------------------------------------------------------------------------- */

/* high, low: the destination's old value */
ARM_INLINE uint64_t arm_compute_long(unsigned operation, uint32_t n, uint32_t m, uint32_t high, uint32_t low,
                                     uint32_t imm)
{
    const uint64_t old = (uint64_t)high << 32 | low;
    switch (operation) {
    case ARM_UMULL: return (uint64_t)n * m;
    case ARM_UMLAL: return (uint64_t)n * m + old;
    case ARM_UMAAL: return (uint64_t)n * m + high + low;
    case ARM_SMULL: return (uint64_t)arm_wide(n, m);
    case ARM_SMLAL: return (uint64_t)arm_wide(n, m) + old;
    case ARM_SMLALXY: return (uint64_t)(int64_t)(arm_half(n, imm & 1) * arm_half(m, imm >> 1)) + old;
    case ARM_SMLALD: return (uint64_t)arm_half_products(n, arm_exchange(m, imm), false) + old;
    default: return (uint64_t)arm_half_products(n, arm_exchange(m, imm), true) + old; /* ARM_SMLSLD */
    }
}

/* ---- conditions, A8.3 -------------------------------------------------------------------------------------------- */

/* n z c v: words whose bits are each core's flag, or one core's 0 and all ones. */
ARM_INLINE uint32_t arm_condition(unsigned cond, uint32_t n, uint32_t z, uint32_t c, uint32_t v)
{
    uint32_t holds;
    switch (cond >> 1) {
    case 0: holds = z; break;
    case 1: holds = c; break;
    case 2: holds = n; break;
    case 3: holds = v; break;
    case 4: holds = c & ~z; break;
    case 5: holds = ~(n ^ v); break;
    case 6: holds = ~(n ^ v) & ~z; break;
    default: return UINT32_MAX;
    }
    return cond & 1 ? ~holds : holds;
}

#endif
