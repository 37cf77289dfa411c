/* What an atomic operation or reduction leaves in memory (PTX ISA, "atom", "red", "cp.reduce.async.bulk"). */
#include <string.h>

#include "frontend/core/uop.h"
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

void reference_numbers(uint8_t *to, size_t bytes, unsigned width, uint64_t (*random)(void))
{
    static const uint64_t c16[] = {0,      0x8000, 1,      0x8001, 0x7c00, 0xfc00,
                                   0x7e00, 0x3c00, 0xbc00, 0x7bff, 0x7f80, 0xff81},
                          c32[] = {0,          1,          0x80000000, 0x7fffffff, 0xffffffff, 0x7f800000, 0xff800000,
                                   0x7fc00000, 0x00000001, 0x807fffff, 0x00800000, 0x80800001, 0x3f800000, 0x7f7fffff},
                          c64[] = {0,
                                   1,
                                   1ull << 63,
                                   ~0ull >> 1,
                                   ~0ull,
                                   0x7ffull << 52,
                                   0xfffull << 52,
                                   0x7ff8ull << 48,
                                   0xfffffffffffff,
                                   0x3ffull << 52,
                                   0xbffull << 52,
                                   1ull << 32,
                                   0xffffffff};
    for (size_t i = 0; i < bytes; i += width) {
        uint64_t r = random(), x = random();
        if (r % 2)
            x = width == 2   ? c16[r / 2 % (sizeof c16 / 8)]
                : width == 4 ? c32[r / 2 % (sizeof c32 / 8)]
                             : c64[r / 2 % (sizeof c64 / 8)];
        memcpy(to + i, &x, width);
    }
}
