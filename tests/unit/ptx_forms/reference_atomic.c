/* What an atomic operation or reduction leaves in memory (PTX ISA, "atom", "red", "cp.reduce.async.bulk"). */
#include <string.h>

#include "frontend/operation/uop.h"
#include "tests/support/model_float.h"
#include "tests/unit/ptx_forms/reference.h"

static uint64_t extreme(bool least, enum ptx_type t, uint64_t old, uint64_t b)
{
    unsigned bits = bits_of(t);
    bool less = is_signed_type(t) ? signed_of(b, bits) < signed_of(old, bits) : b < old;
    return b != old && less == least ? b : old;
}

/* PTX ISA, min and max: a NaN gives the other number, two the canonical one, and -0 is below +0. */
static uint64_t float_extreme(bool least, const struct format *f, uint64_t old, uint64_t b)
{
    uint64_t sign = 1ull << (f->bits - 1);
    if (is_nan(f, old) || is_nan(f, b))
        return is_nan(f, old) && is_nan(f, b) ? f->nan : is_nan(f, old) ? b : old;
    int64_t x = old & sign ? -(int64_t)(old ^ sign) - 1 : (int64_t)old,
            y = b & sign ? -(int64_t)(b ^ sign) - 1 : (int64_t)b;
    return (y < x) == least ? b : old;
}

static enum verdict float_value(int op, enum ptx_type t, bool flushes, uint64_t old, uint64_t b, uint64_t *value)
{
    const struct format *f = format_named(t);
    if (op == RP_ATOMIC_ADD && t == PT_F32 && flushes) /* PTX ISA, atom: .f32 flushes in global memory */
        *value = flushed(soft_add(f, ROUND_N, flushed(old), flushed(b)));
    else if (op == RP_ATOMIC_ADD)
        *value = soft_add(f, ROUND_N, old, b);
    else if (op == RP_ATOMIC_MIN || op == RP_ATOMIC_MAX)
        *value = float_extreme(op == RP_ATOMIC_MIN, f, old, b);
    else
        return NO_MODEL;
    return ANSWERED;
}

/* What one number of a place becomes. */
enum verdict reference_atomic(int op, enum ptx_type t, bool flushes, uint64_t old, uint64_t b, uint64_t c,
                              uint64_t *value)
{
    if (is_float_type(t) || is_pair_type(t))
        return float_value(op, t, flushes, old, b, value);
    switch (op) {
    case RP_ATOMIC_AND: *value = old & b; return ANSWERED;
    case RP_ATOMIC_OR: *value = old | b; return ANSWERED;
    case RP_ATOMIC_XOR: *value = old ^ b; return ANSWERED;
    case RP_ATOMIC_ADD: *value = low_bits(old + b, bits_of(t)); return ANSWERED;
    case RP_ATOMIC_INC: *value = old >= b ? 0 : old + 1; return ANSWERED;
    case RP_ATOMIC_DEC: *value = old == 0 || old > b ? b : old - 1; return ANSWERED;
    case RP_ATOMIC_MIN:
    case RP_ATOMIC_MAX: *value = extreme(op == RP_ATOMIC_MIN, t, old, b); return ANSWERED;
    case RP_ATOMIC_EXCH: *value = b; return ANSWERED;
    case RP_ATOMIC_CAS: *value = old == b ? c : old; return ANSWERED;
    default: return NO_MODEL;
    }
}
