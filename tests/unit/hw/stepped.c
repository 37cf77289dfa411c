/* Models that are stepped have a second interface, and all of it. */
#include <criterion/criterion.h>
#include <string.h>

#include "hw-models/cache/stepped.h"
#include "hw-models/dram/stepped.h"
#include "hw-models/set/models.h"

/* Of a table whose members all are pointers to functions: how many it lacks. */
static unsigned missing(const void *table, size_t size)
{
    void (*const none)(void) = NULL;
    unsigned count = 0;
    for (size_t at = 0; at < size; at += sizeof none)
        count += !memcmp((const char *)table + at, &none, sizeof none);
    return count;
}

/* A model answers when it is asked or is stepped, never both: else engines would differ in how they use it. */
Test(stepped, caches_have_all_functions)
{
    unsigned stepped = 0;
    for (const struct model *const *m = built_in_models.of[KIND_CACHE]; *m; m++) {
        const struct cache_model *c = (const struct cache_model *)*m;
        cr_expect(c->reset && c->shape, "%s", (*m)->name);
        cr_expect(!c->look_up == (c->stepped != NULL), "%s", (*m)->name);
        cr_expect(!c->stepped || (c->keeps && !missing(c->stepped, sizeof *c->stepped)), "%s", (*m)->name);
        stepped += c->stepped != NULL;
    }
    cr_expect(stepped);
}

Test(stepped, dram_models_have_all_functions)
{
    unsigned stepped = 0;
    for (const struct model *const *m = built_in_models.of[KIND_DRAM]; *m; m++) {
        const struct dram_model *d = (const struct dram_model *)*m;
        cr_expect(d->reset && d->ahead && d->may_refuse && d->is_fixed, "%s", (*m)->name);
        cr_expect(!d->offer == (d->stepped != NULL), "%s", (*m)->name);
        cr_expect(!d->stepped || !missing(d->stepped, sizeof *d->stepped), "%s", (*m)->name);
        stepped += d->stepped != NULL;
    }
    cr_expect(stepped);
}
