/* The machine code of Maxwell and Pascal (sm_50 to sm_62) as one table: a row per instruction form.
 *
 * Decoder, disassembler and assembler know no instruction by name; they walk the row's items, which stand in the order
 * in which NVIDIA's disassembler prints them. A word is 64 bits, bit 0 the lowest. Bits 63..48 hold the opcode, of
 * which bits 63..51 alone tell the rows apart, so that one lookup in a table of 8192 entries finds the row.
 *
 * Code is a sequence of 32-byte bundles: one control word, then three instruction words. The control word has 21 bits
 * for each of the three: stall count [0:4], no-yield [4:1], write barrier [5:3], read barrier [8:3], wait mask [11:6],
 * operand reuse [17:4] (the notation is [lowest bit : number of bits] throughout).
 */
#ifndef REPRISE_FRONTEND_ISA_SASS5X_TABLE_H
#define REPRISE_FRONTEND_ISA_SASS5X_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "tracefmt/trace.h"

#define SASS_BUNDLE_BYTES 32
#define SASS_WORD_BYTES 8
#define SASS_NOP 0x50b0000000070f00ull

enum sass_arch {
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
/* The flag of SM number 50, 52, 53, 60, 61 or 62, 0 for any other. */
enum sass_arch sass_arch(unsigned sm);
/* The same for a name such as "sm_62", with nothing behind it. */
enum sass_arch sass_arch_named(const char *name);

struct sass_bits {
    uint8_t at, width;
};

/* What an item is: X(kind, what reads and prints it, meaning). Conditions and defaults are neither read nor printed.
 * Modifiers are a '.' and a name, after the mnemonic or after an operand. A comma goes before all operands but the
 * first. */
#define SASS_KINDS(X)                                                                                                  \
    /* conditions and defaults */                                                                                      \
    X(REQUIRE, unprinted, "field f must hold `style`, else the word is of another row or illegal")                     \
    X(DEFAULT, unprinted, "field f is not printed; the assembler writes `style`")                                      \
    /* modifiers */                                                                                                    \
    X(MODIFIER, modifier, "names[value]; \"\" prints nothing, NULL or beyond `count` is reserved")                     \
    X(PHASE, phase, "texture phase, from the control word")                                                            \
    X(ROUND_EQUAL, round_equal,                                                                                        \
      "F2F: rounding, whose meaning depends on whether source and destination sizes are equal")                        \
    X(VIDEO_TYPES, video_types, ".U8.S16 and so on; style: enum sass_video")                                           \
    X(CC_NAME, cc_name, "condition test as a modifier: CSETP.LT")                                                      \
    /* operands */                                                                                                     \
    X(REGISTER, register, "style: enum sass_register_style")                                                           \
    X(PREDICATE, predicate, "style: enum sass_predicate_style")                                                        \
    X(CONSTANT, constant, "c[bank][offset]")                                                                           \
    X(IMMEDIATE, immediate, "style: enum sass_immediate")                                                              \
    X(NAME, name, "names[value] as an operand")                                                                        \
    X(ADDRESS, address,                                                                                                \
      "[Ra+offset]: f offset, style: log2 of its unit; base register [8:8]; g.width: no offset at all")                \
    X(CONST_ADDRESS, const_address, "c[bank][Ra+offset] of LDC")                                                       \
    X(TARGET, target, "pc-relative target, or in constant memory when bit 5 is set; style 1: always relative")         \
    X(TARGET_ABSOLUTE, target, "the target itself")                                                                    \
    X(TARGET_INDIRECT, target_indirect, "register plus pc-relative offset")                                            \
    X(TARGET_INDIRECT_ABSOLUTE, target_indirect, "register plus absolute offset")                                      \
    X(SPECIAL, special, "special register")                                                                            \
    X(CC_TEST, cc_test, "condition test as an operand, hidden when T: CC.LT")                                          \
    X(CAS, cas, "compare and swap registers: Rb and its neighbour")                                                    \
    X(VIDEO_B, video_b, "Rb with a part selector, or a 16-bit immediate; style: enum sass_video_b")                    \
    X(BYTES_B, bytes_b, "VABSDIFF4: Rb with byte selector, or a byte")                                                 \
    X(SWIZZLE, swizzle, "FSWZADD: one sign pair per lane")                                                             \
    X(COMPONENTS, components, "TEXS, TLDS: which of RGBA; depends on whether there is a second register")              \
    X(BARRIERS, barriers, "DEPBAR: set of dependency barriers; style 1: hidden when empty")                            \
    X(BARRIER_NAME, barrier_name, "DEPBAR: SBn")                                                                       \
    X(CHOICE, choice, "register f unless bit g is set: then the immediate of [f.at : sf.width] or sf")
enum sass_kind {
    SI_END,
#define X_(kind, handler, meaning) SI_##kind,
    SASS_KINDS(X_)
#undef X_
};

enum sass_register_style {
    REGISTER_PLAIN,
    REGISTER_OPTIONAL, /* not printed when RZ */
    REGISTER_BRACKETS, /* [R4] of surface instructions */
};
enum sass_predicate_style { PREDICATE_PLAIN, PREDICATE_OPTIONAL, PREDICATE_INVERTED, PREDICATE_INVERTED_OPTIONAL };
enum sass_immediate {
    IMM_S20,      /* f low bits, g sign: a signed integer */
    IMM_U20,      /* the same bits, printed unsigned */
    IMM_U20_MASK, /* unsigned, hidden when 0xffff */
    IMM_F20,      /* the upper 20 bits of an f32 */
    IMM_D20,      /* the upper 20 bits of an f64 */
    IMM_F32,
    IMM_F16_9,     /* f: upper 9 bits without the sign g, of an f16 */
    IMM_F16,       /* 16 bits */
    IMM_BY_SOURCE, /* F2F, F2I: f16, f32 or f64 by the source size in [10:2] */
    IMM_S,         /* f as a signed integer */
    IMM_U,         /* f as an unsigned integer */
    IMM_U_OPTIONAL /* hidden when 0 */,
    IMM_QUAD,    /* hidden when 15: lanes of a quad that MOV writes */
    IMM_BY_SIGN, /* signed when bit 49 is set */
};
/* How a part selector reads: with the item's names; as a byte, or a half where the source size [10:2] is 16 bits; as a
 * half where the source is an f16, and not at all elsewhere. */
enum sass_part_rule { PART_NAMES, PART_BY_SIZE, PART_OF_F16 };
/* SI_VIDEO_TYPES: nothing is printed when both are S32, or A is S32 and B a signed immediate. _SHIFT: the same
 * with B always unsigned. _SHOW_IMMEDIATE: types go with every immediate. */
enum sass_video { VIDEO_AB, VIDEO_SHIFT, VIDEO_SHOW_IMMEDIATE };
enum sass_video_b { VIDEO_B_UNSIGNED, VIDEO_B_BY_SIGN }; /* how the immediate is printed */

struct sass_item {
    uint8_t kind;             /* enum sass_kind */
    uint8_t style;            /* see the kind */
    struct sass_bits f, g;    /* value = f, and above it g */
    uint8_t neg, abs, inv;    /* bits: -x, |x|, ~x; 0: none */
    uint8_t po;               /* lower bit of a pair of neg bits that mean .PO together */
    uint8_t reuse;            /* 1 + number of the reuse flag that speaks of this register; 0: none */
    struct sass_bits sf;      /* part selector printed after the operand, inside its bars */
    uint8_t sf_rule;          /* enum sass_part_rule */
    uint8_t count;            /* of names */
    const char *const *names; /* of a modifier, or of the part selector */
};

enum sass_latency {
    LATENCY_FIXED,        /* the control word's barrier fields are 7 */
    LATENCY_VARIABLE,     /* signals its end through barriers */
    LATENCY_VARIABLE_R,   /* the same, and its registers may carry reuse flags */
    LATENCY_VARIABLE_R60, /* reuse flags from sm_60 on */
    LATENCY_CONVERT,      /* reuse flags from sm_60 on, and only with a 64-bit side and no 16-bit source */
    LATENCY_CONVERT_F,    /* the same, also with a 16-bit source */
    LATENCY_VMAD,         /* fixed, but variable and without reuse flags when an operand has 32 bits */
};
enum sass_row_flag {
    SASS_NO_GUARD = 1 << 0, /* the guard field is neither printed nor looked at */
};

struct sass_row {
    const char *name;     /* mnemonic before the modifiers */
    const char *semantic; /* what it does, the name of the semantic: FADD for all forms of FADD */
    uint16_t value, mask; /* of bits 63..48 */
    uint8_t unit_class;   /* enum rp_class */
    uint8_t latency;      /* enum sass_latency */
    uint8_t archs;        /* enum sass_arch, or-ed */
    uint8_t flags;        /* enum sass_row_flag */
    const struct sass_item *items;
};

extern const struct sass_row sass_rows[];
extern const unsigned sass_row_count;

static inline uint64_t sass_field(uint64_t word, struct sass_bits b) { return word >> b.at & ((1ull << b.width) - 1); }
static inline unsigned sass_bit(uint64_t word, unsigned at) { return word >> at & 1; }
/* The item's value: f, and above it g. */
static inline uint64_t sass_value(uint64_t word, const struct sass_item *i)
{
    return sass_field(word, i->f) | sass_field(word, i->g) << i->f.width;
}

/* The row that a word is of on an architecture, or NULL: an unknown opcode, or a required field with another value. */
const struct sass_row *sass_find(uint64_t word, enum sass_arch arch);

/* The control bits of instruction `slot` (0..2) of a bundle, 21 bits. */
static inline uint32_t sass_control(uint64_t control_word, unsigned slot)
{
    return control_word >> (21 * slot) & 0x1fffff;
}

#endif
