/* Spellings that ptxas takes are taken, those that it refuses are refused. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/ptx/support.h"

enum { TEXT = 4000, TAKEN = 825, REFUSED = 592, MODULES = 144 };

/* NULL: refused, err says why. */
static struct module *load(const char *preamble, const char *instruction, struct rp_error *err)
{
    char text[TEXT];
    snprintf(text, sizeof text, "%s%s\nEND: ret;\n}\n", preamble, instruction);
    struct module *m = ptx_load_text("test.ptx", text, strlen(text), 0, err);
    if (m && module_find(m, NULL, err))
        return m;
    module_free(m);
    return NULL;
}

static void expect(const char *preamble, char mark, const char *instruction)
{
    struct rp_error err = {0};
    struct module *m = load(preamble, instruction, &err);
    if (mark == '+')
        cr_expect(m, "%s is taken by ptxas: %s", instruction, err.text);
    else
        cr_expect(!m, "%s is refused by ptxas", instruction);
    module_free(m);
}

Test(spellings, what_ptxas_takes)
{
    FILE *f = fopen("tests/golden/ptx-accepted.txt", "r");
    char line[256], preamble[TEXT / 2] = "";
    unsigned taken = 0, refused = 0;
    cr_assert(f, "run from the repository's root");
    while (fgets(line, sizeof line, f)) {
        size_t used = strlen(preamble);
        if (*line == '=') {
            snprintf(preamble + used, sizeof preamble - used, "%s", line + 2);
        } else if (*line != '#') {
            line[strcspn(line, "\n")] = 0;
            expect(preamble, *line, line + 2);
            taken += *line == '+';
            refused += *line == '-';
        }
    }
    fclose(f);
    cr_expect(taken == TAKEN && refused == REFUSED, "%u and %u", taken, refused);
}

static void expect_module(char mark, const char *title, const char *text)
{
    struct rp_error err = {0};
    struct module *m = ptx_load_text("test.ptx", text, strlen(text), 0, &err);
    bool taken = m && module_find(m, "k", &err);
    cr_expect(taken == (mark == '+'), "%s: %s", title, taken ? "it is refused by ptxas" : err.text);
    module_free(m);
}

Test(spellings, modules_that_ptxas_takes)
{
    FILE *f = fopen("tests/golden/ptx-modules.txt", "r");
    char line[256], title[256] = "", text[TEXT] = "";
    unsigned count = 0;
    cr_assert(f, "run from the repository's root");
    while (fgets(line, sizeof line, f)) {
        bool begins = (*line == '+' || *line == '-') && line[1] == ' ';
        if (begins && *title)
            expect_module(*title, title, text);
        if (begins) {
            snprintf(title, sizeof title, "%s", line);
            count++;
            *text = 0;
        } else if (*line != '#') {
            size_t used = strlen(text);
            snprintf(text + used, sizeof text - used, "%s", line);
        }
    }
    fclose(f);
    expect_module(*title, title, text);
    cr_expect_eq(count, MODULES);
}
