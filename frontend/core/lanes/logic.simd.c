/* Logic and shifts (PTX ISA "Logic and Shift Instructions"), on registers and on predicates. */
#include "frontend/core/lanes/groups.h"
#include "frontend/core/lanes/loop.h"

#define LOGIC(t)                                                                                                       \
    LANES2(and_##t, t, t, t, a &b)                                                                                     \
    LANES2(or_##t, t, t, t, a | b)                                                                                     \
    LANES2(xor_##t, t, t, t, a ^ b)                                                                                    \
    LANES1(not_##t, t, t, ~a)                                                                                          \
    LANES1(cnot_##t, t, t, a == 0)
LOGIC(u16)
LOGIC(u32)
LOGIC(u64)

#define ON_PREDICATES(name, expression)                                                                                \
    HANDLER(name) { write_predicate(w, u->d, expression, executed); }
#define PA mask_at(w, u->a)
#define PB mask_at(w, u->b)
ON_PREDICATES(and_predicate, PA &PB)
ON_PREDICATES(or_predicate, PA | PB)
ON_PREDICATES(xor_predicate, PA ^ PB)
ON_PREDICATES(not_predicate, ~PA)

/* Bit i of the table belongs to a = bit 2, b = bit 1, c = bit 0 of i. */
INLINE u32 minterm(u32 table, int i, u32 a, u32 b, u32 c)
{
    u32 wanted = -(table >> i & 1);
    return wanted & (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
}
INLINE u32 lookup3(u32 t, u32 a, u32 b, u32 c)
{
    return minterm(t, 0, a, b, c) | minterm(t, 1, a, b, c) | minterm(t, 2, a, b, c) | minterm(t, 3, a, b, c) |
           minterm(t, 4, a, b, c) | minterm(t, 5, a, b, c) | minterm(t, 6, a, b, c) | minterm(t, 7, a, b, c);
}
HANDLER(lop3)
{
    const u32 *a = source(w, u->a), *b = source(w, u->b), *c = source(w, u->c);
    u32 table = (u32)u->mode, r[LANES] ALIGNED, nonzero[LANES] ALIGNED;
    for (int l = 0; l < LANES; l++) {
        r[l] = lookup3(table, a[l], b[l], c[l]);
        nonzero[l] = r[l] ? ~0u : 0;
    }
    if (u->combine != COMBINE_NONE) {
        lanemask with = predicate(w, u);
        write_predicate(w, u->pd, combine_masks(u->combine, mask_of_words(nonzero), with), executed);
    }
    if (!is_sink(u->d))
        STORE_LANES(u32, destination(w, u->d), executed, r[l]);
}

/* ---- shifts: an amount beyond the width counts as the width ---- */

#define SHIFTS(bits)                                                                                                   \
    LANES2(shl##bits, u##bits, u##bits, u32, b < bits ? (u##bits)(a << (b & (bits - 1))) : 0)                          \
    LANES2(shr_u##bits, u##bits, u##bits, u32, b < bits ? (u##bits)(a >> (b & (bits - 1))) : 0)                        \
    LANES2(shr_s##bits, s##bits, s##bits, u32, a >> (b < bits ? b : bits - 1))
SHIFTS(16)
SHIFTS(32)
SHIFTS(64)

INLINE u32 least(u32 a, u32 b) { return a < b ? a : b; }
INLINE u64 joined(u32 low, u32 high) { return (u64)high << 32 | low; }
LANES3(shf_l_clamp, u32, u32, u32, u32, joined(a, b) << least(c, 32) >> 32)
LANES3(shf_l_wrap, u32, u32, u32, u32, joined(a, b) << (c & 31) >> 32)
LANES3(shf_r_clamp, u32, u32, u32, u32, joined(a, b) >> least(c, 32))
LANES3(shf_r_wrap, u32, u32, u32, u32, joined(a, b) >> (c & 31))

#define ROW(op, types, flags, fn)                                                                                      \
    {                                                                                                                  \
        OP_##op, types, 0, SEMANTIC_FLAGS, flags, 0, fn                                                                \
    }
#define LOGIC_ROWS(op, f)                                                                                              \
    ROW(op, WIDE16, 0, f##_u16), ROW(op, WIDE32, 0, f##_u32), ROW(op, WIDE64, 0, f##_u64),                             \
        ROW(op, TYPE(T_PRED), 0, f##_predicate)
static const struct lane_row rows[] = {
    LOGIC_ROWS(AND, and),
    LOGIC_ROWS(OR, or),
    LOGIC_ROWS(XOR, xor),
    LOGIC_ROWS(NOT, not ),
    ROW(CNOT, WIDE16, 0, cnot_u16),
    ROW(CNOT, WIDE32, 0, cnot_u32),
    ROW(CNOT, WIDE64, 0, cnot_u64),
    ROW(LOP3, TYPES32, 0, lop3),
    ROW(SHL, TYPES16, 0, shl16),
    ROW(SHL, TYPES32, 0, shl32),
    ROW(SHL, TYPES64, 0, shl64),
    ROW(SHR, UNSIGNED16, 0, shr_u16),
    ROW(SHR, UNSIGNED32, 0, shr_u32),
    ROW(SHR, UNSIGNED64, 0, shr_u64),
    ROW(SHR, SIGNED16, 0, shr_s16),
    ROW(SHR, SIGNED32, 0, shr_s32),
    ROW(SHR, SIGNED64, 0, shr_s64),
    ROW(SHF, TYPES32, 0, shf_r_clamp),
    ROW(SHF, TYPES32, UF_WRAP, shf_r_wrap),
    ROW(SHF, TYPES32, UF_LEFT, shf_l_clamp),
    ROW(SHF, TYPES32, UF_LEFT | UF_WRAP, shf_l_wrap),
};

uop_fn SIMD_NAME(lanes_logic)(const struct operation *o)
{
    return o->op == OP_LOP3 && o->imm != (u8)o->imm ? NULL : FIND_ROW(rows, o);
}
