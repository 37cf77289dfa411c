/* Extended-precision integer arithmetic (PTX ISA section of that name): add.cc, addc, sub.cc, subc, mad.cc, madc. The
 * carry flag CC.CF is one bit per lane. A subtraction is the sum a + ~b + 1, and sets the flag to the carry of that sum
 * (1 if nothing is borrowed). subc adds the flag in place of the 1. The PTX ISA speaks of a borrow instead; but ptxas
 * writes IADD R.CC, a, -b and IADD.X with ~b, and nvcc relies on that: its 128-bit division mixes sub.cc with addc. */
#include "frontend/core/lanes/groups.h"
#include "frontend/core/lanes/loop.h"

/* One step of a chain: returns the sum. *out becomes all ones if there is a carry. */
INLINE u32 sum32(u32 x, u32 y, u32 in, u32 *out)
{
    u32 partial = x + y, sum = partial + in;
    *out = -(u32)((partial < x) | (sum < partial));
    return sum;
}
INLINE u64 sum64(u64 x, u64 y, u64 in, u64 *out)
{
    u64 partial = x + y, sum = partial + in;
    *out = -(u64)((partial < x) | (sum < partial));
    return sum;
}

#define mask_of_32 mask_of_words
#define mask_of_64 mask_of_doublewords

INLINE void write_carry(struct warp *w, const struct uop *u, lanemask carry, lanemask executed)
{
    if (u->flags & UF_CARRY_OUT)
        w->carry = (w->carry & ~executed) | (carry & executed);
}

/* `first`: the carry into an operation that does not read the flag. */
#define CHAIN(name, bits, first, loads, x, y)                                                                          \
    HANDLER(name)                                                                                                      \
    {                                                                                                                  \
        typedef u##bits word;                                                                                          \
        loads;                                                                                                         \
        lanemask in = u->flags & UF_CARRY_IN ? w->carry : (first);                                                     \
        word r[LANES] ALIGNED, out[LANES] ALIGNED;                                                                     \
        for (int l = 0; l < LANES; l++)                                                                                \
            r[l] = sum##bits(x, y, in & lane_bit[l] ? 1 : 0, &out[l]);                                                 \
        STORE_LANES(word, destination(w, u->d), executed, r[l]);                                                       \
        write_carry(w, u, mask_of_##bits(out), executed);                                                              \
    }
#define CHAIN2(name, bits, first, y)                                                                                   \
    CHAIN(name, bits, first, const word *a = source(w, u->a); const word *b = source(w, u->b), a[l], (word)(y))
#define CHAIN3(name, bits, t, product)                                                                                 \
    CHAIN(name, bits, 0, const t *a = source(w, u->a); const t *b = source(w, u->b);                                   \
          const word *c = source(w, u->c), (word)(product), c[l])

CHAIN2(add_chain32, 32, 0, b[l])
CHAIN2(add_chain64, 64, 0, b[l])
CHAIN2(sub_chain32, 32, EVERY_LANE, ~b[l])
CHAIN2(sub_chain64, 64, EVERY_LANE, ~b[l])
CHAIN3(mad_chain32, 32, u32, a[l] * b[l])
CHAIN3(mad_chain64, 64, u64, a[l] * b[l])
CHAIN3(mad_hi_chain_u32, 32, u32, (u64)a[l] * b[l] >> 32)
CHAIN3(mad_hi_chain_s32, 32, s32, (s64)a[l] * b[l] >> 32)
CHAIN3(mad_hi_chain_u64, 64, u64, (u128)a[l] * b[l] >> 64)
CHAIN3(mad_hi_chain_s64, 64, s64, (s128)a[l] * b[l] >> 64)

#define ROW(op, types, flags, fn)                                                                                      \
    {                                                                                                                  \
        OP_##op, types, 0, SEMANTIC_FLAGS & ~(UF_CARRY_IN | UF_CARRY_OUT), flags, 0, fn                                \
    }
static const struct lane_row rows[] = {
    ROW(ADD, TYPES32, 0, add_chain32),
    ROW(ADD, TYPES64, 0, add_chain64),
    ROW(SUB, TYPES32, 0, sub_chain32),
    ROW(SUB, TYPES64, 0, sub_chain64),
    ROW(MAD, TYPES32, 0, mad_chain32),
    ROW(MAD, TYPES64, 0, mad_chain64),
    ROW(MAD, UNSIGNED32, UF_HI, mad_hi_chain_u32),
    ROW(MAD, SIGNED32, UF_HI, mad_hi_chain_s32),
    ROW(MAD, UNSIGNED64, UF_HI, mad_hi_chain_u64),
    ROW(MAD, SIGNED64, UF_HI, mad_hi_chain_s64),
};

uop_fn SIMD_NAME(lanes_carry)(const struct operation *o)
{
    return o->flags & (UF_CARRY_IN | UF_CARRY_OUT) ? FIND_ROW(rows, o) : NULL;
}
