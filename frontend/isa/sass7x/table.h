/* The machine code of Volta to Hopper (sm_70 to sm_90): what its table has beyond frontend/isa/sass/table.h.
 *
 * A word is 128 bits. Bits 0 to 11 hold the opcode, of which bits 9 to 11 are the form of the operands; rows of one
 * opcode are told apart by bit 91 and by fields that they require. Bits 105 to 125 are the control bits.
 */
#ifndef REPRISE_FRONTEND_ISA_SASS7X_TABLE_H
#define REPRISE_FRONTEND_ISA_SASS7X_TABLE_H

#include "frontend/isa/sass/disasm.h"

/* sm_72 has all code of sm_70 and some more, and sm_87 has the code of sm_86. */
enum sass7x_arch {
    SASS_70_ALONE = 1 << 0,
    SASS_72 = 1 << 1,
    SASS_75 = 1 << 2,
    SASS_80 = 1 << 3,
    SASS_86 = 1 << 4,
    SASS_89 = 1 << 5,
    SASS_90 = 1 << 6,
    ANY = 127,
    SASS_70 = SASS_70_ALONE | SASS_72,
    TO_75 = SASS_70 | SASS_75,
    TO_80 = TO_75 | SASS_80,
    TO_89 = ANY & ~SASS_90,
    FROM_72 = ANY & ~SASS_70_ALONE,
    FROM_75 = ANY & ~SASS_70,
    FROM_80 = FROM_75 & ~SASS_75,
    FROM_86 = FROM_80 & ~SASS_80,
    FROM_89 = FROM_86 & ~SASS_86,
    FROM_75_TO_89 = FROM_75 & TO_89,
    FROM_80_TO_89 = FROM_80 & TO_89,
};

extern const struct sass_table sass7x_table;

/* Kinds of items that this table alone has: X(kind, what reads and prints it, meaning). */
#define SASS7X_KINDS(X)                                                                                                \
    X(IMAD_ALIAS, imad_alias, "modifier: .MOV, .IADD or .SHL where the operands make IMAD that; no bits of its own")   \
    X(PREDICATE_PAIR, predicate_pair, "predicates f and g, both hidden when f is PT")                                  \
    X(SWAP_UR, swap_ur, "the uniform register two behind that of field f")
enum sass7x_kind {
    SI_BEFORE_7X = SI_OWN - 1,
#define X_(kind, handler, meaning) SI_##kind,
    SASS7X_KINDS(X_)
#undef X_
};
extern const struct sass_own sass7x_kinds[];

enum sass7x_latency {
    LATENCY_FIXED,    /* the stall count of those before it says when its result is there */
    LATENCY_VARIABLE, /* signals its end, or that it has read its sources, through barriers */
    LATENCY_FIXED_90, /* fixed from sm_90 on */
};

#endif
