/* The lowest bits of registers' values, as far as they are the same in every thread and whenever the register is read:
 * so the alignment of addresses is known.
 *
 * A register counts with all its definitions in the function, in any order: known bits are those in which all agree.
 * They follow from numbers, addresses of variables, and what sums, products, shifts and logic operations make of known
 * bits. Nothing is known of what is loaded, passed as a parameter or read from a special register. */
#ifndef REPRISE_FRONTEND_ISA_PTX_LOW_BITS_H
#define REPRISE_FRONTEND_ISA_PTX_LOW_BITS_H

#include "frontend/isa/ptx/lower.h"

enum { LOW_BITS = 8 };
struct low_bits {
    uint8_t known, value; /* bit n of `known`: bit n of the register is bit n of `value` */
};

/* By register, for operations [first, first + count) of the current function before their registers are placed. Lives
 * in the lowering's arena. */
struct low_bits *low_bits_find(struct lowering *, uint32_t first, uint32_t count);

/* Whether the value plus `offset` is a multiple of `bytes`, a power of two up to 1 << LOW_BITS. */
static inline bool low_bits_aligned(struct low_bits b, int64_t offset, uint32_t bytes)
{
    uint32_t mask = bytes - 1;
    return (b.known & mask) == mask && !((b.value + (uint64_t)offset) & mask);
}

#endif
