/* The machine code of a generation as one table: a row per instruction form.
 *
 * Decoder, disassembler and assembler know no instruction by name. They walk the items of a row, which are in the order
 * in which NVIDIA's disassembler prints them. A generation provides its rows, the kinds of items that only it has, and
 * a struct sass_table that gives the width of its words and the place of control bits.
 *
 * A word has 64 or 128 bits, bit 0 the lowest. A field is [lowest bit : number of bits], at most 64 bits, and may cross
 * bit 64. An instruction has 21 control bits: stall count [0:4], no-yield [4:1], write barrier [5:3], read barrier
 * [8:3], wait mask [11:6], operand reuse [17:4]. They are in a word of their own before the instructions of a bundle,
 * or within the instruction's word. */
#ifndef REPRISE_FRONTEND_ISA_SASS_TABLE_H
#define REPRISE_FRONTEND_ISA_SASS_TABLE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "frontend/isa/word.h"
#include "tracefmt/trace.h"

struct sass_bits {
    uint8_t at, width;
};
#define SASS_BITS(at, width) ((struct sass_bits){at, width})

static inline uint64_t sass_field(struct isa_word w, struct sass_bits b)
{
    uint64_t mask = b.width < 64 ? (1ull << b.width) - 1 : ~0ull;
    if (b.at >= 64)
        return w.hi >> (b.at - 64) & mask;
    return (b.at ? w.lo >> b.at | w.hi << 1 << (63 - b.at) : w.lo) & mask;
}
static inline unsigned sass_bit(struct isa_word w, unsigned at)
{
    return (at < 64 ? w.lo >> at : w.hi >> (at - 64)) & 1;
}
/* Writes a field that is still 0. */
static inline void sass_put(struct isa_word *w, struct sass_bits b, uint64_t value)
{
    if (b.width < 64)
        value &= (1ull << b.width) - 1;
    if (b.at >= 64) {
        w->hi |= value << (b.at - 64);
        return;
    }
    w->lo |= value << b.at;
    w->hi |= b.at ? value >> 1 >> (63 - b.at) : 0;
}
static inline void sass_clear(struct isa_word *w, struct sass_bits b)
{
    struct isa_word field = {0, 0};
    sass_put(&field, b, ~0ull);
    w->lo &= ~field.lo;
    w->hi &= ~field.hi;
}
static inline int64_t sass_sign_extend(uint64_t v, unsigned width)
{
    return width < 64 ? (int64_t)(v << (64 - width)) >> (64 - width) : (int64_t)v;
}

/* Kinds of items: X(kind, function that reads and prints it, meaning). Conditions and defaults are neither read nor
 * printed. A modifier is a '.' and a name, after the mnemonic or after an operand. A comma is before all operands but
 * the first. */
#define SASS_KINDS(X)                                                                                                  \
    /* conditions and defaults */                                                                                      \
    X(REQUIRE, unprinted, "field f must hold `style`, else the word is of another row or illegal")                     \
    X(DEFAULT, unprinted, "field f is not printed; the assembler writes `style`")                                      \
    /* modifiers */                                                                                                    \
    X(MODIFIER, modifier, "names[value]; \"\" prints nothing, NULL or beyond `count` is reserved")                     \
    /* operands */                                                                                                     \
    X(REGISTER, register, "of `file`; style: enum sass_register_style")                                                \
    X(PREDICATE, predicate, "of `file`; style: enum sass_predicate_style")                                             \
    X(CONSTANT, constant, "c[bank][offset]: g the bank, f the offset; of the uniform file, cx[UR][offset]: g is UR")   \
    X(INDEXED, indexed, "the same with `parts` as the offset")                                                         \
    X(IMMEDIATE, immediate, "style: enum sass_immediate")                                                              \
    X(NAME, name, "names[value] as an operand")                                                                        \
    X(SPECIAL, special, "the same for a special register: SR<number> where it has no name")                            \
    X(ADDRESS, address, "[parts]; before it names[0] and, where g has a width, [UR]; style: enum sass_address_style")  \
    X(TARGET, target, "pc-relative target: signed, from the next word on")                                             \
    X(BARRIERS, barriers, "set of dependency barriers, hidden when empty")                                             \
    X(BARRIER_NAME, barrier_name, "SBn")                                                                               \
    X(SWIZZLE, swizzle, "FSWZADD: one sign pair of the 4 names per lane of a quad")
enum sass_kind {
    SI_END,
#define X_(kind, handler, meaning) SI_##kind,
    SASS_KINDS(X_)
#undef X_
        SI_OWN, /* from here on: kinds of one table only, sass_table.own[kind - SI_OWN] */
};

/* Register files: R and P, UR and UP, B. The R or UR with the highest number reads as zero, the P or UP as true. */
enum sass_file { FILE_GENERAL, FILE_UNIFORM, FILE_BARRIER };

enum sass_register_style {
    REGISTER_PLAIN,
    REGISTER_OPTIONAL, /* not printed when RZ */
    REGISTER_BRACKETS, /* [R4] of surface instructions */
    REGISTER_SHOWN,    /* in an address: printed even if it is RZ */
};
enum sass_predicate_style {
    PREDICATE_PLAIN,
    PREDICATE_OPTIONAL, /* not printed when PT */
    PREDICATE_INVERTED, /* the field holds the complement of the number */
    PREDICATE_INVERTED_OPTIONAL,
};
enum sass_immediate {
    IMM_S20,      /* low bits f, sign g: a signed integer */
    IMM_U20,      /* the same bits, printed unsigned */
    IMM_U20_MASK, /* unsigned, hidden when 0xffff */
    IMM_F20,      /* the upper 20 bits of an f32 */
    IMM_D20,      /* the upper 20 bits of an f64 */
    IMM_D32,      /* the upper 32 bits of an f64 */
    IMM_F32,
    IMM_F16_9,      /* f: upper 9 bits without the sign g, of an f16 */
    IMM_F16,        /* 16 bits */
    IMM_BF16,       /* the upper 16 bits of an f32 */
    IMM_S,          /* a signed integer */
    IMM_S_OPTIONAL, /* hidden when 0 */
    IMM_U,          /* an unsigned integer */
    IMM_U_OPTIONAL, /* hidden when 0 */
    IMM_QUAD,       /* hidden when 15: lanes of a quad that MOV writes */
    IMM_BYTE,       /* unsigned, hidden when 0xff */
    IMM_BY_BIT,     /* signed when bit sf.at is set; the assembler takes either */
    IMM_DEPENDS,    /* sass_table.resolve says which of the others */
};
enum sass_address_style {
    ADDRESS_UNSIGNED = 1, /* an offset without a register is unsigned */
    /* may be combined with the other: if all parts are zero, the offset is printed, as 0x0; without this flag the first
     * part is, as RZ */
    ADDRESS_ZERO_OFFSET = 2,
};
/* How a part selector reads: with the item's names, or as sass_table.resolve says. PART_INSIDE: within the bars of |x|,
 * also where part_is_last. PART_SILENT: RZ in an address does not show for its sake; the assembler then writes all
 * ones.
 */
enum sass_part_rule { PART_NAMES, PART_BY_SIZE, PART_OF_F16, PART_INSIDE, PART_SILENT };

struct sass_item {
    uint8_t kind;             /* enum sass_kind, or one of the table's own */
    uint8_t style;            /* see the kind */
    uint8_t file;             /* enum sass_file */
    struct sass_bits f, g;    /* value = f, and above it g */
    uint8_t neg, abs, inv;    /* bits: -x, |x|, ~x; 0: none */
    uint8_t unit;             /* the value is printed shifted left by this */
    uint8_t po;               /* lower bit of a pair of neg bits that mean .PO together */
    uint8_t reuse;            /* 1 + number of this register's reuse flag; 0: none */
    bool joined;              /* a blank stands before it, not a comma */
    struct sass_bits sf, sg;  /* part selector printed after the operand, where there are names: sf, and above it sg;
                                 width 0: names[0] */
    uint8_t sf_rule;          /* enum sass_part_rule */
    uint16_t count;           /* of names */
    const char *const *names; /* of a modifier, or of the part selector */
    /* Of an address: registers, then an IMM_S, joined by +, up to SI_END. A zero is printed only if it is the only
     * part. */
    const struct sass_item *parts;
};

enum sass_row_flag {
    SASS_NO_GUARD = 1 << 0,      /* the guard field is neither printed nor read */
    SASS_UNIFORM_GUARD = 1 << 1, /* the guard is a uniform predicate */
};

struct sass_row {
    const char *name;     /* mnemonic before the modifiers */
    const char *semantic; /* what it does, a name from the family's lists: FADD for all forms of FADD */
    uint16_t value, mask; /* of sass_table.opcode */
    uint16_t archs;       /* flags of architectures of this table, or-ed */
    uint8_t unit_class;   /* enum rp_class */
    uint8_t latency;      /* an enum of the table; 0: fixed */
    uint8_t flags;        /* enum sass_row_flag */
    const struct sass_item *items;
};

/* The rows of each opcode as a chain, the most specific first. Made on first use. */
enum { SASS_OPCODES = 8192, SASS_LINKS = 16384 };
struct sass_index {
    pthread_mutex_t lock; /* PTHREAD_MUTEX_INITIALIZER */
    _Atomic bool made;
    uint16_t first[SASS_OPCODES];
    struct sass_link {
        uint16_t row, next; /* row: the row's number + 1; 0 ends the chain */
    } links[SASS_LINKS];
    unsigned count;
};

struct sass_printer;
struct sass_parser;
/* A kind of item that only one table has. */
struct sass_own {
    void (*print)(struct sass_printer *, const struct sass_item *);
    bool (*parse)(struct sass_parser *, const struct sass_item *);
};

struct sass_table {
    const struct sass_row *rows;
    unsigned row_count;
    struct sass_index *index;
    /* The place of the opcode, of at most 16 bits. The lowest `opcode_spare` bits are in no row's mask. */
    struct sass_bits opcode;
    unsigned opcode_spare;
    struct sass_bits guard; /* predicate that the instruction runs under; the bit above it negates */
    /* Where destinations lie: registers elsewhere are sources. 0: registers with a reuse flag are sources. */
    uint8_t destination;
    struct sass_bits sizes; /* modifiers that decide how later operands read; width 0: none does */
    unsigned word_bytes;    /* 8 or 16 */
    /* Words of a bundle. Its first word holds the control bits of the others, instruction by instruction. 1: there are
     * no bundles, and each word holds its own control bits, in `control`. */
    unsigned bundle_words;
    struct sass_bits control;
    struct isa_word nop;
    bool part_is_last;             /* the part follows the reuse flag: |R5|.reuse.H0, not |R5.H0|.reuse */
    unsigned (*arch)(unsigned sm); /* the flag of an architecture in rows; 0: it is not in this table */
    const struct sass_own *own;    /* from SI_OWN on */
    /* has_reuse NULL: each register may have its reuse flag. resolve NULL: no item depends on other fields. */
    bool (*has_reuse)(const struct sass_row *, struct isa_word, unsigned arch);
    /* Sets the kind and rule that the item has in this word. */
    void (*resolve)(struct isa_word, struct sass_item *);
};

/* The item's value: f, and above it g. */
static inline uint64_t sass_value(struct isa_word word, const struct sass_item *i)
{
    return sass_field(word, i->f) | (i->g.width ? sass_field(word, i->g) << i->f.width : 0);
}

/* The item's part selector. */
static inline uint64_t sass_part(struct isa_word word, const struct sass_item *i)
{
    return sass_field(word, i->sf) | (i->sg.width ? sass_field(word, i->sg) << i->sf.width : 0);
}

/* Whether the part selector stands behind the bars and .reuse. */
static inline bool sass_part_is_last(const struct sass_table *t, const struct sass_item *i)
{
    return t->part_is_last && i->kind == SI_REGISTER && i->file == FILE_GENERAL && i->sf_rule != PART_INSIDE;
}
/* The value with which an immediate is not printed; false: it always is. */
bool sass_hides(const struct sass_item *, uint64_t *value);

/* The row that a word encodes on an architecture. NULL: the opcode is unknown, or a required field has another
 * value. */
const struct sass_row *sass_find(const struct sass_table *, struct isa_word, unsigned arch);

/* ---- where instructions and their control bits lie ---- */

static inline uint32_t sass_bundle_bytes(const struct sass_table *t) { return t->bundle_words * t->word_bytes; }
/* The byte address of instruction i, and the reverse. The address of a bundle's control word stands for the first
 * instruction of the bundle. */
static inline uint32_t sass_address(const struct sass_table *t, uint32_t i)
{
    uint32_t each = t->bundle_words - 1;
    return each ? i / each * sass_bundle_bytes(t) + (i % each + 1) * t->word_bytes : i * t->word_bytes;
}
static inline uint32_t sass_number(const struct sass_table *t, uint32_t address)
{
    uint32_t each = t->bundle_words - 1, slot = address % sass_bundle_bytes(t) / t->word_bytes;
    return each ? address / sass_bundle_bytes(t) * each + (slot ? slot - 1 : 0) : address / t->word_bytes;
}
static inline bool sass_is_control(const struct sass_table *t, uint32_t address)
{
    return t->bundle_words > 1 && address % sass_bundle_bytes(t) == 0;
}
/* The word that begins at `code`, all of whose bytes must be there. */
struct isa_word sass_word_at(const struct sass_table *, const uint8_t *code);
/* The control bits of the instruction at an address of code. */
uint32_t sass_control_at(const struct sass_table *, const uint8_t *code, uint32_t address);

#endif
