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

/* To `bits` bits; *q becomes 1 if the value does not fit. */
ARM_INLINE int64_t arm_saturate(int64_t x, int64_t least, int64_t most, uint32_t *q)
{
    const int64_t y = x < least ? least : x > most ? most : x;
    *q |= y != x;
    return y;
}
ARM_INLINE uint32_t arm_saturate_signed(int64_t x, unsigned bits, uint32_t *q)
{
    return (uint32_t)arm_saturate(x, -((int64_t)1 << (bits - 1)), ((int64_t)1 << (bits - 1)) - 1, q);
}
ARM_INLINE uint32_t arm_saturate_unsigned(int64_t x, unsigned bits, uint32_t *q)
{
    return (uint32_t)arm_saturate(x, 0, ((int64_t)1 << bits) - 1, q);
}

/* ---- halves and bytes -------------------------------------------------------------------------------------------- */

ARM_INLINE int32_t arm_half(uint32_t x, unsigned top) { return (int16_t)(x >> (top ? 16 : 0)); }
ARM_INLINE uint32_t arm_halves(uint32_t high, uint32_t low) { return high << 16 | (low & 0xffff); }
ARM_INLINE uint32_t arm_exchange(uint32_t x, uint32_t imm) { return imm & 1 ? x >> 16 | x << 16 : x; }

/* A part of a parallel addition, of `width` bits; *ge: 1 if a signed sum is not below zero, or an unsigned one carries
 * (a difference: does not borrow). */
ARM_INLINE uint32_t arm_part(uint32_t variant, int32_t x, int32_t y, bool subtract, unsigned width, uint32_t *ge)
{
    const int32_t sum = subtract ? x - y : x + y, top = 1 << width, half = top >> 1;
    *ge = variant >= ARM_UNSIGNED ? (subtract ? sum >= 0 : sum >= top) : sum >= 0;
    switch (variant) {
    case ARM_Q: return (uint32_t)(sum < -half ? -half : sum >= half ? half - 1 : sum) & (uint32_t)(top - 1);
    case ARM_UQ: return (uint32_t)(sum < 0 ? 0 : sum >= top ? top - 1 : sum);
    case ARM_SH:
    case ARM_UH: return (uint32_t)(sum >> 1) & (uint32_t)(top - 1);
    default: return (uint32_t)sum & (uint32_t)(top - 1);
    }
}

ARM_INLINE int32_t arm_part_of(uint32_t variant, uint32_t x, unsigned at, unsigned width)
{
    const uint32_t bits = x >> at & ((1u << width) - 1);
    return variant >= ARM_UNSIGNED ? (int32_t)bits : (int32_t)(bits << (32 - width)) >> (32 - width);
}

ARM_INLINE uint32_t arm_parallel_halves(uint32_t variant, uint32_t operation, uint32_t n, uint32_t m, uint32_t *ge)
{
    const bool crossed = operation == ARM_ASX || operation == ARM_SAX;
    const bool low_subtracts = operation == ARM_ASX || operation == ARM_SUB16;
    const bool high_subtracts = operation == ARM_SAX || operation == ARM_SUB16;
    uint32_t low_ge, high_ge;
    const uint32_t low = arm_part(variant, arm_part_of(variant, n, 0, 16),
                                  arm_part_of(variant, m, crossed ? 16 : 0, 16), low_subtracts, 16, &low_ge);
    const uint32_t high = arm_part(variant, arm_part_of(variant, n, 16, 16),
                                   arm_part_of(variant, m, crossed ? 0 : 16, 16), high_subtracts, 16, &high_ge);
    *ge = low_ge * 3 | high_ge * 12;
    return high << 16 | low;
}

ARM_INLINE uint32_t arm_parallel_bytes(uint32_t variant, uint32_t operation, uint32_t n, uint32_t m, uint32_t *ge)
{
    uint32_t r = 0, part;
    *ge = 0;
    for (unsigned at = 0; at < 32; at += 8) {
        r |= arm_part(variant, arm_part_of(variant, n, at, 8), arm_part_of(variant, m, at, 8), operation == ARM_SUB8, 8,
                      &part)
             << at;
        *ge |= part << at / 8;
    }
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
ARM_INLINE int64_t arm_half_products(uint32_t n, uint32_t m, bool subtract)
{
    const int64_t low = arm_half(n, 0) * arm_half(m, 0), high = (int64_t)arm_half(n, 1) * arm_half(m, 1);
    return subtract ? low - high : low + high;
}
/* *q becomes 1 if the sum does not fit 32 bits. */
ARM_INLINE uint32_t arm_sum_q(int64_t x, uint32_t *q)
{
    *q |= x != (int32_t)x;
    return (uint32_t)x;
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
    case ARM_SMLAXY: return arm_sum_q((int64_t)(arm_half(n, imm & 1) * arm_half(m, imm >> 1)) + (int32_t)a, q);
    case ARM_SMULW: return (uint32_t)((int64_t)(int32_t)n * arm_half(m, imm >> 1) >> 16);
    case ARM_SMLAW: return arm_sum_q(((int64_t)(int32_t)n * arm_half(m, imm >> 1) >> 16) + (int32_t)a, q);
    case ARM_SMUAD: return arm_sum_q(arm_half_products(n, arm_exchange(m, imm), false), q);
    case ARM_SMLAD: return arm_sum_q(arm_half_products(n, arm_exchange(m, imm), false) + (int32_t)a, q);
    case ARM_SMUSD: return (uint32_t)arm_half_products(n, arm_exchange(m, imm), true);
    case ARM_SMLSD: return arm_sum_q(arm_half_products(n, arm_exchange(m, imm), true) + (int32_t)a, q);
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
    const int64_t x = (int32_t)m, y = (int32_t)n;
    switch (operation) {
    case ARM_QADD: return arm_saturate_signed(x + y, 32, q);
    case ARM_QSUB: return arm_saturate_signed(x - y, 32, q);
    case ARM_QDADD: return arm_saturate_signed(x + (int32_t)arm_saturate_signed(2 * y, 32, q), 32, q);
    case ARM_QDSUB: return arm_saturate_signed(x - (int32_t)arm_saturate_signed(2 * y, 32, q), 32, q);
    case ARM_SSAT: return arm_saturate_signed(x, imm, q);
    case ARM_USAT: return arm_saturate_unsigned(x, imm, q);
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
