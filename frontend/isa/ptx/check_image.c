/* The coordinates, levels, gradients and offsets of texture and surface instructions: PTX ISA "Texture Instructions",
 * "Surface Instructions", as ptxas takes them. What else these have is checked where they are lowered. */
#include "frontend/core/footprint.h"
#include "frontend/isa/ptx/check.h"

enum { COORDINATE_BITS = 32 };

struct image_checker {
    struct ptx_source *src;
    const struct ptx_function *function;
    const struct ptx_instruction *in;
};

/* What the elements of a vector are. One register of bits lets ptxas take the others for what belongs there. */
struct kinds {
    bool bits, floats, integers, integer_registers;
};

static enum ptx_type type_of(const struct image_checker *c, const struct ptx_operand *o)
{
    return (enum ptx_type)c->function->registers.at[o->reg].type;
}

static struct kinds kinds_of(const struct image_checker *c, const struct ptx_operand *e, uint32_t count)
{
    struct kinds k = {false, false, false, false};
    for (uint32_t i = 0; i < count; i++) {
        bool is_register = e[i].kind == PO_REGISTER;
        char kind = is_register ? ptx_types[type_of(c, &e[i])].kind : 0;
        if (!is_register && e[i].kind != PO_SPECIAL && (e[i].kind < PO_INTEGER || e[i].kind > PO_SINGLE))
            ptx_error(c->src, e[i].at, "a register or a number belongs here");
        if (is_register && ptx_types[type_of(c, &e[i])].bits != COORDINATE_BITS)
            ptx_error(c->src, e[i].at, "'%s' is .%s where 32 bits belong", c->function->registers.at[e[i].reg].name,
                      ptx_types[type_of(c, &e[i])].name);
        bool pair = is_register && type_of(c, &e[i]) == PT_F16X2;
        k.bits |= kind == 'B';
        k.floats |= (kind == 'F' && !pair) || e[i].kind == PO_FLOAT || e[i].kind == PO_SINGLE;
        k.integer_registers |= kind == 'U' || kind == 'S';
        k.integers |= kind == 'U' || kind == 'S' || pair || e[i].kind == PO_INTEGER;
    }
    return k;
}

/* Integers stand for floats where `lax` says so. */
static void check_elements(const struct image_checker *c, const struct ptx_operand *e, uint32_t count, bool floats,
                           bool lax)
{
    struct kinds k = kinds_of(c, e, count);
    if (k.bits)
        return;
    if (k.floats && k.integers)
        ptx_error(c->src, e->at, "a vector has floating-point numbers or integers, not both");
    if (floats ? k.integers && !(lax && k.integer_registers) : k.floats)
        ptx_error(c->src, e->at, "%s belong here", floats ? "floating-point numbers (.f32)" : "integers (.s32)");
}

static void check_scalar(const struct image_checker *c, const struct ptx_operand *o, bool floats)
{
    check_elements(c, o, 1, floats, false);
}

static void check_vector(const struct image_checker *c, const struct ptx_operand *o, bool floats, bool layered,
                         bool lax)
{
    if (o->kind != PO_VECTOR) {
        if (o->kind != PO_REGISTER)
            ptx_error(c->src, o->at, "a register, or a vector in braces, belongs here");
        check_scalar(c, o, floats);
        return;
    }
    if (o->count != 1 && o->count != 2 && o->count != 4)
        ptx_error(c->src, o->at, "a vector has 1, 2 or 4 elements, not %u; what is beyond the coordinates is not read",
                  o->count);
    struct kinds layer = kinds_of(c, o->elements, layered);
    if (layer.floats)
        ptx_error(c->src, o->elements->at, "the layer is an integer (.u32)");
    if (o->count > layered && !layer.bits)
        check_elements(c, o->elements + layered, o->count - layered, floats, lax);
}

/* A gradient has as many elements as there are dimensions, and 4 for 3. */
static void check_gradient(const struct image_checker *c, const struct ptx_operand *o)
{
    unsigned dimensions = (unsigned)mods_value(&c->in->mods, G_GEOMETRY, 0) & GEOMETRY_DIMENSIONS;
    unsigned wanted = dimensions == 3 ? 4 : dimensions;
    if (o->kind != PO_VECTOR || o->count != wanted)
        ptx_error(c->src, o->at, "a gradient is a vector of %u here", wanted);
    check_vector(c, o, true, false, false);
}

static void check_further(const struct image_checker *c, bool floats)
{
    const struct ptx_instruction *in = c->in;
    uint32_t next = 2;
    int level = mods_value(&in->mods, G_LOD, FETCH_BASE);
    if (level == FETCH_LOD && next < in->operand_count)
        check_scalar(c, &in->operands[next++], floats);
    for (int i = 0; level == FETCH_GRADIENT && i < 2 && next < in->operand_count; i++)
        check_gradient(c, &in->operands[next++]);
    if (next < in->operand_count && in->operands[next].kind == PO_VECTOR) /* offsets */
        check_vector(c, &in->operands[next], false, false, false);
}

void ptx_check_image(struct ptx_source *src, const struct ptx_function *function, const struct ptx_instruction *in)
{
    const struct image_checker c = {src, function, in};
    if (in->form->lowering == LOW_IMAGE_QUERY) {
        if (in->operand_count > 2)
            check_scalar(&c, &in->operands[2], false); /* the level */
        return;
    }
    bool texture = in->form->lowering == LOW_TEXTURE, stores = in->form->operands[0].role == 'x';
    const struct ptx_operand *a = &in->operands[stores ? 0 : 1];
    unsigned geometry = (unsigned)mods_value(&in->mods, G_GEOMETRY, 0);
    bool floats = texture && in->mods.types[1] == PT_F32;
    if (a->kind != PO_ADDRESS || a->count < 2)
        return;
    check_vector(&c, &a->elements[a->count - 1], floats, texture && (geometry & GEOMETRY_LAYERED), true);
    if (texture)
        check_further(&c, floats);
}
