/* The table against NVIDIA's disassembler: tests/golden/sass holds words and the text that nvdisasm 12.3 prints for
 * them, for every instruction form and architecture (forms.txt, random field values) and as ptxas emits them
 * (compiled.txt). */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "tests/support/sass5x.h"

struct pair {
    unsigned sm, address, control;
    uint64_t word;
    char text[SASS_TEXT_SIZE];
};

static bool next(FILE *f, struct pair *p)
{
    char line[512];
    while (fgets(line, sizeof line, f)) {
        int end;
        if (sscanf(line, "%u %x %" SCNx64 " %x %n", &p->sm, &p->address, &p->word, &p->control, &end) != 4)
            continue;
        line[strcspn(line, "\n")] = 0;
        snprintf(p->text, sizeof p->text, "%.*s", (int)sizeof p->text - 1, line + end);
        return true;
    }
    return false;
}

static FILE *open_golden(const char *name)
{
    char path[256];
    snprintf(path, sizeof path, "tests/golden/sass/%s", name);
    FILE *f = fopen(path, "r");
    cr_assert(f, "%s", path);
    return f;
}

/* Text without blanks and without the bits that we print behind an unusual NaN. */
static void squeeze(const char *from, char *to)
{
    for (; *from; from++) {
        if (!strncmp(from, ":0x", 3))
            from += 3 + strspn(from + 3, "0123456789abcdef");
        if (!*from)
            break;
        if (!isspace((unsigned char)*from))
            *to++ = *from;
    }
    *to = 0;
}

static unsigned compare_texts(const char *file)
{
    FILE *f = open_golden(file);
    struct pair p;
    unsigned count = 0;
    while (next(f, &p)) {
        char ours[SASS_TEXT_SIZE], a[SASS_TEXT_SIZE], b[SASS_TEXT_SIZE];
        struct rp_error err;
        bool ok = sass5x_print(p.word, p.control, p.address, sass5x_arch(p.sm), ours, &err);
        cr_expect(ok, "sm_%u %016" PRIx64 " '%s': %s", p.sm, p.word, p.text, ok ? "" : err.text);
        if (!ok)
            continue;
        squeeze(p.text, a);
        squeeze(ours, b);
        cr_expect_str_eq(b, a, "sm_%u %016" PRIx64, p.sm, p.word);
        count++;
    }
    fclose(f);
    return count;
}

Test(sass, text_of_every_form) { cr_expect_gt(compare_texts("forms.txt"), 2500); }
Test(sass, text_of_compiled_words) { cr_expect_gt(compare_texts("compiled.txt"), 1500); }

Test(sass, assembling_compiled_text_gives_the_word)
{
    FILE *f = open_golden("compiled.txt");
    struct pair p;
    while (next(f, &p)) {
        char ours[SASS_TEXT_SIZE];
        uint64_t word = 0;
        uint32_t control = 0;
        struct rp_error err;
        cr_assert(sass5x_print(p.word, p.control, p.address, sass5x_arch(p.sm), ours, &err));
        bool ok = sass5x_assemble(ours, p.address, sass5x_arch(p.sm), &word, &control, &err);
        cr_expect(ok, "%s", ok ? "" : err.text);
        cr_expect_eq(word, p.word, "sm_%u '%s': %016" PRIx64 ", not %016" PRIx64, p.sm, ours, word, p.word);
    }
    fclose(f);
}

/* Bits that the text does not show may differ, the text may not. */
Test(sass, assembling_any_form_gives_the_text_again)
{
    FILE *f = open_golden("forms.txt");
    struct pair p;
    while (next(f, &p)) {
        char ours[SASS_TEXT_SIZE], again[SASS_TEXT_SIZE];
        uint64_t word = 0;
        uint32_t control = 0;
        struct rp_error err;
        cr_assert(sass5x_print(p.word, p.control, p.address, sass5x_arch(p.sm), ours, &err));
        bool ok = sass5x_assemble(ours, p.address, sass5x_arch(p.sm), &word, &control, &err) &&
                  sass5x_print(word, control, p.address, sass5x_arch(p.sm), again, &err);
        cr_expect(ok, "%s", ok ? "" : err.text);
        if (ok)
            cr_expect_str_eq(again, ours);
    }
    fclose(f);
}

/* The index over 13 bits finds what a search of all rows finds. */
Test(sass, every_prefix_finds_its_most_specific_row)
{
    for (unsigned prefix = 0; prefix < 8192; prefix++) {
        const struct sass_row *best = NULL;
        for (unsigned r = 0; r < SASS5X_ROWS; r++) {
            const struct sass_row *row = &sass5x_table.rows[r];
            bool matches =
                (prefix << 3 & row->mask) == row->value && row->archs & SASS_62 && row->items->kind != SI_REQUIRE;
            if (matches && (!best || __builtin_popcount(row->mask) > __builtin_popcount(best->mask)))
                best = row;
        }
        const struct sass_row *found = sass5x_find((uint64_t)prefix << 51, SASS_62);
        if (!found || found->items->kind != SI_REQUIRE)
            cr_expect_eq(found, best, "prefix %04x", prefix << 3);
    }
}

Test(sass, rows_are_well_formed)
{
    for (unsigned r = 0; r < SASS5X_ROWS; r++) {
        const struct sass_row *row = &sass5x_table.rows[r];
        cr_expect_eq(row->value & ~row->mask, 0, "%s %04x", row->name, row->value);
        cr_expect_eq(row->mask & 7, 0, "%s %04x: the mask reaches below bit 51", row->name, row->value);
        bool conditions_over = false;
        for (const struct sass_item *i = row->items; i->kind != SI_END; i++) {
            cr_expect(i->f.at + i->f.width <= 64 && i->g.at + i->g.width <= 64, "%s %04x", row->name, row->value);
            cr_expect(!(conditions_over && i->kind == SI_REQUIRE), "%s %04x: conditions come first", row->name,
                      row->value);
            conditions_over |= i->kind != SI_REQUIRE;
            if (i->kind == SI_MODIFIER || i->kind == SI_NAME)
                cr_expect_leq(i->count, 1u << (i->f.width + i->g.width), "%s %04x: more names than values", row->name,
                              row->value);
        }
    }
}

Test(sass, unknown_words_say_address_and_bits)
{
    char text[SASS_TEXT_SIZE];
    struct rp_error err;
    cr_expect_not(sass5x_print(0xfeed000000000000, 0, 0x48, SASS_62, text, &err));
    cr_expect_str_eq(err.text, "unknown instruction 0xfeed000000000000 at address 0x48");
    cr_expect_not(sass5x_print(0x5bc9038000270304, 0, 0x48, SASS_62, text, &err)); /* PRMT with mode 9 */
    cr_expect_str_eq(err.text,
                     "illegal instruction 0x5bc9038000270304 at address 0x48: PRMT, reserved value in a field");
    cr_expect_not(sass5x_print(0x5d10000000270203, 0, 8, SASS_50, text, &err), "HADD2 is not for sm_50");
}

Test(sass, text_that_is_no_instruction)
{
    static const char *const wrong[] = {
        "",
        "FROB R1, R2",
        "FADD R1, R2",
        "FADD.SAT.FTZ R1, R2, R3",
        "MOV R255, R1",
        "MOV R1, c[0x20][0x0]",
        "MOV R1, c[0x0][0x2]",
        "@P8 EXIT",
        "@EXIT",
        "FADD R1, R2, 0.1",
        "BRA 0x7fffffff",
        "IADD R1, R2, 0x80000000",
        "SHL R1, R2, R3 R4",
        "DEPBAR {6}",
        "LDG.E R0, [R2",
        "ATOM.CAS R4, [R4], R2, R9",
        "S2R R0, SR_NOTHING",
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        uint64_t word;
        uint32_t control;
        struct rp_error err;
        cr_expect_not(sass5x_assemble(wrong[i], 8, SASS_62, &word, &control, &err), "'%s'", wrong[i]);
    }
}

Test(sass, reuse_flags_and_phase_go_into_the_control_bits)
{
    uint64_t word;
    uint32_t control;
    struct rp_error err;
    cr_assert(sass5x_assemble("FFMA R0, R1.reuse, R2, R3.reuse", 8, SASS_62, &word, &control, &err));
    cr_expect_eq(control, 5u << 17);
    cr_assert(sass5x_assemble("TEX.P R6, R8, 0x56, ARRAY_2D, 0x6", 8, SASS_62, &word, &control, &err));
    cr_expect_eq(control, 2u << 17);
    cr_expect_eq(word, 0xc03805633ff70806);
}

/* Random words: no crash; what prints assembles, and prints the same. */
Test(sass, random_words)
{
    uint64_t state = 0x9e3779b97f4a7c15;
    for (unsigned i = 0; i < 300000; i++) {
        state ^= state << 13, state ^= state >> 7, state ^= state << 17;
        char text[SASS_TEXT_SIZE], again[SASS_TEXT_SIZE];
        uint64_t word = 0;
        uint32_t control;
        unsigned arch = 1 << (i % 6);
        if (!sass5x_print(state, 0x7e0, 8, arch, text, NULL))
            continue;
        struct rp_error err;
        bool ok =
            sass5x_assemble(text, 8, arch, &word, &control, &err) && sass5x_print(word, 0x7e0, 8, arch, again, &err);
        cr_expect(ok, "%016" PRIx64 " '%s': %s", state, text, ok ? "" : err.text);
        if (ok)
            cr_expect_str_eq(again, text, "%016" PRIx64, state);
    }
}
