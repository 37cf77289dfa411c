#include <string.h>

#include "frontend/isa/ptx/lower.h"

struct walk {
    struct ptx_unit *unit;
    struct reach *out;
    uint32_t program;
    uint8_t *found; /* by function number */
    VECTOR(struct ptx_variable *) dynamic;
    uint32_t align;
    bool indirect;
};

static void add_function(struct walk *w, struct ptx_function *f)
{
    if (w->found[f->number])
        return;
    w->found[f->number] = 1;
    VECTOR_PUSH(w->unit->arena, &w->out->functions, f);
}

static void add_shared(struct walk *w, struct ptx_variable *v)
{
    if (v->program == w->program)
        return;
    v->program = w->program;
    if (v->align > w->align)
        w->align = v->align;
    if (v->is_extern) {
        VECTOR_PUSH(w->unit->arena, &w->dynamic, v);
        return;
    }
    v->offset = extent_place(&w->out->shared, v->size, v->align);
    VECTOR_PUSH(w->unit->arena, &w->out->variables, (struct extent){v->offset, v->size, v->name, v->is_reserved});
    if (v->offset + v->size > SHARED_WINDOW_SIZE / 2)
        ptx_error(w->unit->src, v->at, "with '%s' the kernel takes more than %llu MiB of shared memory", v->name,
                  (SHARED_WINDOW_SIZE / 2) >> 20);
}

/* Operands nest no deeper than the parser allows. */
static void visit(struct walk *w, const struct ptx_operand *o)
{
    bool nested = o->kind == PO_VECTOR || o->kind == PO_ADDRESS || o->kind == PO_LIST || o->kind == PO_PAIR;
    if (o->kind == PO_FUNCTION && !o->function->is_entry) /* a kernel can be launched, not called */
        add_function(w, o->function);
    if (o->kind == PO_VARIABLE && o->variable->space == RP_SPACE_SHARED)
        add_shared(w, o->variable);
    for (uint32_t i = 0; nested && i < o->count; i++)
        visit(w, &o->elements[i]);
}

static void visit_function(struct walk *w, const struct ptx_function *f)
{
    for (uint32_t i = 0; i < f->body.count; i++) {
        const struct ptx_instruction *in = &f->body.at[i];
        for (uint32_t j = 0; j < in->operand_count; j++)
            visit(w, &in->operands[j]);
        if (in->form->lowering == LOW_CALL && in->operands[1].kind == PO_REGISTER)
            w->indirect = true;
    }
}

void find_reach(struct ptx_unit *u, struct ptx_function *entry, uint32_t program_number, struct reach *out)
{
    struct walk w = {.unit = u, .out = out, .program = program_number, .align = 1};
    w.found = ARENA_ARRAY(u->arena, uint8_t, (size_t)u->function_count + 1);
    memset(out, 0, sizeof *out);
    add_function(&w, entry);
    bool all_taken = false;
    for (uint32_t i = 0; i < out->functions.count; i++) {
        visit_function(&w, out->functions.at[i]);
        if (!w.indirect || all_taken)
            continue;
        all_taken = true; /* a call through a register may go to any function whose address is taken */
        for (struct ptx_function *f = u->functions; f; f = f->next)
            if (f->address_taken && f->defined && !f->is_entry)
                add_function(&w, f);
    }
    out->names_dynamic = w.dynamic.count > 0;
    out->dynamic = extent_place(&out->shared, 0, w.dynamic.count ? w.align : 1);
    out->parts = ARENA_ARRAY(u->arena, uint16_t, out->dynamic / VARIABLE_GAP + 1);
    extents_fill_parts(out->variables.at, out->variables.count, out->dynamic, out->parts);
    for (uint32_t i = 0; i < w.dynamic.count; i++)
        w.dynamic.at[i]->offset = out->dynamic;
}
