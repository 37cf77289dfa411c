#include "frontend/core/lanes/atomic_word.h"
#include "frontend/core/lanes/small.h"

/* f16 and bf16: a single number, or each half of a pair. Subnormals are kept, also in global memory: PTX's .noftz. */
static bool is_small(enum lane_type t) { return t == T_F16 || t == T_BF16 || t == T_F16X2 || t == T_BF16X2; }
static bool is_brain(enum lane_type t) { return t == T_BF16 || t == T_BF16X2; }

static uint64_t add_small(enum lane_type type, uint16_t old, uint16_t b)
{
    if (is_brain(type))
        return narrowed(odd_sum(f32_of_bf16(old), f32_of_bf16(b)), ROUND_N, &bf16_format);
    return narrowed(odd_sum(f32_of_f16(old), f32_of_f16(b)), ROUND_N, &f16_format);
}

/* Like min and max: a number wins over NaN, and -0 is less than +0. */
static uint64_t extreme_small(enum rp_atomic op, enum lane_type type, uint16_t old, uint16_t b)
{
    unsigned infinity = is_brain(type) ? bf16_format.infinity : f16_format.infinity;
    bool nan_old = (old & 0x7fffu) > infinity, nan_b = (b & 0x7fffu) > infinity;
    if (nan_old || nan_b)
        return nan_old && nan_b ? 0x7fff : nan_old ? b : old;
    int x = old & 0x8000 ? -(old & 0x7fff) - 1 : old, y = b & 0x8000 ? -(b & 0x7fff) - 1 : b;
    return (x < y) == (op == RP_ATOMIC_MIN) ? old : b;
}

static uint64_t apply_small(enum rp_atomic op, enum lane_type type, uint64_t old, uint64_t b)
{
    unsigned parts = lane_type_bits(type) / 16;
    uint64_t r = 0;
    for (unsigned i = 0; i < parts; i++) {
        uint16_t x = (uint16_t)(old >> 16 * i), y = (uint16_t)(b >> 16 * i);
        r |= (op == RP_ATOMIC_ADD ? add_small(type, x, y) : extreme_small(op, type, x, y)) << 16 * i;
    }
    return r;
}

bool atomic_exists(enum rp_atomic op, enum lane_type type)
{
    unsigned bits = lane_type_bits(type);
    switch (op) {
    case RP_ATOMIC_CAS:
    case RP_ATOMIC_EXCH: return bits >= 16 && bits <= 64;
    case RP_ATOMIC_AND:
    case RP_ATOMIC_OR:
    case RP_ATOMIC_XOR: return (bits == 32 || bits == 64) && !lane_is_float(type);
    case RP_ATOMIC_ADD: return is_small(type) || ((bits == 32 || bits == 64) && type != T_TF32);
    case RP_ATOMIC_MIN:
    case RP_ATOMIC_MAX: return is_small(type) || ((bits == 32 || bits == 64) && !lane_is_float(type));
    case RP_ATOMIC_INC:
    case RP_ATOMIC_DEC: return type == T_U32 || type == T_B32;
    default: return false;
    }
}

static uint64_t apply(enum rp_atomic op, enum lane_type type, uint64_t old, uint64_t b, uint64_t c, bool flushed)
{
    unsigned unused = 64 - lane_type_bits(type);
    old = old << unused >> unused, b = b << unused >> unused, c = c << unused >> unused;
    if (op == RP_ATOMIC_CAS)
        return old == b ? c : old;
    if (op == RP_ATOMIC_ADD && type == T_F32)
        return atomic_add_f32(old, b, flushed);
    if (op == RP_ATOMIC_ADD && type == T_F64)
        return atomic_add_f64(old, b);
    if (is_small(type) && (op == RP_ATOMIC_ADD || op == RP_ATOMIC_MIN || op == RP_ATOMIC_MAX))
        return apply_small(op, type, old, b);
    if (lane_is_signed(type) && (op == RP_ATOMIC_MIN || op == RP_ATOMIC_MAX))
        return atomic_signed_extreme(op, old, b, unused);
    return atomic_unsigned(op, old, b) << unused >> unused;
}

uint64_t atomic_apply(enum rp_atomic op, enum lane_type type, uint64_t old, uint64_t b, uint64_t c)
{
    return apply(op, type, old, b, c, false);
}

uint64_t atomic_apply_global(enum rp_atomic op, enum lane_type type, uint64_t old, uint64_t b, uint64_t c)
{
    return apply(op, type, old, b, c, true);
}
