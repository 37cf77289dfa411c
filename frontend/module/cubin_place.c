/* Where the variables of a cubin's global memory go. Code reaches them through relocations that name their symbols, so
 * they can be moved apart, with gaps between them, like the variables of PTX. */
#include <stdlib.h>

#include "frontend/core/extents.h"
#include "frontend/module/cubin.h"

enum { MOST_ALIGNED = 4096, SECTION_ALIGN = 256 };

static int by_place(const void *a, const void *b)
{
    const struct cubin_variable *x = a, *y = b;
    if (x->space != y->space)
        return x->space < y->space ? -1 : 1;
    if (x->bank != y->bank)
        return x->bank < y->bank ? -1 : 1;
    return x->offset < y->offset ? -1 : x->offset > y->offset;
}

const struct cubin_variable *cubin_variable_at(const struct cubin *c, enum cubin_space space, uint64_t offset)
{
    const struct cubin_variable key = {.space = space, .offset = offset};
    return c->variable_count ? bsearch(&key, c->variables, c->variable_count, sizeof key, by_place) : NULL;
}

/* Whether no variables overlap, and every address in code or data is the address of a variable. */
static bool can_move(const struct cubin *c)
{
    for (uint32_t i = 0; i < c->variable_count; i++) {
        const struct cubin_variable *v = &c->variables[i], *next = v + 1;
        if (v->space == CUBIN_CONSTANT)
            continue;
        if (!v->size || (i + 1 < c->variable_count && next->space == v->space && next->offset - v->offset < v->size))
            return false;
    }
    for (uint32_t i = 0; i < c->relocation_count; i++) {
        const struct cubin_relocation *r = &c->relocations[i];
        bool init = r->target == c->global_init_section;
        if (r->target && (init || r->target == c->global_section) &&
            !cubin_variable_at(c, init ? CUBIN_GLOBAL_INIT : CUBIN_GLOBAL, r->value))
            return false;
    }
    return true;
}

/* The file does not give a variable's alignment. Its offset shows the alignment that code may rely on. */
static uint64_t alignment(uint64_t offset)
{
    uint64_t most = offset & -offset;
    return !offset || most > MOST_ALIGNED ? MOST_ALIGNED : most;
}

uint64_t cubin_place_variables(struct cubin *c, struct cubin_addresses *a, uint64_t base)
{
    uint64_t init = ((uint64_t)c->global_init.size + SECTION_ALIGN - 1) / SECTION_ALIGN * SECTION_ALIGN;
    struct extent_layout layout = {0};
    uint64_t end = init + c->global_size;
    qsort(c->variables, c->variable_count, sizeof *c->variables, by_place);
    a->global_init = base;
    a->global = base + init;
    a->apart = can_move(c);
    for (uint32_t i = 0; i < c->variable_count; i++) {
        struct cubin_variable *v = &c->variables[i];
        uint64_t dense = v->offset + (v->space == CUBIN_GLOBAL ? init : 0);
        if (v->space == CUBIN_CONSTANT)
            continue;
        layout.dense = dense;
        v->address = base + (a->apart ? extent_place(&layout, v->size, alignment(dense)) : dense);
        end = v->address + v->size - base > end ? v->address + v->size - base : end;
    }
    return end;
}
