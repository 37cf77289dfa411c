/* Every row that executes has a check: in the corpus, or in rows.c. The table is walked. */
#include <stdio.h>
#include <string.h>

#include <criterion/criterion.h>

#include "frontend/isa/sass7x/lower.h"
#include "tests/support/sass_corpus.h"
#include "tests/support/sass_rig.h"
#include "tests/unit/sass7x/rows.h"

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

Test(coverage7x, every_row_that_executes_has_a_check)
{
    cr_assert_leq(sass7x_table.row_count, (unsigned)MAX_ROWS);
    look = mark;
    for (const struct corpus_test *t = corpus_tests; t; t = t->next)
        t->body();
    unsigned executed = 0;
    for (unsigned i = 0; i < sass7x_table.row_count; i++) {
        const struct sass_row *row = &sass7x_table.rows[i];
        const char *why = row_left_out(row);
        if (!sass_find_meaning(&sass7x_family, row))
            continue;
        reached[i] |= rows_check(row);
        executed += !why;
        cr_expect_eq(reached[i], !why, "row %u, %s %03x for %#x: %s", i, row->semantic, row->value, row->archs,
                     reached[i] ? "reached, but said to be left out" : "no check reaches it");
    }
    cr_expect_gt(executed, 200u);
}
