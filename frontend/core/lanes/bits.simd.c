/* Counting, extracting and rearranging bits: popc, clz, bfind, fns, brev, bfe, bfi, szext, bmsk, prmt (PTX ISA "Integer
 * Arithmetic Instructions" and "Data Movement", prmt). Formulas follow the ISA's pseudo-code. */
#include "frontend/core/lanes/groups.h"
#include "frontend/core/lanes/loop.h"

INLINE u32 leading_zeros32(u32 x) { return x ? (u32)__builtin_clz(x) : 32; }
INLINE u32 leading_zeros64(u64 x) { return x ? (u32)__builtin_clzll(x) : 64; }

LANES1(popc32, u32, u32, __builtin_popcount(a))
LANES1(popc64, u32, u64, __builtin_popcountll(a))
LANES1(clz32, u32, u32, leading_zeros32(a))
LANES1(clz64, u32, u64, leading_zeros64(a))

/* bfind: the highest bit that differs from the sign, ~0 if there is none; .shiftamt counts from the top. */
#define TOP(bits, x) (bits - 1 - leading_zeros##bits(x))
#define SHIFT_TO_TOP(bits, x) ((x) ? leading_zeros##bits(x) : ~0u)
LANES1(bfind_u32, u32, u32, TOP(32, a))
LANES1(bfind_s32, u32, s32, TOP(32, (u32)(a ^ a >> 31)))
LANES1(bfind_u64, u32, u64, TOP(64, a))
LANES1(bfind_s64, u32, s64, TOP(64, (u64)(a ^ a >> 63)))
LANES1(bfind_shiftamt_u32, u32, u32, SHIFT_TO_TOP(32, a))
LANES1(bfind_shiftamt_s32, u32, s32, SHIFT_TO_TOP(32, (u32)(a ^ a >> 31)))
LANES1(bfind_shiftamt_u64, u32, u64, SHIFT_TO_TOP(64, a))
LANES1(bfind_shiftamt_s64, u32, s64, SHIFT_TO_TOP(64, (u64)(a ^ a >> 63)))

/* fns: the offset-th set bit of the mask from the base upwards (offset > 0) or downwards; with offset 0 the base itself
 * if it is set; ~0 if there is none. */
INLINE u32 nth_set(u32 mask, u32 base, s32 offset)
{
    if (base > 31)
        return ~0u;
    if (offset == 0)
        return mask >> base & 1 ? base : ~0u;
    s64 left = offset > 0 ? offset : -(s64)offset;
    int step = offset > 0 ? 1 : -1;
    for (int at = (int)base; at >= 0 && at < 32; at += step)
        if ((mask >> at & 1) && --left == 0)
            return (u32)at;
    return ~0u;
}
LANES3(fns, u32, u32, u32, s32, nth_set(a, b, c))

INLINE u32 reversed32(u32 x)
{
    x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
    x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
    x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
    x = (x >> 8 & 0x00ff00ffu) | (x & 0x00ff00ffu) << 8;
    return x >> 16 | x << 16;
}
LANES1(brev32, u32, u32, reversed32(a))
LANES1(brev64, u64, u64, (u64)reversed32((u32)a) << 32 | reversed32((u32)(a >> 32)))

/* ---- bit fields: position and length are the low bytes of their operands ---- */

INLINE u64 ones(u32 n) { return n > 63 ? ~0ull : (1ull << n) - 1; }
/* Bits above the field get its sign: the field's top bit or, if the field reaches beyond the value, the value's. */
INLINE u64 extract(u64 a, u32 position, u32 length, u32 bits, bool is_signed)
{
    u64 field = position < bits ? a >> position & ones(length) : 0;
    u32 top = position + length - 1;
    bool negative = is_signed && length && (a >> (top < bits ? top : bits - 1) & 1);
    u32 present = position < bits ? bits - position : 0;
    return negative ? field | ~ones(length < present ? length : present) : field;
}
INLINE u64 insert(u64 a, u64 b, u32 position, u32 length, u32 bits)
{
    u64 field = position < bits ? ones(length) << position : 0;
    return (b & ~field) | (position < bits ? a << position & field : 0);
}
LANES3(bfe_u32, u32, u32, u32, u32, extract(a, b & 255, c & 255, 32, false))
LANES3(bfe_s32, u32, u32, u32, u32, extract(a, b & 255, c & 255, 32, true))
LANES3(bfe_u64, u64, u64, u32, u32, extract(a, b & 255, c & 255, 64, false))
LANES3(bfe_s64, u64, u64, u32, u32, extract(a, b & 255, c & 255, 64, true))

#define INSERT(bits)                                                                                                   \
    HANDLER(bfi##bits)                                                                                                 \
    {                                                                                                                  \
        const u##bits *a = source(w, u->a), *b = source(w, u->b);                                                      \
        const u32 *position = source(w, u->c), *length = source(w, u->lane->elements[0]);                              \
        STORE_LANES(u##bits, destination(w, u->d), executed,                                                           \
                    insert(a[l], b[l], position[l] & 255, length[l] & 255, bits));                                     \
    }
INSERT(32)
INSERT(64)

/* szext: sign- or zero-extends the low b bits; 32 or more: clamp keeps a as it is, wrap takes b modulo 32. */
INLINE u32 extended(u32 a, u32 b, bool clamp, bool is_signed)
{
    u32 n = b & 31;
    bool whole = clamp && b >= 32;
    u32 above = whole ? 0 : ~0u << n;
    bool negative = is_signed && n && !whole && (a >> ((n - 1) & 31) & 1);
    return (a & ~above) | (negative ? above : 0);
}
LANES2(szext_clamp_u32, u32, u32, u32, extended(a, b, true, false))
LANES2(szext_clamp_s32, u32, u32, u32, extended(a, b, true, true))
LANES2(szext_wrap_u32, u32, u32, u32, extended(a, b, false, false))
LANES2(szext_wrap_s32, u32, u32, u32, extended(a, b, false, true))

/* bmsk: b ones from bit a upwards. */
INLINE u32 bit_mask(u32 a, u32 b, bool clamp)
{
    u32 from = clamp && a >= 32 ? 0 : ~0u << (a & 31);
    u32 end = (a & 31) + (b & 31);
    bool to_the_top = end >= 32 || (clamp && (a >= 32 || b >= 32));
    return from & ~(to_the_top ? 0 : ~0u << end);
}
LANES2(bmsk_clamp, u32, u32, u32, bit_mask(a, b, true))
LANES2(bmsk_wrap, u32, u32, u32, bit_mask(a, b, false))

/* ---- prmt: four bytes picked from {b, a} by four selectors; bit 3 of one asks for the byte's sign instead ---- */

INLINE u32 picked(u64 bytes, u32 selectors, int n)
{
    u32 selector = selectors >> 4 * n;
    u32 byte = (u32)(bytes >> 8 * (selector & 7)) & 0xff;
    u32 sign = -(byte >> 7) & 0xff;
    return (selector & 8 ? sign : byte) << 8 * n;
}
INLINE u32 permuted(u32 a, u32 b, u32 selectors)
{
    u64 bytes = (u64)b << 32 | a;
    return picked(bytes, selectors, 0) | picked(bytes, selectors, 1) | picked(bytes, selectors, 2) |
           picked(bytes, selectors, 3);
}
LANES3(prmt, u32, u32, u32, u32, permuted(a, b, c))

/* The other modes, which the two low bits of c select (PTX ISA, prmt, table of modes). */
static const u16 mode_selectors[][4] = {
    [PRMT_F4E] = {0x3210, 0x4321, 0x5432, 0x6543}, [PRMT_B4E] = {0x5670, 0x6701, 0x7012, 0x0123},
    [PRMT_RC8] = {0x0000, 0x1111, 0x2222, 0x3333}, [PRMT_ECL] = {0x3210, 0x3211, 0x3222, 0x3333},
    [PRMT_ECR] = {0x0000, 0x1110, 0x2210, 0x3210}, [PRMT_RC16] = {0x1010, 0x3232, 0x1010, 0x3232},
};
HANDLER(prmt_mode)
{
    const u32 *a = source(w, u->a), *b = source(w, u->b), *c = source(w, u->c);
    const u16 *selectors = mode_selectors[u->mode];
    STORE_LANES(u32, destination(w, u->d), executed, permuted(a[l], b[l], selectors[c[l] & 3]));
}

/* ---- rows ---- */

#define ROW(op, types, flags, fn)                                                                                      \
    {                                                                                                                  \
        OP_##op, types, 0, SEMANTIC_FLAGS, flags, 0, fn                                                                \
    }
static const struct lane_row rows[] = {
    ROW(POPC, TYPES32, 0, popc32),
    ROW(POPC, TYPES64, 0, popc64),
    ROW(CLZ, TYPES32, 0, clz32),
    ROW(CLZ, TYPES64, 0, clz64),
    ROW(BFIND, UNSIGNED32, 0, bfind_u32),
    ROW(BFIND, SIGNED32, 0, bfind_s32),
    ROW(BFIND, UNSIGNED64, 0, bfind_u64),
    ROW(BFIND, SIGNED64, 0, bfind_s64),
    ROW(BFIND, UNSIGNED32, UF_SHIFTAMT, bfind_shiftamt_u32),
    ROW(BFIND, SIGNED32, UF_SHIFTAMT, bfind_shiftamt_s32),
    ROW(BFIND, UNSIGNED64, UF_SHIFTAMT, bfind_shiftamt_u64),
    ROW(BFIND, SIGNED64, UF_SHIFTAMT, bfind_shiftamt_s64),
    ROW(FNS, TYPES32, 0, fns),
    ROW(BREV, TYPES32, 0, brev32),
    ROW(BREV, TYPES64, 0, brev64),
    ROW(BFE, UNSIGNED32, 0, bfe_u32),
    ROW(BFE, SIGNED32, 0, bfe_s32),
    ROW(BFE, UNSIGNED64, 0, bfe_u64),
    ROW(BFE, SIGNED64, 0, bfe_s64),
    ROW(BFI, TYPES32, 0, bfi32),
    ROW(BFI, TYPES64, 0, bfi64),
    ROW(SZEXT, UNSIGNED32, 0, szext_clamp_u32),
    ROW(SZEXT, SIGNED32, 0, szext_clamp_s32),
    ROW(SZEXT, UNSIGNED32, UF_WRAP, szext_wrap_u32),
    ROW(SZEXT, SIGNED32, UF_WRAP, szext_wrap_s32),
    ROW(BMSK, TYPES32, 0, bmsk_clamp),
    ROW(BMSK, TYPES32, UF_WRAP, bmsk_wrap),
};

uop_fn SIMD_NAME(lanes_bits)(const struct operation *o)
{
    if (o->op == OP_PRMT && (TYPE(o->type) & TYPES32) && !(o->flags & SEMANTIC_FLAGS) && o->imm >= 0 &&
        o->imm <= PRMT_RC16)
        return o->imm == PRMT_DEFAULT ? prmt : prmt_mode;
    if (o->op == OP_BFI && o->lists[0].count != 1)
        return NULL;
    return FIND_ROW(rows, o);
}
