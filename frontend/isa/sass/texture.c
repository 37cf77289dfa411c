#include "frontend/isa/sass/texture.h"

#include <string.h>

/* ---- inputs ------------------------------------------------------------------------------------------------------ */

struct operand sass_take(struct sass_lowering *l, unsigned *group)
{
    struct operand o = read_register(&l->b, *group);
    *group += *group != RZ;
    return o;
}

void sass_take_inputs(struct sass_lowering *l, struct sass_inputs *in, unsigned *group, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        in->at[in->count++] = sass_take(l, group);
}

void sass_take_offsets(struct sass_lowering *l, struct sass_inputs *in, const struct fetch *f, struct operand word,
                       unsigned at)
{
    enum { STEP = 4, GATHER_STEP = 8 };
    const unsigned step = f->kind == FETCH_GATHER ? GATHER_STEP : STEP;
    const unsigned width = f->kind == FETCH_GATHER ? 6 : STEP; /* the widths that ptxas uses */
    for (unsigned i = 0; f->has_offset && i < f->dimensions; i++)
        in->at[in->count++] = sass_part_of(l, word, true, at + i * step, width);
}

void sass_take_gradients(struct sass_lowering *l, struct sass_inputs *in, const struct fetch *f, unsigned first,
                         unsigned second)
{
    enum { LAYER_BITS = 16 };
    struct sass_inputs gradients = {.count = 0};
    struct operand coordinates[3] = {OPERAND_NONE}, word = OPERAND_NONE;
    for (unsigned i = 0; i < f->dimensions; i++)
        coordinates[i] = sass_take(l, &first);
    if (f->layered || f->has_offset)
        word = sass_take(l, &first);
    if (f->layered)
        in->at[in->count++] = sass_part_of(l, word, false, 0, LAYER_BITS);
    for (unsigned i = 0; i < f->dimensions; i++)
        in->at[in->count++] = coordinates[i];
    sass_take_inputs(l, &gradients, &second, 2u * f->dimensions);
    for (unsigned i = 0; i < 2u * f->dimensions; i++)
        in->at[in->count++] = gradients.at[i % f->dimensions * 2 + i / f->dimensions];
    sass_take_offsets(l, in, f, word, LAYER_BITS);
}

static struct operand_list list_of(struct sass_lowering *l, const struct sass_inputs *in)
{
    struct operand_list list = {ARENA_ARRAY(l->b.arena, struct operand, in->count + 1), in->count};
    memcpy(list.at, in->at, in->count * sizeof *in->at);
    return list;
}

/* ---- handles ----------------------------------------------------------------------------------------------------- */

void sass_set_static_handle(struct sass_lowering *l, struct operation *u, uint32_t offset)
{
    u->stype = T_U32;
    u->a = bank_word(&l->b, 0, offset);
}

/* ---- fetches ----------------------------------------------------------------------------------------------------- */

struct fetch sass_fetch(struct sass_lowering *l, enum fetch_kind kind, unsigned dimension, bool layered)
{
    enum { DIMENSION_3D = 2, DIMENSION_CUBE = 3 };
    struct fetch f = {.kind = (uint8_t)kind, .layered = layered, .cube = dimension == DIMENSION_CUBE};
    f.dimensions = (uint8_t)(f.cube ? 3 : dimension + 1);
    if (layered && dimension == DIMENSION_3D)
        sass_not_covered(l, "a layered 3D texture");
    return f;
}

struct operation sass_begin_fetch(void)
{
    struct operation u = {.kind = UOP_MEMORY, .op = OP_TEXTURE, .type = T_B32};
    u.memory = (struct rp_memory_operand){.space = RP_SPACE_TEXTURE, .kind = RP_ACCESS_LOAD, .elements = 1, .width = 1};
    return u;
}

void sass_end_fetch(struct sass_lowering *l, struct operation *u, const struct fetch *f, const struct sass_inputs *in)
{
    u->lists[1] = list_of(l, in);
    memcpy(&u->imm, f, sizeof u->imm);
    sass_add_operands(l, u->memory, fetch_texels(f));
}

/* ---- results ----------------------------------------------------------------------------------------------------- */

static struct operand narrowed(struct sass_lowering *l, struct operand wide, bool truncates)
{
    struct operation u = {.op = OP_CVT, .type = T_F16, .stype = T_F32, .a = wide};
    u.rounding = truncates ? ROUND_Z : ROUND_N;
    return sass_value_of(l, u);
}

static void write_halves(struct sass_lowering *l, const struct operand returned[], unsigned count,
                         const unsigned registers[SASS_CHANNELS], bool truncates)
{
    for (unsigned i = 0; i < count; i += 2) {
        struct operand low = narrowed(l, returned[i], truncates);
        struct operand high = narrowed(l, i + 1 < count ? returned[i + 1] : constant32(&l->b, 0), truncates);
        sass_store_halves(l, written(&l->b, registers[i]), low, high);
    }
}

void sass_set_results(struct sass_lowering *l, struct operation *u, unsigned mask,
                      const unsigned registers[SASS_CHANNELS])
{
    unsigned count = 0;
    u->lists[0] = (struct operand_list){ARENA_ARRAY(l->b.arena, struct operand, SASS_CHANNELS), SASS_CHANNELS};
    for (unsigned c = 0; c < SASS_CHANNELS; c++)
        u->lists[0].at[c] = mask >> c & 1 ? written(&l->b, registers[count++]) : OPERAND_NONE;
}

static void emit_halves(struct sass_lowering *l, struct operation *u, unsigned mask,
                        const unsigned registers[SASS_CHANNELS], bool truncates)
{
    struct operand returned[SASS_CHANNELS];
    unsigned count = 0;
    u->lists[0] = (struct operand_list){ARENA_ARRAY(l->b.arena, struct operand, SASS_CHANNELS), SASS_CHANNELS};
    for (unsigned c = 0; c < SASS_CHANNELS; c++) {
        u->lists[0].at[c] = mask >> c & 1 ? sass_temporary(&l->b) : OPERAND_NONE;
        if (mask >> c & 1)
            returned[count++] = u->lists[0].at[c];
    }
    sass_emit(&l->b, *u);
    write_halves(l, returned, count, registers, truncates);
}

void sass_emit_fetch(struct sass_lowering *l, struct operation *u, unsigned mask,
                     const unsigned registers[SASS_CHANNELS], enum sass_precision precision)
{
    if (precision != SASS_WORDS) {
        emit_halves(l, u, mask, registers, precision == SASS_HALVES_TRUNCATED);
        return;
    }
    sass_set_results(l, u, mask, registers);
    sass_emit(&l->b, *u);
}

void sass_write_residency(struct sass_lowering *l, unsigned predicate_at)
{
    struct operand pd = written_predicate(l, predicate_at);
    if (is_register(pd))
        sass_emit(&l->b, (struct operation){
                             .kind = UOP_LANE, .op = OP_MOV, .type = T_PRED, .d = pd, .a = constant32(&l->b, 0)});
}

void sass_query_extents(struct sass_lowering *l, struct operation *u, struct operand level, unsigned mask,
                        const unsigned registers[SASS_CHANNELS])
{
    struct operand extents[3];
    unsigned count = 0;
    u->kind = UOP_MEMORY;
    u->op = OP_IMAGE_QUERY;
    u->type = u->dtype = T_U32;
    u->memory =
        (struct rp_memory_operand){.space = RP_SPACE_GENERIC, .kind = RP_ACCESS_LOAD, .elements = 1, .width = 4};
    u->b = level;
    for (unsigned i = 0; i < 3; i++) {
        u->imm = QUERY_WIDTH + (int)i;
        u->d = extents[i] = sass_temporary(&l->b);
        sass_emit(&l->b, *u);
    }
    for (unsigned i = 0; i < 3; i++)
        if (mask >> i & 1)
            move32(&l->b, written(&l->b, registers[count++]), extents[i]);
}

/* ---- surfaces ---------------------------------------------------------------------------------------------------- */

void sass_set_surface(struct sass_lowering *l, struct operation *u, struct surface_access *s, unsigned dimension,
                      unsigned clamp, unsigned group)
{
    static const uint8_t dimensions[8] = {1, 1, 1, 2, 2, 3}, clamps[4] = {SURFACE_ZERO, SURFACE_CLAMP, SURFACE_TRAP};
    struct sass_inputs in = {.count = 0};
    struct operand at[4] = {OPERAND_NONE};
    if (!dimensions[dimension] || clamp > 2)
        sass_not_covered(l, "this kind of surface");
    s->dimensions = dimensions[dimension];
    s->layered = dimension == 2 || dimension == 4;
    s->clamp = clamps[clamp];
    u->memory.space = RP_SPACE_SURFACE;
    for (unsigned i = 0; i < s->dimensions + (unsigned)s->layered; i++)
        at[i] = sass_take(l, &group);
    if (s->layered)
        in.at[in.count++] = at[s->dimensions];
    for (unsigned i = 0; i < s->dimensions; i++)
        in.at[in.count++] = at[i];
    u->lists[1] = list_of(l, &in);
    memcpy(&u->imm, s, sizeof u->imm);
}

void sass_set_channels(struct sass_lowering *l, struct operation *u, unsigned mask, unsigned group)
{
    u->lists[0] = (struct operand_list){ARENA_ARRAY(l->b.arena, struct operand, SASS_CHANNELS), SASS_CHANNELS};
    for (unsigned c = 0; c < SASS_CHANNELS; c++)
        u->lists[0].at[c] = mask >> c & 1 ? sass_take(l, &group) : constant32(&l->b, 0);
}

struct operation sass_formatted_access(bool store)
{
    struct operation u = {.kind = UOP_MEMORY, .op = OP_SURFACE_TEXEL, .type = T_B32, .dtype = T_B32};
    u.memory = (struct rp_memory_operand){.kind = store ? RP_ACCESS_STORE : RP_ACCESS_LOAD, .elements = 1, .width = 1};
    return u;
}

struct operation sass_surface_reduction(struct sass_lowering *l, unsigned operation, unsigned type,
                                        struct surface_access *s)
{
    enum { SD32 = 6, AS_FORMAT_SAYS = SD32 };
    static const uint8_t types[8] = {T_U32, T_S32, T_U64, T_NONE, T_NONE, T_S64, [SD32] = T_U32, T_U64};
    if (types[type] == T_NONE || operation >= SASS_ATOMICS)
        sass_not_covered(l, "this type");
    struct operation u =
        sass_atomic(l, RP_SPACE_SURFACE, (enum rp_atomic)sass_atomics[operation], (enum lane_type)types[type]);
    u.op = OP_SURFACE;
    u.memory.kind = RP_ACCESS_REDUCTION;
    s->by_format = type >= AS_FORMAT_SAYS;
    return u;
}
