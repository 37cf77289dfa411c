/* The table of Volta to Hopper against NVIDIA's disassembler: tests/golden/sass7x/forms.txt has words of each row and
 * target, with random fields, and the text that nvdisasm 12.3 prints for them. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "frontend/isa/sass7x/table.h"

struct form {
    char targets[32]; /* "70,75" */
    unsigned address;
    struct isa_word word;
    char text[SASS_TEXT_SIZE];
};

static bool next(FILE *f, struct form *form)
{
    char line[512];
    int end;
    while (fgets(line, sizeof line, f))
        if (sscanf(line, "%31s %x %" SCNx64 " %" SCNx64 " %n", form->targets, &form->address, &form->word.hi,
                   &form->word.lo, &end) == 4) {
            snprintf(form->text, sizeof form->text, "%.*s", (int)strcspn(line + end, "\n"), line + end);
            return true;
        }
    return false;
}

/* Without blanks, and without the bits that we print behind an unusual NaN. */
static void squeeze(const char *from, char *to)
{
    for (; *from; from++) {
        const char *nan = strncmp(from, "QNAN:0x", 7) ? NULL : from + 7;
        if (nan) {
            to = stpcpy(to, "QNAN");
            from = nan + strspn(nan, "0123456789abcdef") - 1;
        } else if (*from != ' ') {
            *to++ = *from;
        }
    }
    *to = 0;
}

static bool same_text(const char *a, const char *b)
{
    char x[SASS_TEXT_SIZE], y[SASS_TEXT_SIZE];
    squeeze(a, x);
    squeeze(b, y);
    return !strcmp(x, y);
}

static void check_text(const struct sass_site *site, const struct form *form, unsigned sm)
{
    char ours[SASS_TEXT_SIZE];
    struct rp_error err = {0};
    uint32_t control = (uint32_t)sass_field(form->word, sass7x_table.control);
    bool ok = sass_print(site, form->word, control, ours, &err);
    cr_expect(ok && same_text(ours, form->text), "sm_%u %016" PRIx64 "%016" PRIx64 " '%s': %s", sm, form->word.hi,
              form->word.lo, form->text, ok ? ours : err.text);
}

/* The text shows not all bits; what is assembled from it prints the same. */
static void check_assembly(const struct sass_site *site, const struct form *form, unsigned sm)
{
    char ours[SASS_TEXT_SIZE] = "", again[SASS_TEXT_SIZE] = "";
    struct rp_error err = {0};
    struct isa_word word;
    uint32_t control = (uint32_t)sass_field(form->word, sass7x_table.control), reuse;
    if (!sass_print(site, form->word, control, ours, &err))
        return; /* check_text says so */
    bool ok = sass_assemble(site, ours, &word, &reuse, &err) && sass_print(site, word, reuse, again, &err);
    cr_expect(ok && !strcmp(again, ours), "sm_%u '%s': %s", sm, ours, ok ? again : err.text);
}

static unsigned each_form(void (*check)(const struct sass_site *, const struct form *, unsigned sm))
{
    FILE *f = fopen("tests/golden/sass7x/forms.txt", "r");
    cr_assert(f);
    unsigned count = 0;
    for (struct form form; next(f, &form);)
        for (char *at = form.targets; *at; count++) {
            unsigned sm = (unsigned)strtoul(at, &at, 10);
            check(&(struct sass_site){&sass7x_table, sass7x_table.arch(sm), form.address}, &form, sm);
            at += *at == ',';
        }
    fclose(f);
    return count;
}

Test(volta, texts_are_as_nvidia_prints_them) { cr_expect_gt(each_form(check_text), 7500); }

Test(volta, what_is_printed_assembles) { cr_expect_gt(each_form(check_assembly), 7500); }
