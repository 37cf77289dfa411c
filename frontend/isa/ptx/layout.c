#include "frontend/isa/ptx/layout.h"

#include <string.h>

#define MAX_IMAGE (1ull << 30) /* bytes of a module's .global variables */
enum {
    MAX_FRAME = 1 << 24,
    MAX_FRAME_ALIGN = 1024,
    MIN_FRAME_ALIGN = 16,
    MAX_PARAMETERS = 1 << 15,
    MAX_CONSTANTS = 1 << 16
};

static uint64_t align_up(uint64_t at, uint64_t align) { return (at + align - 1) & ~(align - 1); }

uint64_t ptx_generic_base(uint8_t space)
{
    switch (space) {
    case RP_SPACE_SHARED: return SHARED_WINDOW;
    case RP_SPACE_LOCAL: return LOCAL_WINDOW;
    case RP_SPACE_CONST: return CONST_WINDOW;
    case RP_SPACE_PARAM: return PARAM_WINDOW;
    default: return 0;
    }
}

/* ---- module variables ---- */

static uint8_t reference_kind(uint8_t type)
{
    return type == PT_TEXREF ? RP_REFERENCE_TEXTURE : type == PT_SURFREF ? RP_REFERENCE_SURFACE : RP_REFERENCE_SAMPLER;
}

/* ptxas puts variables of large alignment first, and a large array at the beginning of a section is aligned to more
 * than its elements need; programs rely on that for vectors and bulk copies. */
enum { ARRAY_ALIGN = 16 };

static uint32_t module_alignment(const struct ptx_variable *v)
{
    return v->size >= ARRAY_ALIGN && v->align < ARRAY_ALIGN ? ARRAY_ALIGN : v->align;
}

static void place_variables(struct ptx_unit *u, struct module *m)
{
    struct extent_layout global = {0}, constant = {0};
    struct extent *constants = ARENA_ARRAY(u->arena, struct extent, u->variables.count + 1);
    uint32_t n = 0;
    uint64_t constant_bytes = 0; /* without gaps: ptxas has fewer than are here */
    m->narrow = u->address_bits == 32;
    m->target = u->unknown_target ? NULL : u->target;
    m->references = ARENA_ARRAY(u->arena, struct module_reference, u->variables.count + 1);
    m->variables = ARENA_ARRAY(u->arena, struct module_variable, u->variables.count + 1);
    for (uint32_t i = 0; i < u->variables.count; i++) {
        struct ptx_variable *v = u->variables.at[i];
        bool is_const = v->space == RP_SPACE_CONST;
        if (v->is_extern)
            continue;
        v->offset = extent_place(is_const ? &constant : &global, v->size, module_alignment(v));
        uint64_t end = v->offset + v->size;
        constant_bytes += is_const ? v->size : 0;
        if (constant_bytes > MAX_CONSTANTS)
            ptx_error(u->src, v->at, "with '%s' the module's .const variables take more than %d KiB", v->name,
                      MAX_CONSTANTS >> 10);
        if (!is_const && end > MAX_IMAGE)
            ptx_error(u->src, v->at, "with '%s' the module's .global variables take more than %llu MiB", v->name,
                      MAX_IMAGE >> 20);
        *(is_const ? &m->const_size : &m->global_size) = end;
        if (is_const)
            constants[m->constants.count++] = (struct extent){.base = v->offset, .size = v->size, .name = v->name};
        else
            v->offset += module_base(m);
        if (v->is_opaque)
            m->references[m->reference_count++] = (struct module_reference){v->name, reference_kind(v->type)};
        m->variables[n++] =
            (struct module_variable){v->name, is_const, v->offset + (is_const ? CONST_WINDOW : 0), v->size};
    }
    m->variable_count = n;
    uint16_t *parts = ARENA_ARRAY(u->arena, uint16_t, m->const_size / VARIABLE_GAP + 1);
    extents_fill_parts(constants, m->constants.count, m->const_size, parts);
    m->constants.at = constants;
    m->constants.parts = parts;
    m->global_image = arena_alloc(u->arena, m->global_size + 1);
    m->const_image = arena_alloc(u->arena, m->const_size + 1);
}

/* The value of an initialiser. An address counts in its own space, or is generic if generic() asks for it. */
static uint64_t initial_value(struct ptx_unit *u, const struct ptx_initial *item)
{
    uint64_t value = item->bits;
    const struct ptx_variable *v = item->variable;
    if (item->function)
        value += ptx_address(item->function);
    if (v) {
        if ((v->space != RP_SPACE_GLOBAL && v->space != RP_SPACE_CONST) || v->is_extern)
            ptx_error(u->src, item->at, "the address of '%s' is not known before a launch", v->name);
        value += v->offset + (item->generic ? ptx_generic_base(v->space) : 0);
    }
    return item->mask == UINT64_MAX || !item->mask ? value & item->mask
                                                   : (value & item->mask) >> __builtin_ctzll(item->mask);
}

static void fill_images(struct ptx_unit *u, struct module *m)
{
    for (uint32_t i = 0; i < u->variables.count; i++) {
        const struct ptx_variable *v = u->variables.at[i];
        unsigned bytes = ptx_types[v->type].bits / 8;
        if (!v->initial_count)
            continue;
        uint8_t *image =
            v->space == RP_SPACE_CONST ? m->const_image + v->offset : m->global_image + (v->offset - module_base(m));
        for (uint32_t j = 0; j < v->initial_count; j++) {
            uint64_t value = initial_value(u, &v->initials[j]);
            memcpy(image + v->initials[j].index * bytes, &value, bytes < 8 ? bytes : 8);
        }
    }
}

/* ---- frames ---- */

static uint64_t place(struct ptx_unit *u, struct ptx_variable *v, uint64_t at, uint32_t *align)
{
    at = align_up(at, v->align);
    if (v->align > MAX_FRAME_ALIGN)
        ptx_error(u->src, v->at, "'%s' is aligned to more than %d bytes", v->name, MAX_FRAME_ALIGN);
    if (v->size > MAX_FRAME || at + v->size > MAX_FRAME)
        ptx_error(u->src, v->at, "with '%s' the function takes more than %d MiB of local memory", v->name,
                  MAX_FRAME >> 20);
    if (v->align > *align)
        *align = v->align;
    v->offset = at;
    return at + v->size;
}

static void place_signature(struct ptx_unit *u, struct ptx_signature *s, uint32_t *align)
{
    uint64_t at = 0;
    for (uint32_t i = 0; i < s->result_count; i++)
        at = place(u, s->results[i], at, align);
    for (uint32_t i = 0; i < s->param_count; i++)
        at = place(u, s->params[i], at, align);
    s->bytes = (uint32_t)at;
}

const struct ptx_signature *ptx_call_signature(const struct ptx_instruction *call)
{
    return call->operands[1].kind == PO_FUNCTION ? &call->operands[1].function->signature
                                                 : (*call->operands[3].label)->prototype;
}

static void bind(const struct ptx_operand *actual, const struct ptx_variable *formal, const struct ptx_function *f)
{
    actual->variable->bound = true;
    actual->variable->offset = f->frame_bytes + formal->offset;
}

static void bind_call(const struct ptx_function *f, const struct ptx_instruction *in)
{
    const struct ptx_operand *results = &in->operands[0], *arguments = &in->operands[2];
    const struct ptx_signature *s = ptx_call_signature(in);
    for (uint32_t i = 0; i < results->count; i++)
        bind(&results->elements[i], s->results[i], f);
    for (uint32_t i = 0; i < arguments->count; i++)
        bind(&arguments->elements[i], s->params[i], f);
}

static void place_entry(struct ptx_unit *u, struct ptx_function *f)
{
    uint32_t align = 1;
    place_signature(u, &f->signature, &align);
    if (f->signature.bytes > MAX_PARAMETERS)
        ptx_error(u->src, f->at, "'%s' has more than %d bytes of parameters", f->name, MAX_PARAMETERS);
}

void ptx_layout(struct ptx_unit *u, struct module *m)
{
    uint32_t align = MIN_FRAME_ALIGN;
    uint64_t of_module = 0;
    place_variables(u, m);
    fill_images(u, m);
    for (uint32_t i = 0; i < u->locals.count; i++)
        of_module = place(u, u->locals.at[i], of_module, &align);
    for (struct ptx_function *f = u->functions; f; f = f->next) {
        if (f->is_entry)
            place_entry(u, f);
        else
            place_signature(u, &f->signature, &align);
        for (uint32_t i = 0; i < f->body.count; i++)
            if (f->body.at[i].form->lowering == LOW_CALL && f->body.at[i].operand_count == 4 &&
                (*f->body.at[i].operands[3].label)->kind == LABEL_PROTOTYPE)
                place_signature(u, (*f->body.at[i].operands[3].label)->prototype, &align);
        uint64_t end = f->is_entry ? of_module : f->signature.bytes;
        for (uint32_t i = 0; i < f->locals.count; i++)
            end = place(u, f->locals.at[i], end, &align);
        f->frame_bytes = (uint32_t)end;
    }
    for (struct ptx_function *f = u->functions; f; f = f->next) {
        f->frame_bytes = (uint32_t)align_up(f->frame_bytes, align);
        for (uint32_t i = 0; i < f->body.count; i++)
            if (f->body.at[i].form->lowering == LOW_CALL)
                bind_call(f, &f->body.at[i]);
    }
}
