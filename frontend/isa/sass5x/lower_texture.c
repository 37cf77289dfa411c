/* Textures and surfaces. The inputs of a texture instruction are in two groups of consecutive registers: from Ra on the
 * layer and the coordinates; from Rb on the handle (of a .B form), the level and the offsets. The short forms, TEXS,
 * TLDS and TLD4S, have at most two registers in each group. */
#include "frontend/isa/sass/texture.h"
#include "frontend/isa/sass5x/lower.h"

enum { RA = 8, RB = 20, SECOND = 28, DIMENSION = 29, LAYERED = 28 };

/* ---- handles ----------------------------------------------------------------------------------------------------- */

static void set_static_handle(struct sass_lowering *l, struct operation *u)
{
    sass_set_static_handle(l, u, 4 * bits(l, 36, 13));
}

/* Sets the handle. In a .B form it is the first register of the group. */
static void set_handle(struct sass_lowering *l, struct operation *u, bool bindless, unsigned *group)
{
    if (!bindless) {
        set_static_handle(l, u);
        return;
    }
    u->stype = T_U32;
    u->a = sass_take(l, group);
}

/* ---- results ----------------------------------------------------------------------------------------------------- */

/* Consecutive registers from Rd on. */
static void long_registers(const struct sass_lowering *l, unsigned registers[SASS_CHANNELS])
{
    const unsigned first = bits(l, 0, 8);
    for (unsigned i = 0; i < SASS_CHANNELS; i++)
        registers[i] = first == RZ ? RZ : first + i;
}

/* Two registers from Rd on and two from the second register on. */
static void short_registers(const struct sass_lowering *l, unsigned registers[SASS_CHANNELS])
{
    for (unsigned i = 0; i < SASS_CHANNELS; i++) {
        const unsigned n = bits(l, i < 2 ? 0 : SECOND, 8);
        registers[i] = n == RZ ? RZ : n + i % 2;
    }
}

/* The channels that a short form returns. */
static unsigned short_mask(struct sass_lowering *l)
{
    static const uint8_t few[8] = {1, 2, 4, 8, 3, 9, 10, 12}, many[5] = {7, 11, 13, 14, 15};
    const unsigned code = bits(l, 50, 3);
    bool second = bits(l, SECOND, 8) != RZ;
    if (second && code > 4)
        sass_not_covered(l, "this set of components");
    return second ? many[code] : few[code];
}

/* ---- fetches ----------------------------------------------------------------------------------------------------- */

static struct fetch shape_of(struct sass_lowering *l, enum fetch_kind kind)
{
    return sass_fetch(l, kind, bits(l, DIMENSION, 2), bit(l, LAYERED));
}

static void emit_long(struct sass_lowering *l, struct operation *u)
{
    unsigned registers[SASS_CHANNELS];
    long_registers(l, registers);
    sass_emit_fetch(l, u, bits(l, 31, 4), registers, SASS_WORDS);
    sass_write_residency(l, 51);
}

/* From Ra on the layer and the coordinates; from Rb on the handle, the level, the offsets. */
static void lower_long(struct sass_lowering *l, struct fetch f, bool bindless)
{
    struct operation u = sass_begin_fetch();
    struct sass_inputs in = {.count = 0};
    unsigned coordinates = bits(l, RA, 8), further = bits(l, RB, 8);
    set_handle(l, &u, bindless, &further);
    sass_take_inputs(l, &in, &coordinates, f.dimensions + f.layered);
    sass_take_inputs(l, &in, &further, f.level == FETCH_LOD);
    if (f.has_offset)
        sass_take_offsets(l, &in, &f, sass_take(l, &further), 0);
    sass_end_fetch(l, &u, &f, &in);
    emit_long(l, &u);
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

/* The handle comes before the coordinates. */
static void lower_txd_form(struct sass_lowering *l, bool bindless)
{
    struct fetch f = shape_of(l, FETCH_FILTER);
    struct operation u = sass_begin_fetch();
    struct sass_inputs in = {.count = 0};
    unsigned group = bits(l, RA, 8);
    if (bit(l, 50) || f.dimensions > 2)
        sass_not_covered(l, "this way to choose a level");
    f.level = FETCH_GRADIENT;
    f.has_offset = bit(l, 35);
    set_handle(l, &u, bindless, &group);
    sass_take_gradients(l, &in, &f, group, bits(l, RB, 8));
    sass_end_fetch(l, &u, &f, &in);
    emit_long(l, &u);
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

static void emit_short(struct sass_lowering *l, struct operation *u, unsigned mask, enum sass_precision precision)
{
    unsigned registers[SASS_CHANNELS];
    short_registers(l, registers);
    sass_emit_fetch(l, u, mask, registers, precision);
}

static void lower_short(struct sass_lowering *l, const struct short_form *s, enum fetch_kind kind,
                        enum sass_precision precision)
{
    struct operation u = sass_begin_fetch();
    struct sass_inputs in = {.count = 0};
    unsigned mask = short_mask(l), first = bits(l, RA, 8), second = bits(l, RB, 8);
    struct fetch f = {.kind = (uint8_t)kind,
                      .level = s->level,
                      .dimensions = s->dimensions,
                      .layered = s->layered,
                      .cube = s->cube,
                      .has_offset = s->offset};
    if (!s->dimensions)
        sass_not_covered(l, "this form");
    set_static_handle(l, &u);
    sass_take_inputs(l, &in, &first, s->first);
    sass_take_inputs(l, &in, &second, s->dimensions + s->layered + (s->level == FETCH_LOD) - s->first);
    if (s->offset)
        sass_take_offsets(l, &in, &f, sass_take(l, &second), 0);
    sass_end_fetch(l, &u, &f, &in);
    emit_short(l, &u, mask, precision);
}

static enum sass_precision precision_of(const struct sass_lowering *l)
{
    const uint16_t form = l->row->value & 0xfc00;
    return form == 0xd000 ? SASS_HALVES : form == 0xd400 ? SASS_HALVES_TRUNCATED : SASS_WORDS;
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
    enum { ALL = 15 };
    static const enum sass_precision precisions[4] = {SASS_WORDS, SASS_WORDS, SASS_HALVES, SASS_HALVES_TRUNCATED};
    struct operation u = sass_begin_fetch();
    struct sass_inputs in = {.count = 0};
    struct fetch f = {.kind = FETCH_GATHER, .dimensions = 2, .has_offset = bit(l, 51)};
    unsigned first = bits(l, RA, 8), second = bits(l, RB, 8);
    f.component = (uint8_t)bits(l, 52, 2);
    if (bit(l, 50))
        sass_not_covered(l, "a comparison with a depth");
    set_static_handle(l, &u);
    sass_take_inputs(l, &in, &first, 1 + f.has_offset);
    if (f.has_offset)
        sass_take_offsets(l, &in, &f, sass_take(l, &second), 0);
    else
        sass_take_inputs(l, &in, &second, 1);
    sass_end_fetch(l, &u, &f, &in);
    emit_short(l, &u, ALL, precisions[bits(l, 54, 2)]);
}

/* ---- queries ----------------------------------------------------------------------------------------------------- */

/* The extents of a level, one register per bit of the mask. */
static void lower_txq_form(struct sass_lowering *l, bool bindless)
{
    enum { EXTENTS_OF_HEADER = 1, EXTENTS = 7 };
    struct operation u = {0};
    unsigned group = bits(l, RA, 8), mask = bits(l, 31, 4), registers[SASS_CHANNELS];
    if (bits(l, 22, 6) != EXTENTS_OF_HEADER || mask & ~EXTENTS)
        sass_not_covered(l, "this query");
    set_handle(l, &u, bindless, &group);
    long_registers(l, registers);
    struct operand level = sass_take(l, &group);
    sass_query_extents(l, &u, level, mask, registers);
}
static void lower_txq(struct sass_lowering *l) { lower_txq_form(l, false); }
static void lower_txq_b(struct sass_lowering *l) { lower_txq_form(l, true); }

/* ---- surfaces ---------------------------------------------------------------------------------------------------- */

/* Sets the surface, the coordinates and how they are used. */
static void set_surface(struct sass_lowering *l, struct operation *u, struct surface_access *s)
{
    if (bit(l, 51))
        set_static_handle(l, u);
    else {
        u->stype = T_U32;
        u->a = read_register(&l->b, bits(l, 39, 8));
    }
    sass_set_surface(l, u, s, bits(l, 33, 3), bits(l, 49, 2), bits(l, RA, 8));
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

/* .P: moves channels in the element's own format. */
static void lower_formatted(struct sass_lowering *l, bool store)
{
    struct operation u = sass_formatted_access(store);
    struct surface_access s = {.texels = true};
    const unsigned mask = bits(l, 20, 4);
    if (!store && l->arch != SASS_50 && bits(l, 30, 3))
        sass_not_covered(l, "the predicate");
    unsigned registers[SASS_CHANNELS];
    set_surface(l, &u, &s);
    long_registers(l, registers);
    if (store)
        sass_set_channels(l, &u, mask, bits(l, 0, 8));
    else
        sass_set_results(l, &u, mask, registers);
    sass_access(l, &u);
}

static void lower_suld_d(struct sass_lowering *l) { lower_raw(l, false); }
static void lower_sust_d(struct sass_lowering *l) { lower_raw(l, true); }
static void lower_suld_p(struct sass_lowering *l) { lower_formatted(l, false); }
static void lower_sust_p(struct sass_lowering *l) { lower_formatted(l, true); }

/* .D with .BA is PTX's sured.b. Without .BA, and with .P, coordinates count elements of the surface. */
static void lower_sured(struct sass_lowering *l)
{
    const bool raw = bit(l, 52);
    struct surface_access s = {.texels = !raw || !bit(l, 23)};
    struct operation u = sass_surface_reduction(l, bits(l, 24, 3), raw ? bits(l, 20, 3) : 0, &s);
    u.b = sass_atomic_value(l, &u, bits(l, 0, 8));
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
