/* The kit over words of 128 bits: some forms of Turing and Hopper as rows, against NVIDIA's disassembler
 * (tests/golden/sass/wide.txt). Fields lie above bit 64 and across it, control bits in the word itself. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "frontend/isa/sass/items.h"
#include "frontend/isa/sass/listing.h"
#include "frontend/isa/sass/lower.h"

enum { TURING = 1, HOPPER = 2, BOTH = 3, LATENCY_FIXED = 0 };

#define FORM(name, op, archs, flags, ...) ROW_X(#name, #name, op, 0xfff, INT, FIXED, archs, flags, __VA_ARGS__)
#define UR_AT(at)                                                                                                      \
    {                                                                                                                  \
        .kind = SI_REGISTER, .file = FILE_UNIFORM, .f = { at, 6 }                                                      \
    }
#define UR_NEG(at, n)                                                                                                  \
    {                                                                                                                  \
        .kind = SI_REGISTER, .file = FILE_UNIFORM, .f = {at, 6}, .neg = n                                              \
    }
#define UP_OPT(at)                                                                                                     \
    {                                                                                                                  \
        .kind = SI_PREDICATE, .file = FILE_UNIFORM, .style = PREDICATE_OPTIONAL, .f = { at, 3 }                        \
    }
#define RD REGISTER(16)
#define RA SOURCE(24, 0, .neg = 72)
#define RA_NA SOURCE(24, 0, .neg = 72, .abs = 73)
#define P_OPT(n)                                                                                                       \
    {                                                                                                                  \
        .kind = SI_PREDICATE, .style = PREDICATE_OPTIONAL, .f = {87, 3}, .neg = n                                      \
    }
#define P_LAST                                                                                                         \
    {                                                                                                                  \
        .kind = SI_PREDICATE, .style = PREDICATE_INVERTED_OPTIONAL, .f = {64, 3}, .neg = 67                            \
    }
#define BANK .g = {54, 5}
#define DESCRIBED .file = FILE_UNIFORM
#define OFFSET(at, width) IMM(IMM_S, at, width)
#define B_INDIRECT(at)                                                                                                 \
    {                                                                                                                  \
        .kind = SI_REGISTER, .file = FILE_BARRIER, .f = { at, 4 }                                                      \
    }
#define BRANCH(width)                                                                                                  \
    {                                                                                                                  \
        .kind = SI_TARGET, .f = {34, width}, .unit = 2                                                                 \
    }
#define F_HEAD MODIFIER2(76, 1, 80, 1, "", "FMZ", "FTZ"), ROUND(78), SAT(77), RD, RA_NA
#define F_B SOURCE(64, 1, .neg = 75, .abs = 74)
#define SIZES_ "U8", "S8", "U16", "S16", "", "64", "128"
#define LDC_SIZE MODIFIER(73, 3, "U8", "S8", "U16", "S16", "", "64")
#define HINT MODIFIER(84, 3, "EF", "", "EL", "LU", "EU", "NA")
#define HALVES(at) PART(at, 2, "", "F32", "H0_H0", "H1_H1")
#define HOPPER_HEAD                                                                                                    \
    FLAG(72, "E"), HINT, MODIFIER(68, 2, "", "LTC64B", "LTC128B", "LTC256B"), MODIFIER(73, 3, SIZES_),                 \
        MODIFIER(77, 4, "", "CONSTANT.PRIVATE", "CONSTANT.CTA", "CONSTANT.CTA.PRIVATE", "CONSTANT", "STRONG.SM",       \
                 "STRONG.GPU.PRIVATE", "STRONG.GPU", "MMIO.GPU", "CONSTANT.SM", "STRONG.SYS", "CONSTANT.SM.PRIVATE",   \
                 "MMIO.SYS", "CONSTANT.VC", "CONSTANT.VC.PRIVATE", "CONSTANT.GPU"),                                    \
        PD_OPT(81), RD

static const char *const shapes[128] = {
    [0] = "64x8x16", [7] = "64x64x16", [12] = "64x104x16", [33] = "64x16x8", [38] = "64x56x8", [47] = "64x128x8"};
static const char *const specials[256] = {
    [0] = "SR_LANEID", [53] = "SR_LWINSZ", [125] = "SR_SNAP_PM_HI4", [128] = "SR_SNAP_PM6"};

static const struct sass_row rows[] = {
    FORM(FFMA, 0x223, TURING, 0, F_HEAD, SOURCE(32, 1, .neg = 63, .abs = 62), SOURCE(64, 2, .neg = 75, .abs = 74)),
    FORM(FFMA, 0x623, TURING, 0, REQUIRE(91, 1, 0), F_HEAD, F_B,
         {.kind = SI_CONSTANT, .f = {40, 14}, BANK, .unit = 2, .neg = 63, .abs = 62}),
    FORM(FFMA, 0x623, TURING, 0, REQUIRE(91, 1, 1), F_HEAD, F_B,
         {.kind = SI_CONSTANT, DESCRIBED, .f = {40, 14}, .g = {32, 6}, .unit = 2, .neg = 63, .abs = 62}),
    FORM(FFMA, 0x423, TURING, 0, F_HEAD, F_B, IMM(IMM_F32, 32, 32)),
    FORM(IADD3, 0x210, TURING, 0, DEFAULT(77, 4, 15), DEFAULT(87, 4, 15), RD, PD_OPT(81), PD_OPT(84), RA,
         SOURCE(32, 1, .neg = 63), SOURCE(64, 2, .neg = 75)),
    FORM(ISETP, 0x20c, HOPPER, 0, DEFAULT(68, 3, 7), ICMP_(76), UNLESS(73, "U32"), BOOL(74), PREDICATE(81, 0),
         PREDICATE(84, 0), SOURCE(24, 0, .neg = 0), SOURCE(32, 1, .neg = 0), PREDICATE(87, 90)),
    FORM(LDG, 0x381, TURING, 0, REQUIRE(87, 1, 0), FLAG(72, "E"), HINT, MODIFIER(68, 2, "", "LTC64B", "LTC128B"),
         MODIFIER(73, 3, SIZES_, "U.128"), MODIFIER(79, 2, "CONSTANT", "", "STRONG", "MMIO"),
         MODIFIER(77, 2, "CTA", "SM", "GPU", "SYS"), FLAG(76, "PRIVATE"), PD_OPT(81), RD,
         {.kind = SI_ADDRESS, .style = ADDRESS_UNSIGNED, .parts = ITEMS(REGISTER(24), OFFSET(40, 24))}, P_LAST),
    FORM(LDG, 0x981, HOPPER, 0, REQUIRE(91, 1, 1), REQUIRE(76, 1, 0), HOPPER_HEAD,
         {.kind = SI_ADDRESS,
          .parts = ITEMS({.kind = SI_REGISTER, .style = REGISTER_SHOWN, .f = {24, 8}, PART(90, 1, "U32", "64")},
                         {.kind = SI_REGISTER, .file = FILE_UNIFORM, .style = REGISTER_SHOWN, .f = {32, 6}},
                         OFFSET(40, 24))},
         P_LAST),
    FORM(LDG, 0x981, HOPPER, 0, REQUIRE(90, 2, 3), REQUIRE(76, 1, 1), HOPPER_HEAD,
         {.kind = SI_ADDRESS,
          NAMES("desc"),
          .g = {32, 6},
          .parts = ITEMS({.kind = SI_REGISTER, .style = REGISTER_SHOWN, .f = {24, 8}, NAMES("64")}, OFFSET(40, 24))},
         P_LAST),
    FORM(LDC, 0xb82, TURING, 0, LDC_SIZE, MODIFIER(78, 2, "", "IL", "IS", "ISL"), RD,
         {.kind = SI_INDEXED, BANK, .parts = ITEMS(REGISTER(24), OFFSET(38, 16))}),
    FORM(LDC, 0x582, TURING, 0, REQUIRE(91, 1, 1), LDC_SIZE, RD,
         {.kind = SI_INDEXED,
          DESCRIBED,
          .g = {24, 6},
          .style = ADDRESS_UNSIGNED,
          .parts = ITEMS(REGISTER(64), OFFSET(38, 16))}),
    FORM(ULDC, 0xab9, BOTH, SASS_UNIFORM_GUARD, REQUIRE(91, 1, 0), LDC_SIZE, UR_AT(16),
         {.kind = SI_CONSTANT, BANK, .f = {38, 16}}),
    FORM(ULDC, 0xab9, BOTH, SASS_UNIFORM_GUARD, REQUIRE(91, 1, 1), LDC_SIZE, UR_AT(16),
         {.kind = SI_CONSTANT, DESCRIBED, .g = {24, 6}, .f = {38, 16}}),
    FORM(BSYNC, 0x941, TURING, 0, P_OPT(90), B_INDIRECT(16)),
    FORM(BSSY, 0x945, TURING, 0, P_OPT(90), B_INDIRECT(16), BRANCH(30)),
    FORM(BRA, 0x947, TURING, 0, MODIFIER(85, 2, "", "INC", "DEC"), MODIFIER(32, 2, "", "U", "DIV", "CONV"), P_OPT(90),
         BRANCH(48)),
    FORM(MOV, 0x802, BOTH, 0, RD, IMM(IMM_U, 32, 32), IMM(IMM_QUAD, 72, 4)),
    FORM(DADD, 0x429, BOTH, 0, ROUND(78), RD, RA_NA, IMM(IMM_D32, 32, 32)),
    FORM(UIADD3, 0x290, BOTH, SASS_UNIFORM_GUARD, REQUIRE(91, 1, 1), DEFAULT(77, 4, 15), DEFAULT(87, 4, 15), UR_AT(16),
         UP_OPT(81), UP_OPT(84), UR_NEG(24, 72), UR_NEG(32, 63), UR_NEG(64, 75)),
    FORM(UIADD3, 0x890, BOTH, SASS_UNIFORM_GUARD, REQUIRE(91, 1, 1), DEFAULT(77, 4, 15), DEFAULT(87, 4, 15), UR_AT(16),
         UP_OPT(81), UP_OPT(84), UR_NEG(24, 72), IMM(IMM_S, 32, 32), UR_NEG(64, 75)),
    FORM(LDS, 0x984, TURING, 0, REQUIRE(87, 1, 0), REQUIRE(91, 1, 1), FLAG(76, "U"), MODIFIER(73, 3, SIZES_), RD,
         {.kind = SI_ADDRESS,
          .parts = ITEMS({.kind = SI_REGISTER, .f = {24, 8}, PART(78, 2, "", "X4", "X8", "X16")},
                         {.kind = SI_REGISTER, .file = FILE_UNIFORM, .style = REGISTER_SHOWN, .f = {32, 6}},
                         OFFSET(40, 24))}),
    FORM(DEPBAR, 0x91a, BOTH, 0, REQUIRE(47, 1, 1), LITERAL("LE"), {.kind = SI_BARRIER_NAME, .f = {44, 3}},
         IMM(IMM_U, 38, 6), {.kind = SI_BARRIERS, .f = {32, 6}}),
    FORM(DEPBAR, 0x91a, BOTH, 0, REQUIRE(47, 1, 0), {.kind = SI_BARRIERS, .f = {32, 6}}),
    FORM(NOP, 0x918, BOTH, 0, NOTHING),
    FORM(HADD2, 0x230, TURING, 0, FLAG(78, "F32"), FLAG(80, "FTZ"), SAT(77), RD,
         SOURCE(24, 0, .neg = 72, .abs = 73, HALVES(74)), SOURCE(32, 2, .neg = 63, .abs = 62, HALVES(60))),
    FORM(S2R, 0x919, BOTH, 0, RD, {.kind = SI_SPECIAL, .f = {72, 8}, .names = specials, .count = 256}),
    FORM(EXIT, 0x94d, BOTH, 0, MODIFIER(84, 2, "", "KEEPREFCOUNT", "PREEMPTED"), FLAG(86, "NO_ATEXIT"), P_OPT(90)),
    FORM(UTMALDG, 0x5b4, HOPPER, SASS_UNIFORM_GUARD, REQUIRE(91, 1, 1), REQUIRE(76, 1, 1),
         MODIFIER(79, 3, "1D", "2D", "3D", "4D", "5D"), {.kind = SI_ADDRESS, .parts = ITEMS(UR_AT(32))},
         {.kind = SI_ADDRESS, .parts = ITEMS(UR_AT(24))}, {.kind = SI_ADDRESS, NAMES("desc"), .g = {40, 6}}),
    FORM(HGMMA, 0x9f0, HOPPER, 0, REQUIRE(91, 1, 1), REQUIRE(73, 1, 0),
         {.kind = SI_MODIFIER, .f = {53, 7}, .names = shapes, .count = 128}, MODIFIER(75, 1, "F16", "F32"),
         MODIFIER(76, 2, "", "BF16", "TF32"), RD, {.kind = SI_ADDRESS, NAMES("gdesc"), .g = {24, 6}}, FLAG(72, "negA"),
         FLAG(63, "negB"), FLAG(61, "tnspA"), FLAG(62, "tnspB"), REGISTER(64),
         {.kind = SI_PREDICATE, .file = FILE_UNIFORM, .style = PREDICATE_INVERTED_OPTIONAL, .f = {87, 3}, .neg = 90},
         OPERAND_NAME(84, 3, "gsb0")),
};

static unsigned arch_of(unsigned sm) { return sm == 75 ? TURING : sm == 90 ? HOPPER : 0; }

static struct sass_index found = {.lock = PTHREAD_MUTEX_INITIALIZER};
static const struct sass_table wide = {
    .rows = rows,
    .row_count = sizeof rows / sizeof *rows,
    .index = &found,
    .opcode = {0, 12},
    .guard = {12, 3},
    .word_bytes = 16,
    .bundle_words = 1,
    .control = {105, 21},
    .nop = {0x7918, 0},
    .part_is_last = true,
    .arch = arch_of,
};

struct line {
    unsigned sm, address;
    struct isa_word word;
    char text[SASS_TEXT_SIZE];
};

static bool next(FILE *f, struct line *l)
{
    char line[512];
    int end;
    while (fgets(line, sizeof line, f))
        if (sscanf(line, "%u %x %" SCNx64 " %" SCNx64 " %n", &l->sm, &l->address, &l->word.hi, &l->word.lo, &end) ==
            4) {
            snprintf(l->text, sizeof l->text, "%.*s", (int)strcspn(line + end, "\n"), line + end);
            return true;
        }
    return false;
}

static FILE *open_golden(void)
{
    FILE *f = fopen("tests/golden/sass/wide.txt", "r");
    cr_assert(f);
    return f;
}

static struct sass_site site_of(const struct line *l) { return (struct sass_site){&wide, arch_of(l->sm), l->address}; }

static uint32_t control_of(const struct line *l) { return (uint32_t)sass_field(l->word, wide.control); }

static struct isa_word without_control(struct isa_word w)
{
    sass_clear(&w, wide.control);
    return w;
}

/* One predicate where two may stand: the text does not say which of them it is. */
static bool is_ambiguous(const char *text) { return strstr(text, "IADD3") != NULL; }

static bool same(struct isa_word a, struct isa_word b) { return a.lo == b.lo && a.hi == b.hi; }

Test(wide, texts_are_as_nvidia_prints_them)
{
    FILE *f = open_golden();
    struct line l;
    unsigned count = 0, rows_seen = 0;
    bool seen[sizeof rows / sizeof *rows] = {0};
    for (; next(f, &l); count++) {
        char ours[SASS_TEXT_SIZE];
        struct rp_error err;
        struct sass_site site = site_of(&l);
        bool ok = sass_print(&site, l.word, control_of(&l), ours, &err);
        cr_assert(ok, "%s: %s", l.text, ok ? "" : err.text);
        cr_expect_str_eq(ours, l.text);
        size_t row = (size_t)(sass_find(&wide, l.word, site.arch) - rows);
        rows_seen += !seen[row];
        seen[row] = true;
    }
    fclose(f);
    cr_expect_gt(count, 150);
    cr_expect_eq(rows_seen, wide.row_count);
}

Test(wide, texts_assemble_to_their_words)
{
    FILE *f = open_golden();
    for (struct line l; next(f, &l);) {
        char again[SASS_TEXT_SIZE];
        struct rp_error err;
        struct isa_word word;
        uint32_t reuse;
        struct sass_site site = site_of(&l);
        bool ok = sass_assemble(&site, l.text, &word, &reuse, &err) && sass_print(&site, word, reuse, again, &err);
        cr_assert(ok, "%s: %s", l.text, ok ? "" : err.text);
        cr_expect_str_eq(again, l.text);
        cr_expect_eq(reuse, control_of(&l) & 15u << 17, "%s", l.text);
        if (!is_ambiguous(l.text))
            cr_expect(same(word, without_control(l.word)), "%s: %016" PRIx64 "%016" PRIx64, l.text, word.hi, word.lo);
    }
    fclose(f);
}

/* ---- listings ---- */

static const struct sass_family family = {.table = &wide};
static const struct isa isa = {
    .name = "some of Turing's", .family = &family, .word_bytes = 16, .granule = 16, SASS_ISA_FUNCTIONS};

static void check_line(void *data, uint32_t address, const char *text, struct isa_word word)
{
    struct assembly *a = data;
    struct rp_error err;
    char before[ISA_WORD_TEXT];
    struct isa_word read;
    cr_assert(text);
    cr_expect_eq(address, isa.next_address(&isa, a));
    isa_word_print(before, word, isa.word_bytes);
    cr_assert(isa_word_read(before, isa.word_bytes, &read) && same(read, word));
    bool ok = isa.assemble(&isa, a, text, &read, !is_ambiguous(text), &err);
    cr_assert(ok, "%s", ok ? "" : err.text);
}

/* A listing with its words gives the code back, control bits and words that mean nothing included. */
Test(wide, a_listing_reads_back)
{
    FILE *f = open_golden();
    uint8_t code[256 * 16];
    uint32_t size = 0;
    struct rp_error err;
    for (struct line l; next(f, &l);)
        if (l.sm == 75 && !is_ambiguous(l.text) && !strstr(l.text, " BSSY") && size < sizeof code - 32) {
            memcpy(code + size, &l.word.lo, 8);
            memcpy(code + size + 8, &l.word.hi, 8);
            size += 16;
        }
    fclose(f);
    memset(code + size, 0xed, 16);
    size += 16;
    const struct machine_code c = {code, size, 75};
    struct assembly a = {.sm = 75};
    cr_expect_eq(isa.disassemble(&isa, &c, check_line, &a, &err), 1);
    cr_expect(strstr(err.text, "unknown instruction 0xedededededededed") == err.text, "%s", err.text);
    cr_expect(isa.finish(&isa, &a, &err));
    cr_expect_eq(a.size, size);
    cr_expect_arr_eq(a.bytes, code, size);
    free(a.bytes);
}

/* Without a listed word the control bits are those of an instruction that waits for nothing. */
Test(wide, text_alone)
{
    struct assembly a = {.sm = 75};
    struct rp_error err;
    cr_assert(isa.assemble(&isa, &a, "FFMA R1, R2.reuse, R3, R4", NULL, false, &err), "%s", err.text);
    cr_assert_eq(a.size, 16);
    cr_expect_eq(sass_control_at(&wide, a.bytes, 0), 0x7efu | 1u << 17);
    cr_expect_not(isa.assemble(&isa, &a, "FFMA R1, R2, R3, R4", NULL, true, &err));
    cr_expect_not(isa.control(&isa, &a, (struct isa_word){0, 0}, &err));
    cr_expect_str_eq(err.text, "there are no control words: each instruction has its own control bits");
    cr_expect_not(isa.assemble(&isa, &a, ".word 0x123456789012345678901234567890123", NULL, false, &err));
    cr_expect_str_eq(err.text, "a word that is no instruction is .word and 1 to 32 hexadecimal digits after 0x");
    free(a.bytes);
}

/* ---- fields ---- */

Test(wide, fields_across_both_halves)
{
    struct isa_word w = {0, 0};
    sass_put(&w, SASS_BITS(34, 48), 0x8123456789abull);
    cr_expect_eq(sass_field(w, SASS_BITS(34, 48)), 0x8123456789abull);
    cr_expect_eq(w.lo, 0x8123456789abull << 34);
    cr_expect_eq(w.hi, 0x8123456789abull >> 30);
    cr_expect_eq(sass_field(w, SASS_BITS(64, 18)), 0x8123456789abull >> 30);
    cr_expect_eq(sass_field(w, SASS_BITS(0, 64)), w.lo);
    cr_expect_eq(sass_field(w, SASS_BITS(64, 64)), w.hi);
    sass_clear(&w, SASS_BITS(34, 48));
    cr_expect(w.lo == 0 && w.hi == 0);
    sass_put(&w, SASS_BITS(63, 2), 3);
    cr_expect(w.lo == 1ull << 63 && w.hi == 1);
    cr_expect(sass_bit(w, 63) && sass_bit(w, 64) && !sass_bit(w, 65));
    cr_expect_eq(sass_sign_extend(sass_field(w, SASS_BITS(63, 2)), 2), -1);
}

/* Targets that their fields do not reach, or that lie between instructions' units. */
Test(wide, targets_out_of_reach)
{
    struct sass_site site = {&wide, TURING, 0x100};
    struct isa_word word;
    uint32_t control;
    struct rp_error err;
    cr_expect(sass_assemble(&site, "BSSY B0, 0x8000010c", &word, &control, &err) == false);
    cr_expect(sass_assemble(&site, "BSSY B0, 0x7ffffffc", &word, &control, &err));
    cr_expect(sass_assemble(&site, "BRA 0x2000000000200", &word, &control, &err) == false);
    cr_expect(sass_assemble(&site, "BRA 0x1fffffffff00", &word, &control, &err));
    cr_expect(sass_assemble(&site, "BRA 0x122", &word, &control, &err) == false);
}
