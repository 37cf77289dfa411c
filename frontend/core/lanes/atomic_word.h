/* Atomic operations on one word of 32 or 64 bits, for loops that fix the operation and the type: what atomic_apply and
 * atomic_apply_global of lanes.h do, which are made of these. */
#ifndef REPRISE_FRONTEND_CORE_LANES_ATOMIC_WORD_H
#define REPRISE_FRONTEND_CORE_LANES_ATOMIC_WORD_H

#include <string.h>

#include "frontend/core/lanes/lanes.h"

/* Words of fewer bits have zeros above. The caller drops what an addition carries. */
static inline uint64_t atomic_unsigned(enum rp_atomic op, uint64_t old, uint64_t b)
{
    switch (op) {
    case RP_ATOMIC_ADD: return old + b;
    case RP_ATOMIC_MIN: return old < b ? old : b;
    case RP_ATOMIC_MAX: return old > b ? old : b;
    case RP_ATOMIC_INC: return old >= b ? 0 : old + 1;
    case RP_ATOMIC_DEC: return old == 0 || old > b ? b : old - 1;
    case RP_ATOMIC_AND: return old & b;
    case RP_ATOMIC_OR: return old | b;
    case RP_ATOMIC_XOR: return old ^ b;
    case RP_ATOMIC_EXCH: return b;
    default: return old;
    }
}

/* `unused`: 64 less the bits of the word. */
static inline uint64_t atomic_signed_extreme(enum rp_atomic op, uint64_t old, uint64_t b, unsigned unused)
{
    bool less = (int64_t)(old << unused) < (int64_t)(b << unused);
    return less == (op == RP_ATOMIC_MIN) ? old : b;
}

static inline float atomic_flushed(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    if (!(bits & 0x7f800000u))
        bits &= 0x80000000u;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline uint64_t atomic_add_f32(uint64_t old, uint64_t b, bool flushed)
{
    uint32_t words[2] = {(uint32_t)old, (uint32_t)b}, bits;
    float x[2], sum;
    memcpy(x, words, sizeof x);
    sum = flushed ? atomic_flushed(atomic_flushed(x[0]) + atomic_flushed(x[1])) : x[0] + x[1];
    memcpy(&bits, &sum, sizeof bits);
    return sum != sum ? F32_NAN : bits;
}

static inline uint64_t atomic_add_f64(uint64_t old, uint64_t b)
{
    double x, y;
    memcpy(&x, &old, sizeof x);
    memcpy(&y, &b, sizeof y);
    x += y;
    memcpy(&old, &x, sizeof x);
    return x != x ? F64_NAN : old;
}

#endif
