#include "tests/unit/sass7x/row_model.h"

#include <stddef.h>
#include <string.h>

static row_model model_of(const char *name)
{
    static const struct row_meaning *const lists[] = {row_integers, row_logic, row_moves, row_memory};
    for (unsigned i = 0; i < sizeof lists / sizeof *lists; i++)
        for (const struct row_meaning *m = lists[i]; m->name; m++)
            if (!strcmp(m->name, name))
                return m->model;
    return NULL;
}

bool row_has_model(const char *name) { return model_of(name); }

bool row_execute(struct row_thread *t, const char *text)
{
    struct row_text parsed;
    row_parse(&parsed, text);
    row_model model = model_of(parsed.name);
    if (model)
        model(t, &parsed);
    return model;
}
