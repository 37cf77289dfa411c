/* Every form of the instruction table that executes has a check in the corpus: the table is walked, not a list. */
#include <stdio.h>
#include <string.h>

#include <criterion/criterion.h>

#include "frontend/isa/sass5x/lower.h"
#include "tests/support/sass5x.h"
#include "tests/support/sass_corpus.h"
#include "tests/support/sass_rig.h"

enum { MAX_ROWS = 512, MAX_LINES = 64 };
static bool reached[MAX_ROWS];

static void mark(unsigned sm, const char *text)
{
    static char last[1024];
    uint64_t words[MAX_LINES];
    if (!strncmp(last, text, sizeof last))
        return;
    snprintf(last, sizeof last, "%s", text);
    unsigned count = sass_words(sm, text, words, MAX_LINES);
    cr_assert_leq(count, (unsigned)MAX_LINES, "%s", text);
    for (unsigned i = 0; i < count; i++) {
        const struct sass_row *row = sass5x_find(words[i], sass5x_arch(sm));
        cr_assert_not_null(row, "%s", text);
        reached[row - sass5x_table.rows] = true;
    }
}

/* Forms with a semantic function that the corpus leaves out. */
#define FCHK "which quotients need the slow path is not published: inferences.c, division_and_roots"
#define PREDICATE "refused: what the predicate says is not published, and ptxas never writes it"
static const struct {
    const char *name;
    uint16_t value;
    const char *why;
} left_out[] = {
    {"FCHK", 0x5c88, FCHK},
    {"FCHK", 0x4c88, FCHK},
    {"FCHK", 0x3888, FCHK},
    {"BPT", 0xe3a0, "ends the launch with a fault: tests/unit/sass_run/control.c, a_trap_ends_the_launch"},
    {"LDG", 0xeec8, PREDICATE},
    {"ATOM", 0xee60, PREDICATE},
    {"ATOM", 0xee70, PREDICATE},
};
static const char *reason(const struct sass_row *row)
{
    for (unsigned i = 0; i < sizeof left_out / sizeof *left_out; i++)
        if (left_out[i].value == row->value && !strcmp(left_out[i].name, row->name))
            return left_out[i].why;
    return NULL;
}

Test(coverage, every_form_that_executes_has_a_check)
{
    cr_assert_leq(SASS5X_ROWS, (unsigned)MAX_ROWS);
    look = mark;
    for (const struct corpus_test *t = corpus_tests; t; t = t->next) {
        t->body();
        corpus_sm = 61;
    }
    unsigned executed = 0;
    for (unsigned i = 0; i < SASS5X_ROWS; i++) {
        const struct sass_row *row = &sass5x_table.rows[i];
        const char *why = reason(row);
        bool image = row->unit_class == RP_CLASS_TEXTURE; /* tests/unit/ptx_forms/images_ptxas.c */
        bool expected = sass_find_meaning(&sass5x_family, row) && !image && !why;
        executed += expected;
        cr_expect_eq(reached[i], expected, "%s %04x for %#x: %s", row->semantic, row->value, row->archs,
                     reached[i] ? "reached, but said to be left out"
                     : expected ? "no check reaches it"
                                : why);
    }
    cr_expect_gt(executed, 200u);
}
