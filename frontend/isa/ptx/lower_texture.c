/* tex, tld4, txq, suld, sust, sured, suq: PTX ISA "Texture Instructions", "Surface Instructions". */
#include <string.h>

#include "frontend/core/footprint.h"
#include "frontend/isa/ptx/lower.h"

/* ---- objects ----------------------------------------------------------------------------------------------------- */

/* The handle in a kernel parameter that is itself a reference. */
static struct operand parameter_handle(struct lowering *l, const struct ptx_variable *v)
{
    struct operation u = {.kind = UOP_MEMORY,
                          .type = T_B64,
                          .dtype = T_B64,
                          .stype = T_U64,
                          .flags = UF_SILENT,
                          .imm = (int64_t)v->offset};
    u.memory = (struct rp_memory_operand){.space = RP_SPACE_PARAM, .kind = RP_ACCESS_LOAD, .elements = 1, .width = 8};
    u.d = temporary(l, PT_B64);
    emit(l, u);
    return u.d;
}

/* The handle, or the address of a module's reference, in element n of the address. */
static struct operand handle(struct lowering *l, const struct ptx_operand *o, enum ptx_type reference, uint8_t *width)
{
    *width = T_U64;
    if (o->kind == PO_REGISTER) {
        unsigned bits = ptx_types[register_type(l, o)].bits;
        if ((bits != 64 && bits != l->unit->address_bits) || ptx_types[register_type(l, o)].kind == 'F')
            ptx_error(l->src, o->at, "a handle has 64 bits: a register is .u64");
        *width = bits == 32 ? T_U32 : T_U64;
        return register_operand(o->reg);
    }
    if (o->kind != PO_VARIABLE || !o->variable->is_opaque)
        ptx_error(l->src, o->at, "a reference or a handle in a register belongs here");
    if (o->variable->type != reference)
        ptx_error(l->src, o->at, "'%s' is a .%s where a .%s belongs", o->variable->name,
                  ptx_types[o->variable->type].name, ptx_types[reference].name);
    if (o->variable->is_entry_param)
        return parameter_handle(l, o->variable);
    if (o->variable->is_extern)
        ptx_error(l->src, o->at, "'%s' is declared .extern, and this module does not define it", o->variable->name);
    return constant(l, o->variable->offset, 8);
}

/* The address in brackets: the object and, with a sampler or coordinates, up to `most` parts. */
static const struct ptx_operand *object_address(struct lowering *l, const struct ptx_operand *o, uint32_t least,
                                                uint32_t most)
{
    if (o->kind == PO_ADDRESS && o->count >= least && o->count <= most && !o->value)
        return o;
    ptx_error(l->src, o->at, least > 1 ? "[object, coordinates] belongs here" : "[object] belongs here");
}

/* ---- inputs ------------------------------------------------------------------------------------------------------ */

struct inputs {
    struct operand at[16];
    uint32_t count;
};

static void add_input(struct lowering *l, struct inputs *in, const struct ptx_operand *o, enum ptx_type type)
{
    in->at[in->count++] = source(l, o, type);
}

/* The first `count` elements of a vector, which may have more: {x, y, z, unused}. A single one may stand without
 * braces. */
static const struct ptx_operand *elements(struct lowering *l, const struct ptx_operand *o, uint32_t count)
{
    uint32_t have = o->kind == PO_VECTOR ? o->count : 1;
    if (have < count)
        ptx_error(l->src, o->at, "%u value%s where %u belong", have, have == 1 ? "" : "s", count);
    return o->kind == PO_VECTOR ? o->elements : o;
}

static void add_vector(struct lowering *l, struct inputs *in, const struct ptx_operand *o, uint32_t count,
                       enum ptx_type type)
{
    const struct ptx_operand *e = elements(l, o, count);
    for (uint32_t i = 0; i < count; i++)
        add_input(l, in, &e[i], type);
}

/* Adds the layer, which is an integer, and the coordinates. */
static void add_coordinates(struct lowering *l, struct inputs *in, const struct ptx_operand *o, uint32_t dimensions,
                            bool layered, enum ptx_type type)
{
    const struct ptx_operand *e = elements(l, o, dimensions + layered);
    if (layered)
        add_input(l, in, e, PT_U32);
    for (uint32_t i = 0; i < dimensions; i++)
        add_input(l, in, &e[i + layered], type);
}

static struct operand_list input_list(struct lowering *l, const struct inputs *in)
{
    struct operand_list list = {ARENA_ARRAY(l->arena, struct operand, in->count + 1), in->count};
    memcpy(list.at, in->at, in->count * sizeof *in->at);
    return list;
}

/* ---- results ----------------------------------------------------------------------------------------------------- */

static void set_predicate(struct lowering *l, const struct ptx_operand *p)
{
    if (p->kind != PO_REGISTER)
        return;
    emit(l, (struct operation){.kind = UOP_LANE,
                               .op = OP_MOV,
                               .type = T_PRED,
                               .stype = T_PRED,
                               .d = register_operand(p->reg),
                               .a = constant(l, UINT32_MAX, 4)});
}

static void narrow_result(struct lowering *l, struct operand d, struct operand wide)
{
    emit(l, (struct operation){
                .kind = UOP_LANE, .op = OP_CVT, .type = T_F16, .stype = T_F32, .rounding = ROUND_N, .d = d, .a = wide});
}

/* Four words, or temporaries that finish_results() converts to 16-bit numbers. */
static struct operand_list results(struct lowering *l, const struct ptx_operand *d, bool narrow)
{
    struct operand_list list = {ARENA_ARRAY(l->arena, struct operand, 4), 4};
    for (uint32_t i = 0; i < 4; i++) {
        const struct ptx_operand *e = !narrow ? &d->elements[i] : NULL;
        list.at[i] = narrow ? temporary(l, PT_F32) : e->kind == PO_REGISTER ? register_operand(e->reg) : OPERAND_NONE;
    }
    return list;
}

static void finish_results(struct lowering *l, const struct ptx_operand *d, enum ptx_type type,
                           const struct operand_list *wide)
{
    for (uint32_t i = 0; type == PT_F16 && i < d->count; i++)
        if (d->elements[i].kind == PO_REGISTER)
            narrow_result(l, register_operand(d->elements[i].reg), wide->at[i]);
    for (uint32_t i = 0; type == PT_F16X2 && i < d->count; i++) {
        struct operation pack = {.kind = UOP_LANE, .op = OP_PACK, .type = T_B32, .stype = T_B16};
        if (d->elements[i].kind != PO_REGISTER)
            continue;
        pack.lists[0] = (struct operand_list){ARENA_ARRAY(l->arena, struct operand, 2), 2};
        for (uint32_t half = 0; half < 2; half++) {
            pack.lists[0].at[half] = temporary(l, PT_F16);
            narrow_result(l, pack.lists[0].at[half], wide->at[2 * i + half]);
        }
        pack.d = register_operand(d->elements[i].reg);
        emit(l, pack);
    }
}

/* ---- tex, tld4 --------------------------------------------------------------------------------------------------- */

static struct fetch fetch_of(const struct ptx_instruction *in)
{
    const struct ptx_modifiers *mods = &in->mods;
    unsigned geometry = (unsigned)mods_value(mods, G_GEOMETRY, 0);
    bool gathers = mods_have(mods, M_GREEN) || mods_have(mods, M_R) || mods_have(mods, M_FRAGMENT_A) ||
                   mods_have(mods, M_FRAGMENT_B);
    struct fetch f = {.kind = gathers ? FETCH_GATHER : mods->types[1] == PT_S32 ? FETCH_TEXEL : FETCH_FILTER};
    f.level = (uint8_t)mods_value(mods, G_LOD, FETCH_BASE);
    f.dimensions = geometry & GEOMETRY_DIMENSIONS;
    f.layered = geometry & GEOMETRY_LAYERED;
    f.cube = geometry & GEOMETRY_CUBE;
    f.component = mods_have(mods, M_GREEN)        ? 1
                  : mods_have(mods, M_FRAGMENT_B) ? 2
                  : mods_have(mods, M_FRAGMENT_A) ? 3
                                                  : 0;
    return f;
}

/* Adds what follows the coordinates: the level or two gradients, then an offset in texels. */
static void add_further(struct lowering *l, struct fetch *f, struct inputs *inputs)
{
    const struct ptx_instruction *in = l->in;
    uint32_t needed = f->level == FETCH_GRADIENT ? 2 : f->level == FETCH_LOD, next = 2;
    if (in->operand_count < next + needed)
        ptx_error(l->src, in->at, needed == 2 ? "two gradients are missing" : "the level is missing");
    for (uint32_t i = 0; i < needed; i++)
        add_vector(l, inputs, &in->operands[next++], needed == 2 ? f->dimensions : 1,
                   f->kind == FETCH_TEXEL ? PT_S32 : PT_F32);
    if (next == in->operand_count)
        return;
    const struct ptx_operand *o = &in->operands[next++];
    bool depth = o->kind == PO_SINGLE || o->kind == PO_FLOAT ||
                 (o->kind == PO_REGISTER && ptx_types[register_type(l, o)].kind == 'F');
    if (depth || next < in->operand_count)
        not_covered(l, depth ? o->at : in->operands[next].at, "a comparison with a depth");
    if (f->cube)
        ptx_error(l->src, o->at, "a cube takes no offsets");
    f->has_offset = true;
    add_vector(l, inputs, o, f->dimensions, PT_S32);
}

static void add_texels(struct lowering *l, const struct fetch *f, struct rp_memory_operand m)
{
    for (uint32_t i = 0; i < fetch_texels(f); i++)
        VECTOR_PUSH(l->arena, &l->memory, m);
}

void lower_texture(struct lowering *l)
{
    const struct ptx_instruction *in = l->in;
    bool pair = in->operands[0].kind == PO_PAIR;
    const struct ptx_operand *d = pair ? &in->operands[0].elements[0] : &in->operands[0];
    const struct ptx_operand *a = object_address(l, &in->operands[1], 2, 3);
    enum ptx_type type = (enum ptx_type)in->mods.types[0];
    bool narrow = type == PT_F16 || type == PT_F16X2;
    struct fetch f = fetch_of(in);
    struct inputs inputs = {.count = 0};
    struct operation u = {.kind = UOP_MEMORY, .op = OP_TEXTURE, .type = T_B32};
    if (d->kind != PO_VECTOR)
        ptx_error(l->src, d->at, "a vector belongs here");
    u.a = handle(l, &a->elements[0], PT_TEXREF, &u.stype);
    uint8_t width = u.stype;
    if (a->count == 3)
        u.b = handle(l, &a->elements[1], PT_SAMPLERREF, &width);
    if (width != u.stype)
        ptx_error(l->src, a->at, "handles of different widths");
    add_coordinates(l, &inputs, &a->elements[a->count - 1], f.dimensions, f.layered,
                    f.kind == FETCH_TEXEL ? PT_S32 : PT_F32);
    add_further(l, &f, &inputs);
    u.lists[0] = results(l, d, narrow);
    u.lists[1] = input_list(l, &inputs);
    memcpy(&u.imm, &f, sizeof u.imm);
    u.memory = (struct rp_memory_operand){.space = RP_SPACE_TEXTURE, .kind = RP_ACCESS_LOAD, .elements = 1, .width = 1};
    add_texels(l, &f, u.memory);
    emit(l, u);
    finish_results(l, d, type, &u.lists[0]);
    if (pair)
        set_predicate(l, &in->operands[0].elements[1]);
}

/* ---- txq, suq ---------------------------------------------------------------------------------------------------- */

void lower_image_query(struct lowering *l)
{
    const struct ptx_instruction *in = l->in;
    bool surface = !strcmp(in->form->opcode, "suq");
    const struct ptx_operand *a = object_address(l, &in->operands[1], 1, 1);
    int query = mods_value(&in->mods, G_QUERY, QUERY_WIDTH);
    bool sampler = query >= QUERY_FILTER && query <= QUERY_ADDRESS_Z && a->elements[0].kind == PO_VARIABLE &&
                   a->elements[0].variable->type == PT_SAMPLERREF;
    struct operation u = {.kind = UOP_MEMORY, .op = OP_IMAGE_QUERY, .type = T_U32, .dtype = T_U32, .imm = query};
    u.memory = (struct rp_memory_operand){
        .space = surface ? RP_SPACE_SURFACE : RP_SPACE_TEXTURE, .kind = RP_ACCESS_LOAD, .elements = 1, .width = 4};
    u.a = handle(l, &a->elements[0], surface ? PT_SURFREF : sampler ? PT_SAMPLERREF : PT_TEXREF, &u.stype);
    if (in->operand_count > 2)
        u.b = source(l, &in->operands[2], PT_U32);
    u.d = destination(l, &in->operands[0], PT_B32);
    emit(l, u);
    finish_destination(l, &in->operands[0], PT_B32, u.d);
}

/* ---- surfaces ---------------------------------------------------------------------------------------------------- */

static struct surface_access surface_of(const struct ptx_instruction *in)
{
    unsigned geometry = (unsigned)mods_value(&in->mods, G_GEOMETRY, 0);
    struct surface_access s = {.dimensions = geometry & GEOMETRY_DIMENSIONS, .layered = geometry & GEOMETRY_LAYERED};
    s.clamp = mods_have(&in->mods, M_ZERO)    ? SURFACE_ZERO
              : mods_have(&in->mods, M_CLAMP) ? SURFACE_CLAMP
                                              : SURFACE_TRAP;
    s.texels = mods_have(&in->mods, M_FORMATTED);
    return s;
}

/* The operation without the values to store. */
static struct operation surface_operation(struct lowering *l, enum lane_op op, uint8_t kind,
                                          const struct ptx_operand *address, enum ptx_type type)
{
    const struct ptx_operand *a = object_address(l, address, 2, 2);
    struct surface_access s = surface_of(l->in);
    struct inputs inputs = {.count = 0};
    struct operation u = {.kind = UOP_MEMORY, .op = (uint8_t)op, .type = ptx_types[type].lane};
    s.by_format = s.texels && kind == RP_ACCESS_REDUCTION;
    u.memory = memory_operand(l->in, kind, type, (uint32_t)mods_value(&l->in->mods, G_VECTOR, 1));
    u.memory.space = RP_SPACE_SURFACE;
    u.memory.width = op == OP_SURFACE_TEXEL ? 1 : u.memory.width;
    u.a = handle(l, &a->elements[0], PT_SURFREF, &u.stype);
    add_coordinates(l, &inputs, &a->elements[1], s.dimensions, s.layered, PT_S32);
    u.lists[1] = input_list(l, &inputs);
    memcpy(&u.imm, &s, sizeof u.imm);
    return u;
}

static const struct ptx_operand *values_of(struct lowering *l, const struct ptx_operand *o, uint32_t count)
{
    uint32_t have = o->kind == PO_VECTOR ? o->count : 1;
    if (have != count)
        ptx_error(l->src, o->at, "%u value%s where %u belong%s", have, have == 1 ? "" : "s", count,
                  count == 1 ? "s" : "");
    return o->kind == PO_VECTOR ? o->elements : o;
}

void lower_surface_load(struct lowering *l)
{
    const struct ptx_instruction *in = l->in;
    enum ptx_type type = (enum ptx_type)in->mods.types[0];
    struct operation u = surface_operation(l, OP_SURFACE, RP_ACCESS_LOAD, &in->operands[1], type);
    uint32_t count = u.memory.elements;
    const struct ptx_operand *d = values_of(l, &in->operands[0], count);
    unsigned bytes = common_width(l, d, count);
    u.dtype = register_form(type, bytes ? bytes : element_bytes(type));
    u.lists[0] = (struct operand_list){ARENA_ARRAY(l->arena, struct operand, count), count};
    for (uint32_t i = 0; i < count; i++) {
        if (!bytes && d[i].kind == PO_REGISTER)
            not_covered(l, d[i].at, "a vector of registers of different widths");
        u.lists[0].at[i] = d[i].kind == PO_REGISTER ? register_operand(d[i].reg) : OPERAND_NONE;
    }
    finish_access(l, &u);
}

void lower_surface_store(struct lowering *l)
{
    const struct ptx_instruction *in = l->in;
    enum ptx_type type = (enum ptx_type)in->mods.types[0];
    enum lane_op op = (enum lane_op)in->form->op;
    struct operation u = surface_operation(l, op, RP_ACCESS_STORE, &in->operands[0], type);
    uint32_t count = u.memory.elements;
    const struct ptx_operand *a = values_of(l, &in->operands[1], count);
    unsigned bytes = op == OP_SURFACE ? common_width(l, a, count) : 0;
    u.dtype = register_form(type, bytes ? bytes : element_bytes(type));
    u.lists[0] = (struct operand_list){ARENA_ARRAY(l->arena, struct operand, count), count};
    for (uint32_t i = 0; i < count; i++)
        u.lists[0].at[i] = bytes ? register_operand(a[i].reg) : source(l, &a[i], type);
    finish_access(l, &u);
}

/* .p takes bits: additions treat them as integers, comparisons as elements of the surface. */
void lower_surface_reduce(struct lowering *l)
{
    const struct ptx_instruction *in = l->in;
    enum ptx_type type = (enum ptx_type)in->mods.types[0];
    enum rp_atomic what = (enum rp_atomic)mods_value(&in->mods, G_OPERATION, RP_ATOMIC_ADD);
    struct operation u = surface_operation(l, OP_SURFACE, RP_ACCESS_REDUCTION, &in->operands[0], type);
    if (type == PT_B32 && what != RP_ATOMIC_AND && what != RP_ATOMIC_OR)
        u.type = T_U32;
    u.dtype = u.type;
    u.b = source(l, &in->operands[1], type);
    finish_access(l, &u);
}
