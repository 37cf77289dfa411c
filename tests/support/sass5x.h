/* Machine code of Maxwell and Pascal a word at a time, for tests: words are plain numbers here. */
#ifndef REPRISE_TESTS_SUPPORT_SASS5X_H
#define REPRISE_TESTS_SUPPORT_SASS5X_H

#include "frontend/isa/sass5x/table.h"

#define SASS5X_ROWS (sass5x_table.row_count)

static inline unsigned sass5x_arch(unsigned sm) { return sass5x_table.arch(sm); }

static inline const struct sass_row *sass5x_find(uint64_t word, unsigned arch)
{
    return sass_find(&sass5x_table, (struct isa_word){word, 0}, arch);
}

static inline bool sass5x_print(uint64_t word, uint32_t control, uint32_t address, unsigned arch,
                                char text[SASS_TEXT_SIZE], struct rp_error *err)
{
    return sass_print(&(struct sass_site){&sass5x_table, arch, address}, (struct isa_word){word, 0}, control, text,
                      err);
}

static inline bool sass5x_assemble(const char *text, uint32_t address, unsigned arch, uint64_t *word, uint32_t *control,
                                   struct rp_error *err)
{
    struct isa_word w = {0, 0};
    bool ok = sass_assemble(&(struct sass_site){&sass5x_table, arch, address}, text, &w, control, err);
    if (ok)
        *word = w.lo;
    return ok;
}

#endif
