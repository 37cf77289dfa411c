/* Every row of floats, halves, doubles and conversions that executes has a check in the corpus: the table is walked. */
#include <stdio.h>
#include <string.h>

#include <criterion/criterion.h>

#include "frontend/isa/sass7x/lower.h"
#include "tests/support/sass_corpus.h"
#include "tests/support/sass_rig.h"

enum { MAX_ROWS = 4096, MAX_WORDS = 128 };
static bool reached[MAX_ROWS];

static void mark(unsigned sm, const char *text)
{
    uint64_t words[MAX_WORDS];
    unsigned count = sass_words(sm, text, words, MAX_WORDS);
    cr_assert_leq(2 * count, (unsigned)MAX_WORDS, "%s", text);
    for (unsigned i = 0; i < count; i++) {
        const struct isa_word word = {words[2 * i], words[2 * i + 1]};
        const struct sass_row *row = sass_find(&sass7x_table, word, sass7x_table.arch(sm));
        cr_assert_not_null(row, "%s", text);
        reached[row - sass7x_table.rows] = true;
    }
}

static bool is_ours(const struct sass_row *row)
{
    static const struct sass_meaning *const lists[] = {sass7x_float, sass7x_half, sass7x_double, sass7x_convert};
    for (unsigned i = 0; i < sizeof lists / sizeof *lists; i++)
        for (const struct sass_meaning *m = lists[i]; m->name; m++)
            if (!strcmp(m->name, row->semantic))
                return true;
    return false;
}

static bool prints(const struct sass_row *row, const char *word)
{
    for (const struct sass_item *i = row->items; i->kind != SI_END; i++)
        for (unsigned k = 0; i->kind == SI_MODIFIER && k < i->count; k++)
            if (i->count == 1 && i->names[k] && strstr(i->names[k], word))
                return true;
    return false;
}

static bool requires(const struct sass_row *row, unsigned at, unsigned value)
{
    for (const struct sass_item *i = row->items; i->kind != SI_END; i++)
        if (i->kind == SI_REQUIRE && i->f.at == at && i->style == value)
            return true;
    return false;
}
static bool is_row(const struct sass_row *row, const char *name, unsigned value)
{
    return row->value == value && !strcmp(row->semantic, name);
}

/* Rows whose words all belong to others, but for some with bits that mean nothing. */
static bool is_shadowed(const struct sass_row *row)
{
    bool half = is_row(row, "HFMA2", 0x431) || is_row(row, "HFMA2", 0x831);
    return (half && row->archs == TO_75) || (is_row(row, "I2IP", 0x239) && row->archs == SASS_75);
}

/* Rows of which all words are refused: immediates of 64 bits, functions of f16 that PTX lacks. */
static bool is_refused(const struct sass_row *row)
{
    bool small = is_row(row, "MUFU", 0x908) && requires(row, 73, 1) && row->archs != SASS_90;
    return (is_row(row, "I2F", 0x912) && row->items[0].f.at == 91 && requires(row, 84, 3)) ||
           (small && (requires(row, 75, 0) || requires(row, 75, 2))) ||
           (is_row(row, "HMNMX2", 0x840) && prints(row, "F32")) ||
           (is_row(row, "UF2FP", 0x8ba) && prints(row, "MERGE_C"));
}

/* Why a row has no check; NULL: it needs one. */
static const char *reason(const struct sass_row *row)
{
    for (const struct sass_item *i = row->items; i->kind != SI_END; i++)
        if (i->kind == SI_CONSTANT && i->file == FILE_UNIFORM)
            return "refused: a constant behind a descriptor";
    if (prints(row, "IS_A") || prints(row, "RS"))
        return "refused: its meaning is not known, and ptxas never writes it";
    if (is_refused(row))
        return "refused: PTX has no such operation";
    if (is_shadowed(row))
        return "its words belong to other rows";
    if (!strcmp(row->semantic, "FCHK"))
        return "which quotients need the slow path is not published: agree.c divides";
    return NULL;
}

Test(coverage7x, every_row_that_executes_has_a_check)
{
    cr_assert_leq(sass7x_table.row_count, (unsigned)MAX_ROWS);
    look = mark;
    for (const struct corpus_test *t = corpus_tests; t; t = t->next)
        t->body();
    unsigned executed = 0;
    for (unsigned i = 0; i < sass7x_table.row_count; i++) {
        const struct sass_row *row = &sass7x_table.rows[i];
        const char *why = reason(row);
        if (!is_ours(row))
            continue;
        executed += !why;
        cr_expect_eq(reached[i], !why, "row %u, %s %03x for %#x: %s", i, row->semantic, row->value, row->archs,
                     reached[i] ? "reached, but said to be left out" : "no check reaches it");
    }
    cr_expect_gt(executed, 200u);
}
