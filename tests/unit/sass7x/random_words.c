/* Any word of any row is lowered, or refused in one line; and what prints assembles to a word that prints. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "frontend/core/program.h"
#include "frontend/isa/sass7x/table.h"
#include "tests/support/cubin_image.h"
#include "tests/support/kernel_case.h"
#include "tests/unit/sass7x/check.h"

static const struct isa_word EXIT = {0x000000000000794d, 0x000fea0003800000};

/* Bits as they come, but for the opcode and what the row requires. */
static struct isa_word random_word(const struct sass_row *row, uint64_t *seed)
{
    struct isa_word w = {random_next(seed), random_next(seed)};
    sass_clear(&w, sass7x_table.opcode);
    sass_put(&w, sass7x_table.opcode, row->value);
    for (const struct sass_item *i = row->items; i->kind != SI_END; i++)
        if (i->kind == SI_REQUIRE) {
            sass_clear(&w, i->f);
            sass_put(&w, i->f, i->style);
        }
    return w;
}

static void lower(const struct sass_row *row, unsigned sm, struct isa_word word)
{
    const uint64_t words[4] = {word.lo, word.hi, EXIT.lo, EXIT.hi};
    struct rp_error err = {0};
    size_t size;
    uint8_t *cubin = cubin_image(sm, words, 4, false, &size);
    struct module *m = module_load_bytes("random.cubin", cubin, size, 0, &err);
    if (m && !module_find(m, NULL, &err))
        cr_expect(*err.text && !strchr(err.text, '\n'), "sm_%u %s %016" PRIx64 "%016" PRIx64 ": '%s'", sm, row->name,
                  word.hi, word.lo, err.text);
    module_free(m);
    free(cubin);
}

static void print_and_assemble(unsigned arch, struct isa_word word)
{
    const struct sass_site site = {&sass7x_table, arch, 0};
    char text[SASS_TEXT_SIZE], again[SASS_TEXT_SIZE];
    uint32_t control = (uint32_t)sass_field(word, sass7x_table.control);
    struct isa_word other;
    if (!sass_print(&site, word, control, text, NULL) || !sass_assemble(&site, text, &other, &control, NULL))
        return;
    cr_expect(sass_print(&site, other, control, again, NULL), "%s", text);
}

Test(random_words7x, are_lowered_or_refused)
{
    enum { EACH = 6 };
    uint64_t seed = 11;
    for (unsigned i = 0; i < sass7x_table.row_count; i++)
        for (unsigned k = 0; k < TARGETS_7X * EACH; k++) {
            const struct sass_row *row = &sass7x_table.rows[i];
            const struct target_7x *t = &targets_7x[k / EACH];
            struct isa_word word = random_word(row, &seed);
            if (!(row->archs & t->arch))
                continue;
            lower(row, t->sm, word);
            print_and_assemble(t->arch, word);
        }
}
