/* docs/ptx.md has a table of what the frontend does not execute: made from the instruction table, with the error that a
 * kernel which has the instruction gets. REPRISE_WRITE_DOCS=1 writes it. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/core/program.h"
#include "frontend/isa/ptx/table.h"
#include "tests/support/form_walk.h"
#include "tracefmt/error.h"

static const char path[] = "docs/ptx.md", begin[] = "<!-- not executed: begin -->\n",
                  end[] = "<!-- not executed: end -->\n";

static const struct row {
    const char *opcode, *mods, *types;
    uint8_t lowering;
} rows[] = {
#define I(opcode, mods, types, operands, class, lowering, op) {opcode, mods, types, LOW_##lowering},
#include "frontend/isa/ptx/instructions.def"
#undef I
};
enum { ROWS = sizeof rows / sizeof *rows };

/* The row's first form, and what is said of it. */
static void first_form(const struct spelled *s, void *data)
{
    char *spelling = data;
    if (!*spelling)
        snprintf(spelling, SPELLING, "%s", s->text);
}
static void spelling_of(const struct row *r, const struct ptx_form *f, char *text)
{
    *text = 0;
    if (*r->mods != '*')
        walk_row(f, false, first_form, text);
    else
        snprintf(text, SPELLING, "%s%s%s", r->opcode, r->mods[1] ? "." : "", r->mods[1] ? r->mods + 2 : "");
}

static void error_of(const char *spelling, char *said, size_t size)
{
    char text[400];
    struct rp_error err = {0};
    int n = snprintf(
        text, sizeof text,
        ".version 9.0\n.target sm_100\n.address_size 64\n.entry k() {\n.reg .b64 %%d<3>;\n%s %%d0, %%d1, %%d2;\n"
        "ret; }\n",
        spelling);
    struct module *m = ptx_load_text("kernel.ptx", text, (size_t)n, 0, &err);
    cr_expect(!m || !module_find(m, "k", &err), "%s is executed", spelling);
    module_free(m);
    snprintf(said, size, "%.*s", (int)strcspn(err.text, "\n"), err.text);
    const char *message = strstr(said, ": ");
    cr_assert(message, "%s: %s", spelling, err.text);
    memmove(said, message + 2, strlen(message + 2) + 1);
}

/* A row of the rest of an opcode, or of what begins with its word: whether one of the rows before is executed. */
static bool has_executed(uint32_t first, uint32_t row)
{
    const char *word = rows[row].mods[1] ? rows[row].mods + 2 : "";
    for (uint32_t i = first; i < row; i++)
        if (rows[i].lowering != LOW_NONE && strncmp(rows[i].mods + (*rows[i].mods == '^'), word, strlen(word)) == 0)
            return true;
    return false;
}

static char *made(void)
{
    char *out = NULL;
    size_t size;
    FILE *f = open_memstream(&out, &size);
    fprintf(f, "%s| instruction | modifiers | types | a kernel that has it gets |\n|---|---|---|---|\n", begin);
    for (unsigned i = 0; i < ROWS; i++) {
        const struct row *r = &rows[i];
        char spelling[SPELLING], said[300];
        uint32_t count, first = i;
        if (r->lowering != LOW_NONE)
            continue;
        while (first > 0 && strcmp(rows[first - 1].opcode, r->opcode) == 0)
            first--;
        const struct ptx_form *forms = ptx_opcode(r->opcode, (uint32_t)strlen(r->opcode), &count);
        spelling_of(r, forms + (i - first), spelling);
        error_of(spelling, said, sizeof said);
        fprintf(f, "| `%s` | ", r->opcode);
        bool rest = *r->mods == '*' && has_executed(first, i);
        for (const char *c = *r->mods == '*' ? r->mods[1] ? r->mods + 2 : rest ? "" : "(all)" : r->mods; *c; c++)
            fprintf(f, *c == '|' ? " or " : "%c", *c);
        fprintf(f, rest ? "%s(all others)" : "", r->mods[1] ? " " : "");
        fprintf(f, " | %s | `%s` |\n", r->types, said);
    }
    fputs(end, f);
    fclose(f);
    return out;
}

static char *read_all(void)
{
    char *text = NULL;
    size_t size, n;
    char part[4096];
    FILE *f = fopen(path, "r"), *to = open_memstream(&text, &size);
    cr_assert(f, "run from the repository's root");
    while ((n = fread(part, 1, sizeof part, f)))
        fwrite(part, 1, n, to);
    fclose(f);
    fclose(to);
    return text;
}

Test(missing, the_table_of_the_docs_is_that_of_the_instruction_table)
{
    char *docs = read_all(), *wanted = made();
    char *from = strstr(docs, begin), *to = strstr(docs, end);
    cr_assert(from && to, "%s lacks its marks", path);
    to += strlen(end);
    bool same = strlen(wanted) == (size_t)(to - from) && !strncmp(from, wanted, (size_t)(to - from));
    if (!same && getenv("REPRISE_WRITE_DOCS")) {
        FILE *f = fopen(path, "w");
        fprintf(f, "%.*s%s%s", (int)(from - docs), docs, wanted, to);
        fclose(f);
    }
    cr_expect(same, "the table is now:\n%s", wanted);
    free(docs);
    free(wanted);
}
