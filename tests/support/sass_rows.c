#include "tests/support/sass_rows.h"

#include <stdio.h>
#include <stdlib.h>

#include <criterion/criterion.h>

#include "frontend/isa/sass7x/table.h"
#include "frontend/module/cubin.h"

void sass_rows_in(const char *path, bool *seen)
{
    static uint8_t bytes[1 << 24];
    struct rp_error err;
    FILE *f = fopen(path, "rb");
    cr_assert_not_null(f, "%s", path);
    size_t size = fread(bytes, 1, sizeof bytes, f);
    fclose(f);
    struct cubin *c = cubin_load(path, bytes, size, &err);
    cr_assert_not_null(c, "%s", c ? "" : err.text);
    unsigned arch = sass7x_table.arch(c->sm);
    for (uint32_t k = 0; k < c->kernel_count; k++)
        for (uint32_t at = 0; at < c->kernels[k].code.size; at += sass7x_table.word_bytes) {
            const struct sass_row *row =
                sass_find(&sass7x_table, sass_word_at(&sass7x_table, c->kernels[k].code.at + at), arch);
            if (row)
                seen[row - sass7x_table.rows] = true;
        }
    cubin_free(c);
}
