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

/* Why a row has no check; NULL: it needs one. */
static const char *reason(const struct sass_row *row)
{
    for (const struct sass_item *i = row->items; i->kind != SI_END; i++)
        if (i->kind == SI_CONSTANT && i->file == FILE_UNIFORM)
            return "refused: a constant behind a descriptor";
    if (prints(row, "IS_A") || prints(row, "RS"))
        return "refused: its meaning is not known, and ptxas never writes it";
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
