/* Lane handlers of IA-32: OP_GUEST with one of these as its fn. CF, ZF, SF and OF are the warp's carry, zero, sign and
 * overflow; PF, AF, DF and the condition of the instruction at hand are predicates. CF is the manual's: 1 after a
 * borrow.
 *
 * Operands: d result; a, b sources. What lies above the operation's size in sources does not matter; results have zeros
 * there. imm begins with the operation's bits, IA32_BITS, and what else it shall do. */
#ifndef REPRISE_FRONTEND_ISA_IA32_LANES_H
#define REPRISE_FRONTEND_ISA_IA32_LANES_H

#include "frontend/core/lanes/simd.h"
#include "frontend/guest/program.h"

/* Predicates: struct guest_build. */
enum ia32_predicate { IA32_P_PARITY, IA32_P_ADJUST, IA32_P_DIRECTION, IA32_P_CONDITION = GUEST_PREDICATES - 1 };

/* imm: bits, 8 to 32; which flags beside CF, ZF, SF and OF are computed; and of some a shift. */
#define IA32_BITS(imm) ((unsigned)(imm)&63)
#define IA32_WANTS_PARITY 64
#define IA32_WANTS_ADJUST 128
#define IA32_WANTS_FLAGS 256  /* of products */
#define IA32_SIGNED 512       /* of products, divisions and extracts */
#define IA32_CARRY_ALONE 1024 /* of sums: no other flag is computed */
#define IA32_A_SECOND 2048    /* of IA32_PART: a, b or the result is the second byte of its register */
#define IA32_B_SECOND 4096
#define IA32_INTO_SECOND 8192
#define IA32_SAME_AMOUNT 16384 /* of shifts: c is the same in all lanes, and not 0 */
#define IA32_SHIFT_AT 10       /* of extracts and inserts: from this bit on, how far up the value lies */
#define IA32_SCALE_AT 32      /* of IA32_LANE_ADDRESS: from this bit on, the index's shift; below it the displacement */
#define IA32_SHORT_ADDRESS 40 /* likewise this bit: the sum has 16 bits */

enum ia32_lane {
    IA32_LANE_NOTHING,
    IA32_LANE_ADDRESS,   /* d = a + (b << scale) + displacement */
    IA32_LANE_EXTRACT,   /* d = a part of a */
    IA32_LANE_INSERT,    /* a part of d = a */
    IA32_LANE_SWAP,      /* d = a with its bytes in the other order */
    IA32_LANE_PRODUCT,   /* EDX:EAX, DX:AX or AX = EAX, AX or AL × b; d and c are EAX and EDX */
    IA32_LANE_MULTIPLY,  /* d = a × b */
    IA32_LANE_DIVIDE,    /* likewise divided by b; IA32_P_CONDITION: where that cannot be done */
    IA32_LANE_BIT_MASK,  /* d = 1 << a */
    IA32_LANE_BIT_PLACE, /* d = a + what bit b, with its sign, lies beyond the word there, in bytes */
    IA32_LANE_CONDITION, /* IA32_P_CONDITION = condition imm */
    IA32_LANE_SET,       /* d = condition imm, 0 or 1 */
    IA32_LANE_REPEAT,    /* IA32_P_CONDITION = a part of a is not 0; the trace gets it as the instruction's guard */
    IA32_LANE_ADVANCE,   /* the lower bits of a = that + (DF ? -b : b) */
    IA32_LANE_CARRY,     /* CF = imm: 0, 1; 2: the other one */
    IA32_LANE_DIRECTION, /* DF = imm */
    IA32_LANE_GET_FLAGS, /* d = EFLAGS */
    IA32_LANE_SET_FLAGS, /* the flags of imm = those of a */
    IA32_LANE_EQUAL,     /* ZF = a is EAX and b is EDX */
    IA32_LANES
};

/* Values of 32 bits, or of fewer; or of fewer bits where the result becomes a part of d. */
enum ia32_form { IA32_WHOLE, IA32_NARROW, IA32_PART, IA32_FORMS };

/* IA32_ADD to IA32_NOT, IA32_ROL to IA32_SHRD (c: the amount), IA32_BT to IA32_BTC, IA32_BSF and IA32_BSR (b: the old
 * value); with flags, or without. The form matters to IA32_ADD to IA32_NOT alone. NULL: any other operation. */
SIMD_DECLARE(uop_fn, ia32_handler, (unsigned operation, enum ia32_form, bool sets))
SIMD_DECLARE(uop_fn, ia32_lane_handler, (unsigned lane, int64_t imm))

#endif
