/* Textures and surfaces. The inputs of a texture instruction are in two groups of consecutive registers: from Ra on the
 * layer and the coordinates; from Rb on the handle (of a .B form), the level and the offsets. The short forms, TEXS,
 * TLDS and TLD4S, have at most two registers in each group. */
#include <string.h>

#include "frontend/core/footprint.h"
#include "frontend/isa/sass5x/lower.h"

enum { RA = 8, RB = 20, SECOND = 28, DIMENSION_3D = 2, DIMENSION_CUBE = 3, OFFSET_BITS = 4, GATHER_OFFSET_BITS = 8 };

/* ---- inputs ------------------------------------------------------------------------------------------------------ */

struct inputs {
    struct operand at[16];
    uint32_t count;
};

/* Takes the next register of a group. */
static struct operand take(struct sass_lowering *l, unsigned *group)
{
    struct operand o = read_register(&l->b, *group);
    *group += *group != RZ;
    return o;
}

static void take_inputs(struct sass_lowering *l, struct inputs *in, unsigned *group, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        in->at[in->count++] = take(l, group);
}

static struct operand field_of(struct sass_lowering *l, struct operand word, enum lane_type type, unsigned at,
                               unsigned width)
{
    struct operation u = {.kind = UOP_LANE, .op = OP_BFE, .type = (uint8_t)type, .a = word};
    u.b = constant32(&l->b, at);
    u.c = constant32(&l->b, width);
    u.d = sass_temporary(&l->b);
    sass_emit(&l->b, u);
    return u.d;
}

/* Takes offsets in texels, which are fields of one word from bit `at` on. */
static void take_offsets(struct sass_lowering *l, struct inputs *in, const struct fetch *f, struct operand word,
                         unsigned at)
{
    const unsigned step = f->kind == FETCH_GATHER ? GATHER_OFFSET_BITS : OFFSET_BITS;
    const unsigned width = f->kind == FETCH_GATHER ? 6 : OFFSET_BITS; /* the widths that ptxas uses */
    for (unsigned i = 0; f->has_offset && i < f->dimensions; i++)
        in->at[in->count++] = field_of(l, word, T_S32, at + i * step, width);
}

static struct operand_list list_of(struct sass_lowering *l, const struct inputs *in)
{
    struct operand_list list = {ARENA_ARRAY(l->b.arena, struct operand, in->count + 1), in->count};
    memcpy(list.at, in->at, in->count * sizeof *in->at);
    return list;
}

/* ---- handles ----------------------------------------------------------------------------------------------------- */

/* The reference whose handle the loader stores in this word of the kernel's constant bank 0; NULL: the word is a
 * parameter. */
static const struct cubin_relocation *reference_at(const struct sass_lowering *l, uint32_t offset)
{
    static const char bank[] = ".nv.constant0.";
    for (uint32_t i = 0; i < l->cubin->relocation_count; i++) {
        const struct cubin_relocation *r = &l->cubin->relocations[i];
        bool image = r->patch == CUBIN_PATCH_TEXTURE || r->patch == CUBIN_PATCH_SURFACE;
        if (image && r->offset == offset && !strncmp(r->from, bank, sizeof bank - 1) &&
            !strcmp(r->from + sizeof bank - 1, l->b.kernel->name))
            return r;
    }
    return NULL;
}

static void set_static_handle(struct sass_lowering *l, struct operation *u)
{
    const uint32_t offset = 4 * bits(l, 36, 13);
    const struct cubin_relocation *r = reference_at(l, offset);
    u->stype = T_U32;
    if (!r) {
        u->a = bank_word(&l->b, 0, offset);
        return;
    }
    u->stype = T_U64;
    for (uint32_t i = 0; i < l->module->reference_count; i++)
        if (!strcmp(l->module->references[i].name, r->symbol))
            u->a = constant64(&l->b, l->references + i * (uint64_t)REFERENCE_STEP);
}

/* Sets the handle. In a .B form it is the first register of the group. */
static void set_handle(struct sass_lowering *l, struct operation *u, bool bindless, unsigned *group)
{
    if (!bindless) {
        set_static_handle(l, u);
        return;
    }
    u->stype = T_U32;
    u->a = take(l, group);
}

/* ---- results ----------------------------------------------------------------------------------------------------- */

/* Consecutive registers, one for each bit of the mask. */
static struct operand_list masked_results(struct sass_lowering *l, unsigned mask)
{
    unsigned next = bits(l, 0, 8);
    struct operand_list list = {ARENA_ARRAY(l->b.arena, struct operand, 4), 4};
    for (unsigned c = 0; c < 4; c++) {
        list.at[c] = mask >> c & 1 ? written(&l->b, next) : OPERAND_NONE;
        next += (mask >> c & 1) && next != RZ;
    }
    return list;
}

/* The components that a short form returns: two in Rd and the register after it, two in the second register and the one
 * after that. */
static unsigned short_components(struct sass_lowering *l, uint8_t components[4])
{
    static const uint8_t few[8][2] = {{0}, {1}, {2}, {3}, {0, 1}, {0, 3}, {1, 3}, {2, 3}};
    static const uint8_t many[5][4] = {{0, 1, 2}, {0, 1, 3}, {0, 2, 3}, {1, 2, 3}, {0, 1, 2, 3}};
    const unsigned code = bits(l, 50, 3), second = bits(l, SECOND, 8);
    if (second != RZ && code > 4)
        sass_not_covered(l, "this set of components");
    memcpy(components, second == RZ ? few[code] : many[code], second == RZ ? 2 : 4);
    return second == RZ ? code < 4 ? 1 : 2 : code < 4 ? 3 : 4;
}

static unsigned short_register(const struct sass_lowering *l, unsigned i)
{
    const unsigned n = bits(l, i < 2 ? 0 : SECOND, 8);
    return n == RZ ? RZ : n + i % 2;
}

static struct operand narrowed(struct sass_lowering *l, struct operand wide, bool truncates)
{
    struct operation u = {.kind = UOP_LANE, .op = OP_CVT, .type = T_F16, .stype = T_F32, .a = wide};
    u.rounding = truncates ? ROUND_Z : ROUND_N;
    u.d = sass_temporary(&l->b);
    sass_emit(&l->b, u);
    return u.d;
}

/* Writes two components as f16 into one register. */
static void write_halves(struct sass_lowering *l, unsigned n, struct operand low, struct operand high, bool truncates)
{
    struct operation pack = {.kind = UOP_LANE, .op = OP_PACK, .type = T_B32, .stype = T_B16};
    pack.lists[0] = (struct operand_list){ARENA_ARRAY(l->b.arena, struct operand, 2), 2};
    pack.lists[0].at[0] = narrowed(l, low, truncates);
    pack.lists[0].at[1] = narrowed(l, high, truncates);
    pack.d = written(&l->b, n);
    sass_emit(&l->b, pack);
}

enum precision { SINGLE, HALF, HALF_TRUNCATED };

static void emit_short(struct sass_lowering *l, struct operation *u, const uint8_t components[4], unsigned count,
                       enum precision precision)
{
    u->lists[0] = (struct operand_list){ARENA_ARRAY(l->b.arena, struct operand, 4), 4};
    for (unsigned i = 0; i < count && precision == SINGLE; i++)
        u->lists[0].at[components[i]] = written(&l->b, short_register(l, i));
    for (unsigned i = 0; i < 4 && precision != SINGLE; i++)
        u->lists[0].at[i] = sass_temporary(&l->b);
    sass_emit(&l->b, *u);
    for (unsigned i = 0; i < count && precision != SINGLE; i += 2) {
        struct operand high = i + 1 < count ? u->lists[0].at[components[i + 1]] : constant32(&l->b, 0);
        write_halves(l, bits(l, i ? SECOND : 0, 8), u->lists[0].at[components[i]], high, precision == HALF_TRUNCATED);
    }
}

/* ---- fetches ----------------------------------------------------------------------------------------------------- */

static struct operation begin_fetch(void)
{
    struct operation u = {.kind = UOP_MEMORY, .op = OP_TEXTURE, .type = T_B32};
    u.memory = (struct rp_memory_operand){.space = RP_SPACE_TEXTURE, .kind = RP_ACCESS_LOAD, .elements = 1, .width = 1};
    return u;
}

static void end_fetch(struct sass_lowering *l, struct operation *u, const struct fetch *f, const struct inputs *in)
{
    u->lists[1] = list_of(l, in);
    memcpy(&u->imm, f, sizeof u->imm);
    sass_add_operands(l, u->memory, fetch_texels(f));
}

static struct fetch shape_of(struct sass_lowering *l, enum fetch_kind kind)
{
    const unsigned dimension = bits(l, 29, 2);
    struct fetch f = {.kind = (uint8_t)kind, .layered = bit(l, 28), .cube = dimension == DIMENSION_CUBE};
    f.dimensions = (uint8_t)(dimension == DIMENSION_CUBE ? 3 : dimension + 1);
    if (f.layered && dimension == DIMENSION_3D)
        sass_not_covered(l, "a layered 3D texture");
    return f;
}

static void refuse_predicate(struct sass_lowering *l)
{
    if (bits(l, 51, 3) != PT)
        sass_not_covered(l, "the predicate");
}

/* Takes what follows the handle in the second group: the level, then the offsets. */
static void finish_long(struct sass_lowering *l, struct fetch *f, struct inputs *in, unsigned *group,
                        struct operation *u)
{
    if (f->level == FETCH_LOD)
        take_inputs(l, in, group, 1);
    if (f->has_offset)
        take_offsets(l, in, f, take(l, group), 0);
    end_fetch(l, u, f, in);
    u->lists[0] = masked_results(l, bits(l, 31, 4));
    sass_emit(&l->b, *u);
}

static void lower_long(struct sass_lowering *l, struct fetch f, bool bindless)
{
    struct operation u = begin_fetch();
    struct inputs in = {.count = 0};
    unsigned coordinates = bits(l, RA, 8), further = bits(l, RB, 8);
    refuse_predicate(l);
    set_handle(l, &u, bindless, &further);
    take_inputs(l, &in, &coordinates, f.dimensions + f.layered);
    finish_long(l, &f, &in, &further, &u);
}

static void lower_tex_form(struct sass_lowering *l, bool bindless)
{
    enum { NONE, LZ, LB, LL };
    const unsigned level = bits(l, bindless ? 37 : 55, 3);
    struct fetch f = shape_of(l, FETCH_FILTER);
    if (level > LL || level == LB || bit(l, bindless ? 40 : 58))
        sass_not_covered(l, "this way to choose a level");
    if (bit(l, 50))
        sass_not_covered(l, "a comparison with a depth");
    if (bit(l, 35))
        sass_not_covered(l, "a level that follows from neighbouring lanes");
    f.level = level == LL ? FETCH_LOD : FETCH_BASE;
    f.has_offset = bit(l, bindless ? 36 : 54);
    lower_long(l, f, bindless);
}
static void lower_tex(struct sass_lowering *l) { lower_tex_form(l, false); }
static void lower_tex_b(struct sass_lowering *l) { lower_tex_form(l, true); }

static void lower_tld_form(struct sass_lowering *l, bool bindless)
{
    struct fetch f = shape_of(l, FETCH_TEXEL);
    if (bit(l, 50))
        sass_not_covered(l, "a multisampled texture");
    f.level = bit(l, 55) ? FETCH_LOD : FETCH_BASE;
    f.has_offset = bit(l, 35);
    lower_long(l, f, bindless);
}
static void lower_tld(struct sass_lowering *l) { lower_tld_form(l, false); }
static void lower_tld_b(struct sass_lowering *l) { lower_tld_form(l, true); }

static void lower_tld4(struct sass_lowering *l)
{
    const bool bindless = l->row->value == 0xdec0;
    const unsigned offset = bits(l, bindless ? 36 : 54, 2);
    struct fetch f = shape_of(l, FETCH_GATHER);
    if (bit(l, 50) || offset > 1)
        sass_not_covered(l, offset > 1 ? "an offset for each texel" : "a comparison with a depth");
    f.component = (uint8_t)bits(l, bindless ? 38 : 56, 2);
    f.has_offset = offset;
    lower_long(l, f, bindless);
}

/* After the coordinates comes one word with the layer and, above it, the offsets. Then come the gradients, one
 * coordinate after another. */
static void lower_txd_form(struct sass_lowering *l, bool bindless)
{
    enum { LAYER_BITS = 16 };
    struct fetch f = shape_of(l, FETCH_FILTER);
    struct operation u = begin_fetch();
    struct inputs in = {.count = 0}, gradients = {.count = 0};
    struct operand coordinates[3] = {OPERAND_NONE}, word = OPERAND_NONE;
    unsigned group = bits(l, RA, 8), second = bits(l, RB, 8);
    refuse_predicate(l);
    if (bit(l, 50) || f.dimensions > 2)
        sass_not_covered(l, "this way to choose a level");
    f.level = FETCH_GRADIENT;
    f.has_offset = bit(l, 35);
    set_handle(l, &u, bindless, &group);
    for (unsigned i = 0; i < f.dimensions; i++)
        coordinates[i] = take(l, &group);
    if (f.layered || f.has_offset)
        word = take(l, &group);
    if (f.layered)
        in.at[in.count++] = field_of(l, word, T_U32, 0, LAYER_BITS);
    for (unsigned i = 0; i < f.dimensions; i++)
        in.at[in.count++] = coordinates[i];
    take_inputs(l, &gradients, &second, 2u * f.dimensions);
    for (unsigned i = 0; i < 2u * f.dimensions; i++)
        in.at[in.count++] = gradients.at[i % f.dimensions * 2 + i / f.dimensions];
    take_offsets(l, &in, &f, word, LAYER_BITS);
    end_fetch(l, &u, &f, &in);
    u.lists[0] = masked_results(l, bits(l, 31, 4));
    sass_emit(&l->b, u);
}
static void lower_txd(struct sass_lowering *l) { lower_txd_form(l, false); }
static void lower_txd_b(struct sass_lowering *l) { lower_txd_form(l, true); }

/* ---- short forms ------------------------------------------------------------------------------------------------- */

/* The meaning of a short form's code: dimensions (0: there is no such form), and the number of inputs in the first
 * group. */
struct short_form {
    uint8_t dimensions, first, level;
    bool layered, cube, offset;
};

static void lower_short(struct sass_lowering *l, const struct short_form *s, enum fetch_kind kind,
                        enum precision precision)
{
    struct operation u = begin_fetch();
    struct inputs in = {.count = 0};
    uint8_t components[4];
    unsigned count = short_components(l, components), first = bits(l, RA, 8), second = bits(l, RB, 8);
    struct fetch f = {.kind = (uint8_t)kind,
                      .level = s->level,
                      .dimensions = s->dimensions,
                      .layered = s->layered,
                      .cube = s->cube,
                      .has_offset = s->offset};
    if (!s->dimensions)
        sass_not_covered(l, "this form");
    set_static_handle(l, &u);
    take_inputs(l, &in, &first, s->first);
    take_inputs(l, &in, &second, s->dimensions + s->layered + (s->level == FETCH_LOD) - s->first);
    if (s->offset)
        take_offsets(l, &in, &f, take(l, &second), 0);
    end_fetch(l, &u, &f, &in);
    emit_short(l, &u, components, count, precision);
}

static enum precision precision_of(const struct sass_lowering *l)
{
    const uint16_t form = l->row->value & 0xfc00;
    return form == 0xd000 ? HALF : form == 0xd400 ? HALF_TRUNCATED : SINGLE;
}

static void lower_texs(struct sass_lowering *l)
{
    static const struct short_form forms[16] = {
        [0] = {1, 1, FETCH_BASE, 0, 0, 0},  [1] = {2, 1, FETCH_BASE, 0, 0, 0},  [2] = {2, 1, FETCH_BASE, 0, 0, 0},
        [3] = {2, 2, FETCH_LOD, 0, 0, 0},   [7] = {2, 2, FETCH_BASE, 1, 0, 0},  [8] = {2, 2, FETCH_BASE, 1, 0, 0},
        [10] = {3, 2, FETCH_BASE, 0, 0, 0}, [11] = {3, 2, FETCH_BASE, 0, 0, 0}, [12] = {3, 2, FETCH_BASE, 0, 1, 0},
        [13] = {3, 2, FETCH_LOD, 0, 1, 0}};
    lower_short(l, &forms[bits(l, 53, 4)], FETCH_FILTER, precision_of(l));
}

static void lower_tlds(struct sass_lowering *l)
{
    static const struct short_form forms[16] = {
        [0] = {1, 1, FETCH_BASE, 0, 0, 0}, [1] = {1, 1, FETCH_LOD, 0, 0, 0},  [2] = {2, 1, FETCH_BASE, 0, 0, 0},
        [4] = {2, 2, FETCH_BASE, 0, 0, 1}, [5] = {2, 2, FETCH_LOD, 0, 0, 0},  [7] = {3, 2, FETCH_BASE, 0, 0, 0},
        [8] = {2, 1, FETCH_BASE, 1, 0, 0}, [12] = {2, 2, FETCH_LOD, 0, 0, 1},
    };
    lower_short(l, &forms[bits(l, 53, 4)], FETCH_TEXEL, precision_of(l));
}

static void lower_tld4s(struct sass_lowering *l)
{
    static const uint8_t all[4] = {0, 1, 2, 3};
    static const enum precision precisions[4] = {SINGLE, SINGLE, HALF, HALF_TRUNCATED};
    struct operation u = begin_fetch();
    struct inputs in = {.count = 0};
    struct fetch f = {.kind = FETCH_GATHER, .dimensions = 2, .has_offset = bit(l, 51)};
    unsigned first = bits(l, RA, 8), second = bits(l, RB, 8);
    f.component = (uint8_t)bits(l, 52, 2);
    if (bit(l, 50))
        sass_not_covered(l, "a comparison with a depth");
    set_static_handle(l, &u);
    take_inputs(l, &in, &first, 1 + f.has_offset);
    if (f.has_offset)
        take_offsets(l, &in, &f, take(l, &second), 0);
    else
        take_inputs(l, &in, &second, 1);
    end_fetch(l, &u, &f, &in);
    emit_short(l, &u, all, 4, precisions[bits(l, 54, 2)]);
}

/* ---- queries ----------------------------------------------------------------------------------------------------- */

/* The extents of a level, one register per bit of the mask. */
static void lower_txq_form(struct sass_lowering *l, bool bindless)
{
    enum { DIMENSION = 1, EXTENTS = 7 };
    struct operation u = {.kind = UOP_MEMORY, .op = OP_IMAGE_QUERY, .type = T_U32, .dtype = T_U32};
    unsigned group = bits(l, RA, 8), next = bits(l, 0, 8), mask = bits(l, 31, 4);
    if (bits(l, 22, 6) != DIMENSION || mask & ~EXTENTS)
        sass_not_covered(l, "this query");
    u.memory = (struct rp_memory_operand){.space = RP_SPACE_TEXTURE, .kind = RP_ACCESS_LOAD, .elements = 1, .width = 4};
    set_handle(l, &u, bindless, &group);
    u.b = take(l, &group);
    struct operand extents[3];
    for (unsigned i = 0; i < 3; i++) {
        u.imm = QUERY_WIDTH + (int)i;
        u.d = extents[i] = sass_temporary(&l->b);
        sass_emit(&l->b, u);
    }
    for (unsigned i = 0; i < 3; i++)
        if (mask >> i & 1 && next != RZ)
            move32(&l->b, written(&l->b, next++), extents[i]);
}
static void lower_txq(struct sass_lowering *l) { lower_txq_form(l, false); }
static void lower_txq_b(struct sass_lowering *l) { lower_txq_form(l, true); }

/* ---- surfaces ---------------------------------------------------------------------------------------------------- */

/* Sets the surface, the coordinates and how they are used. The last coordinate is the layer. */
static void set_surface(struct sass_lowering *l, struct operation *u, struct surface_access *s)
{
    static const uint8_t dimensions[8] = {1, 1, 1, 2, 2, 3}, clamps[4] = {SURFACE_ZERO, SURFACE_CLAMP, SURFACE_TRAP};
    const unsigned dimension = bits(l, 33, 3), clamp = bits(l, 49, 2);
    struct inputs in = {.count = 0};
    struct operand at[4] = {OPERAND_NONE};
    unsigned group = bits(l, RA, 8);
    if (!dimensions[dimension] || clamp > 2)
        sass_not_covered(l, "this kind of surface");
    s->dimensions = dimensions[dimension];
    s->layered = dimension == 2 || dimension == 4;
    s->clamp = clamps[clamp];
    u->memory.space = RP_SPACE_SURFACE;
    if (bit(l, 51))
        set_static_handle(l, u);
    else {
        u->stype = T_U32;
        u->a = read_register(&l->b, bits(l, 39, 8));
    }
    for (unsigned i = 0; i < s->dimensions + (unsigned)s->layered; i++)
        at[i] = take(l, &group);
    if (s->layered)
        in.at[in.count++] = at[s->dimensions];
    for (unsigned i = 0; i < s->dimensions; i++)
        in.at[in.count++] = at[i];
    u->lists[1] = list_of(l, &in);
    memcpy(&u->imm, s, sizeof u->imm);
}

/* .D: moves as many bytes as the size says. */
static void lower_raw(struct sass_lowering *l, bool store)
{
    struct operation u = {.kind = UOP_MEMORY, .op = OP_SURFACE};
    struct surface_access s = {.texels = !bit(l, 23)};
    if (!store && l->arch != SASS_50 && bits(l, 30, 3))
        sass_not_covered(l, "the predicate");
    if (s.texels)
        sass_not_covered(l, "an element in its own size");
    u.memory.kind = store ? RP_ACCESS_STORE : RP_ACCESS_LOAD;
    sass_set_size(l, &u, bits(l, 20, 3));
    set_surface(l, &u, &s);
    if (store)
        sass_set_store_cache(l, &u, 24);
    else
        sass_set_load_cache(l, &u, 24);
    sass_move_data(l, &u, bits(l, 0, 8));
}

/* .P: moves channels in the element's own format. A channel without a value becomes 0. */
static void lower_formatted(struct sass_lowering *l, bool store)
{
    struct operation u = {.kind = UOP_MEMORY, .op = OP_SURFACE_TEXEL, .type = T_B32, .dtype = T_B32};
    struct surface_access s = {.texels = true};
    const unsigned mask = bits(l, 20, 4);
    unsigned next = bits(l, 0, 8);
    if (!store && l->arch != SASS_50 && bits(l, 30, 3))
        sass_not_covered(l, "the predicate");
    u.memory = (struct rp_memory_operand){.kind = store ? RP_ACCESS_STORE : RP_ACCESS_LOAD, .elements = 1, .width = 1};
    set_surface(l, &u, &s);
    if (!store) {
        u.lists[0] = masked_results(l, mask);
    } else {
        u.lists[0] = (struct operand_list){ARENA_ARRAY(l->b.arena, struct operand, 4), 4};
        for (unsigned c = 0; c < 4; c++)
            u.lists[0].at[c] = mask >> c & 1 ? take(l, &next) : constant32(&l->b, 0);
    }
    sass_access(l, &u);
}

static void lower_suld_d(struct sass_lowering *l) { lower_raw(l, false); }
static void lower_sust_d(struct sass_lowering *l) { lower_raw(l, true); }
static void lower_suld_p(struct sass_lowering *l) { lower_formatted(l, false); }
static void lower_sust_p(struct sass_lowering *l) { lower_formatted(l, true); }

/* .D with .BA is PTX's sured.b. Without .BA, and with .P, coordinates count elements of the surface. SD32: signed if
 * these are. */
static void lower_sured(struct sass_lowering *l)
{
    static const uint8_t operations[8] = {RP_ATOMIC_ADD, RP_ATOMIC_MIN, RP_ATOMIC_MAX, RP_ATOMIC_INC,
                                          RP_ATOMIC_DEC, RP_ATOMIC_AND, RP_ATOMIC_OR,  RP_ATOMIC_XOR};
    static const uint8_t types[8] = {T_U32, T_S32, T_U64, T_NONE, T_NONE, T_S64, T_U32, T_U64};
    enum { SD32 = 6 };
    const bool raw = bit(l, 52);
    const unsigned code = raw ? bits(l, 20, 3) : 0;
    struct surface_access s = {.texels = !raw || !bit(l, 23), .by_format = code >= SD32};
    if (types[code] == T_NONE)
        sass_not_covered(l, "this type");
    struct operation u =
        sass_atomic(l, RP_SPACE_SURFACE, (enum rp_atomic)operations[bits(l, 24, 3)], (enum lane_type)types[code]);
    u.op = OP_SURFACE;
    u.memory.kind = RP_ACCESS_REDUCTION;
    u.b = u.memory.width == 8 ? read_pair(&l->b, bits(l, 0, 8)) : read_register(&l->b, bits(l, 0, 8));
    set_surface(l, &u, &s);
    sass_access(l, &u);
}

const struct sass_meaning sass_texture[] = {{"TEX", lower_tex},
                                            {"TEX.B", lower_tex_b},
                                            {"TLD", lower_tld},
                                            {"TLD.B", lower_tld_b},
                                            {"TLD4", lower_tld4},
                                            {"TXD", lower_txd},
                                            {"TXD.B", lower_txd_b},
                                            {"TXQ", lower_txq},
                                            {"TXQ.B", lower_txq_b},
                                            {"TEXS", lower_texs},
                                            {"TLDS", lower_tlds},
                                            {"TLD4S", lower_tld4s},
                                            {"SULD.D", lower_suld_d},
                                            {"SULD.P", lower_suld_p},
                                            {"SUST.D", lower_sust_d},
                                            {"SUST.P", lower_sust_p},
                                            {"SURED.D", lower_sured},
                                            {"SURED.P", lower_sured},
                                            {NULL, NULL}};
