/* The machine code of Maxwell and Pascal (sm_50 to sm_62): what its table has in addition to frontend/isa/sass/table.h.
 *
 * A word has 64 bits. Bits 63..48 hold the opcode; bits 63..51 alone distinguish the rows. Code is a sequence of
 * 32-byte bundles: one control word, then three instruction words. */
#ifndef REPRISE_FRONTEND_ISA_SASS5X_TABLE_H
#define REPRISE_FRONTEND_ISA_SASS5X_TABLE_H

#include "frontend/isa/sass/disasm.h"

enum sass5x_arch {
    SASS_50 = 1 << 0,
    SASS_52 = 1 << 1,
    SASS_53 = 1 << 2,
    SASS_60 = 1 << 3,
    SASS_61 = 1 << 4,
    SASS_62 = 1 << 5,
    SASS_ANY = 63,
    SASS_FROM_52 = SASS_ANY & ~SASS_50,
    SASS_FROM_60 = SASS_60 | SASS_61 | SASS_62,
};

extern const struct sass_table sass5x_table;

/* Kinds of items that later generations do not have: X(kind, function that reads and prints it, meaning). */
#define SASS5X_KINDS(X)                                                                                                \
    X(PHASE, phase, "modifier: texture phase, from the control word")                                                  \
    X(ROUND_EQUAL, round_equal,                                                                                        \
      "F2F: rounding, whose meaning depends on whether source and destination sizes are equal")                        \
    X(VIDEO_TYPES, video_types, "modifier: .U8.S16 and so on; style: enum sass5x_video")                               \
    X(BRANCH, branch, "pc-relative target, or in constant memory when bit 5 is set")                                   \
    X(BRANCH_ABSOLUTE, branch, "the target itself, or in constant memory")                                             \
    X(BRANCH_INDIRECT, branch_indirect, "register plus offset, or in constant memory")                                 \
    X(CC_TEST, cc_test, "condition test as an operand, hidden when T: CC.LT")                                          \
    X(CAS, cas, "compare and swap registers: Rb and its neighbour")                                                    \
    X(VIDEO_B, video_b, "Rb with a part selector, or a 16-bit immediate; style: enum sass5x_video_b")                  \
    X(BYTES_B, bytes_b, "VABSDIFF4: Rb with byte selector, or a byte")                                                 \
    X(COMPONENTS, components, "TEXS, TLDS: which of RGBA; depends on whether there is a second register")              \
    X(CHOICE, choice, "register f unless bit g is set: then the immediate of [f.at : sf.width] or sf")
enum sass5x_kind {
    SI_BEFORE_5X = SI_OWN - 1,
#define X_(kind, handler, meaning) SI_##kind,
    SASS5X_KINDS(X_)
#undef X_
};
extern const struct sass_own sass5x_kinds[];

/* VIDEO_TYPES: nothing is printed if both are S32, or if A is S32 and B is a signed immediate. _SHIFT: the same, but B
 * is always unsigned. _SHOW_IMMEDIATE: types are printed with every immediate. */
enum sass5x_video { VIDEO_AB, VIDEO_SHIFT, VIDEO_SHOW_IMMEDIATE };
enum sass5x_video_b { VIDEO_B_UNSIGNED, VIDEO_B_BY_SIGN }; /* how the immediate is printed */

enum sass5x_latency {
    LATENCY_FIXED,        /* the control word's barrier fields are 7 */
    LATENCY_VARIABLE,     /* it signals its end through barriers */
    LATENCY_VARIABLE_R,   /* likewise, and its registers may have reuse flags */
    LATENCY_VARIABLE_R60, /* likewise, with reuse flags from sm_60 on */
    LATENCY_CONVERT,   /* likewise, with reuse flags from sm_60 on if one side has 64 bits and the source has not 16 */
    LATENCY_CONVERT_F, /* likewise, also with a source of 16 bits */
    LATENCY_VMAD,      /* fixed; but variable, and without reuse flags, if an operand has 32 bits */
};

#endif
