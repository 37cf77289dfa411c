#include "frontend/core/atomic_words.h"

#include "frontend/core/lanes/atomic_word.h"

/* Functions that get an operation, a kind and a width as constants. */
#define INLINE static inline __attribute__((always_inline))

enum kind { UNSIGNED, SIGNED, FLOATING, FLUSHED };
struct operation_of_words {
    enum rp_atomic op;
    enum kind kind;
    unsigned bits; /* 32 or 64 */
};

/* c: of a cas, what is stored if `old` is b. */
INLINE uint64_t applied(struct operation_of_words o, uint64_t old, uint64_t b, uint64_t c)
{
    unsigned unused = 64 - o.bits;
    if (o.op == RP_ATOMIC_CAS)
        return old == b ? c : old;
    if (o.kind == SIGNED)
        return atomic_signed_extreme(o.op, old, b, unused);
    if (o.kind == FLOATING || o.kind == FLUSHED)
        return o.bits == 32 ? atomic_add_f32(old, b, o.kind == FLUSHED) : atomic_add_f64(old, b);
    return atomic_unsigned(o.op, old, b) << unused >> unused;
}

/* ---- words ------------------------------------------------------------------------------------------------------- */

INLINE uint64_t element(const void *of, unsigned lane, unsigned bits)
{
    return bits == 32 ? ((const uint32_t *)of)[lane] : ((const uint64_t *)of)[lane];
}

INLINE void set_element(void *of, unsigned lane, unsigned bits, uint64_t value)
{
    if (bits == 32)
        ((uint32_t *)of)[lane] = (uint32_t)value;
    else
        ((uint64_t *)of)[lane] = value;
}

INLINE uint64_t load_shared(const void *at, unsigned bits)
{
    return bits == 32 ? __atomic_load_n((const uint32_t *)at, __ATOMIC_RELAXED)
                      : __atomic_load_n((const uint64_t *)at, __ATOMIC_RELAXED);
}

/* Writes `value` if *old is still there, else updates *old. */
INLINE bool replace_shared(void *at, unsigned bits, uint64_t *old, uint64_t value)
{
    if (bits == 64)
        return __atomic_compare_exchange_n((uint64_t *)at, old, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    uint32_t word = (uint32_t)*old;
    bool done =
        __atomic_compare_exchange_n((uint32_t *)at, &word, (uint32_t)value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    *old = word;
    return done;
}

/* ---- lanes ------------------------------------------------------------------------------------------------------- */

INLINE uint64_t third(const struct atomic_words *a, unsigned lane, struct operation_of_words o)
{
    return o.op == RP_ATOMIC_CAS ? element(a->third, lane, o.bits) : 0;
}

/* Lanes whose addresses differ, or some of them. */
INLINE void apart(struct atomic_words *a, lanemask m, struct operation_of_words o)
{
    for (unsigned l = 0; !a->la->affine && l < RP_WARP_LANES; l++)
        __builtin_prefetch(a->host + a->la->at[l], 1);
    FOR_LANES(l, m)
    {
        void *at = a->host + lane_address(a->la, l);
        uint64_t b = element(a->operand, l, o.bits), c = third(a, l, o), old, value;
        if (a->shared) {
            old = load_shared(at, o.bits);
            do
                value = applied(o, old, b, c);
            while (!replace_shared(at, o.bits, &old, value));
        } else {
            old = element(at, 0, o.bits);
            value = applied(o, old, b, c);
            set_element(at, 0, o.bits, value);
            a->changes += value != old;
        }
        if (a->old)
            set_element(a->old, l, o.bits, old);
    }
}

/* What the lanes make of `value`, one after the other. */
INLINE uint64_t all_applied(struct atomic_words *a, lanemask m, struct operation_of_words o, uint64_t value)
{
    for (unsigned l = 0; !a->old && m == ~(lanemask)0 && l < RP_WARP_LANES; l++)
        value = applied(o, value, element(a->operand, l, o.bits), third(a, l, o));
    if (!a->old && m == ~(lanemask)0)
        return value;
    FOR_LANES(l, m)
    {
        uint64_t b = element(a->operand, l, o.bits), c = third(a, l, o); /* old values may go to the same register */
        if (a->old)
            set_element(a->old, l, o.bits, value);
        value = applied(o, value, b, c);
    }
    return value;
}

/* Lanes that meet at one address. */
INLINE void together(struct atomic_words *a, lanemask m, struct operation_of_words o)
{
    void *at = a->host + a->la->low;
    uint64_t old = a->shared ? load_shared(at, o.bits) : element(at, 0, o.bits), value;
    do
        value = all_applied(a, m, o, old);
    while (a->shared && !replace_shared(at, o.bits, &old, value));
    if (!a->shared) {
        set_element(at, 0, o.bits, value);
        a->changes += value != old;
    }
}

INLINE bool run(struct atomic_words *a, lanemask m, enum rp_atomic op, enum kind kind, unsigned bits)
{
    const struct operation_of_words o = {op, kind, bits};
    if (a->la->low == a->la->high)
        together(a, m, o);
    else
        apart(a, m, o);
    return true;
}

/* ---- the choice -------------------------------------------------------------------------------------------------- */

INLINE bool run_unsigned(struct atomic_words *a, lanemask m, unsigned bits)
{
    switch (a->op) {
    case RP_ATOMIC_ADD: return run(a, m, RP_ATOMIC_ADD, UNSIGNED, bits);
    case RP_ATOMIC_MIN: return run(a, m, RP_ATOMIC_MIN, UNSIGNED, bits);
    case RP_ATOMIC_MAX: return run(a, m, RP_ATOMIC_MAX, UNSIGNED, bits);
    case RP_ATOMIC_AND: return run(a, m, RP_ATOMIC_AND, UNSIGNED, bits);
    case RP_ATOMIC_OR: return run(a, m, RP_ATOMIC_OR, UNSIGNED, bits);
    case RP_ATOMIC_XOR: return run(a, m, RP_ATOMIC_XOR, UNSIGNED, bits);
    case RP_ATOMIC_EXCH: return run(a, m, RP_ATOMIC_EXCH, UNSIGNED, bits);
    case RP_ATOMIC_CAS: return run(a, m, RP_ATOMIC_CAS, UNSIGNED, bits);
    case RP_ATOMIC_INC: return bits == 32 && run(a, m, RP_ATOMIC_INC, UNSIGNED, 32);
    case RP_ATOMIC_DEC: return bits == 32 && run(a, m, RP_ATOMIC_DEC, UNSIGNED, 32);
    default: return false;
    }
}

INLINE bool run_signed(struct atomic_words *a, lanemask m, unsigned bits)
{
    switch (a->op) {
    case RP_ATOMIC_MIN: return run(a, m, RP_ATOMIC_MIN, SIGNED, bits);
    case RP_ATOMIC_MAX: return run(a, m, RP_ATOMIC_MAX, SIGNED, bits);
    default: return run_unsigned(a, m, bits);
    }
}

bool atomic_words(struct atomic_words *a, lanemask m)
{
    switch (a->type) {
    case T_U32:
    case T_B32: return run_unsigned(a, m, 32);
    case T_U64:
    case T_B64: return run_unsigned(a, m, 64);
    case T_S32: return run_signed(a, m, 32);
    case T_S64: return run_signed(a, m, 64);
    case T_F32:
        return a->op == RP_ATOMIC_ADD &&
               (a->flushed ? run(a, m, RP_ATOMIC_ADD, FLUSHED, 32) : run(a, m, RP_ATOMIC_ADD, FLOATING, 32));
    case T_F64: return a->op == RP_ATOMIC_ADD && run(a, m, RP_ATOMIC_ADD, FLOATING, 64);
    default: return false;
    }
}
