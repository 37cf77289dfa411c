/* Textures and surfaces. The inputs of a texture instruction are in two groups of consecutive registers, from Ra and
 * from Rb on: in Ra's the layer and the coordinates, in Rb's the handle (of a .B form), the level and the offsets. With
 * .SCR they are in the same order, at most four, and Ra's group has one of up to two of them, else two. */
#include "frontend/isa/sass/texture.h"
#include "frontend/isa/sass7x/lower.h"

enum { AT_HANDLE = 40, AT_BINDLESS = 59, AT_SCR = 60, AT_SHAPE = 61, AT_MASK = 72, AT_AOFFI = 76, AT_FORMAT = 79 };

/* ---- handles ----------------------------------------------------------------------------------------------------- */

/* In a word of constant bank 0, in a uniform register, or in a register. */
enum handle { HANDLE_STATIC, HANDLE_UNIFORM, HANDLE_REGISTER };

static enum handle handle_of(struct sass_lowering *l)
{
    enum { ONE_INDEX = 14, AT_BANK = 54, AT_INDEX_TO_ADD = 46 };
    const struct sass_item *i = l->row->items;
    while (i->kind != SI_END && (i->f.at != AT_HANDLE || i->f.width < 6))
        i++;
    bool uniform = i->kind == SI_REGISTER && i->file == FILE_UNIFORM;
    if (uniform ? bits(l, AT_INDEX_TO_ADD, 8) : i->kind != SI_END && (i->f.width != ONE_INDEX || bits(l, AT_BANK, 5)))
        sass_not_covered(l, "this place of the handle");
    return uniform ? HANDLE_UNIFORM : i->kind == SI_END ? HANDLE_REGISTER : HANDLE_STATIC;
}

/* Sets a handle that is in no register. */
static void set_handle(struct sass_lowering *l, struct operation *u, enum handle handle)
{
    if (handle == HANDLE_STATIC)
        sass_set_static_handle(l, u, 4 * bits(l, AT_HANDLE, 14));
    u->stype = T_U32;
    if (handle == HANDLE_UNIFORM)
        u->a = read_uniform(&l->b, bits(l, AT_HANDLE, 6));
}

/* ---- fetches ----------------------------------------------------------------------------------------------------- */

static struct fetch shape_of(struct sass_lowering *l, enum fetch_kind kind)
{
    return sass_fetch(l, kind, bits(l, AT_SHAPE, 2), bit(l, AT_SHAPE + 2));
}

/* Two registers from Rd on and two from the second register on; halves are in the first of each. */
static void result_registers(const struct sass_lowering *l, unsigned registers[SASS_CHANNELS])
{
    for (unsigned i = 0; i < SASS_CHANNELS; i++) {
        const unsigned n = bits(l, i < 2 ? AT_RD : AT_RC, 8);
        registers[i] = n == RZ ? RZ : n + i % 2;
    }
}

static void emit_fetch(struct sass_lowering *l, struct operation *u)
{
    static const enum sass_precision precisions[4] = {SASS_WORDS, SASS_HALVES, SASS_HALVES_TRUNCATED, SASS_WORDS};
    unsigned registers[SASS_CHANNELS];
    result_registers(l, registers);
    sass_emit_fetch(l, u, bits(l, AT_MASK, 4), registers, precisions[bits(l, AT_FORMAT, 2)]);
    sass_write_residency(l, AT_PD);
}

/* The two groups, as one row of inputs. */
struct groups {
    unsigned first, second, left; /* next registers; how many more are in the first */
};

static struct operand take(struct sass_lowering *l, struct groups *g)
{
    bool first = g->left != 0;
    g->left -= first;
    return sass_take(l, first ? &g->first : &g->second);
}

static struct groups groups_of(struct sass_lowering *l, const struct fetch *f, enum handle handle)
{
    const unsigned coordinates = (unsigned)f->dimensions + f->layered;
    const unsigned all = coordinates + (handle == HANDLE_REGISTER) + (f->level == FETCH_LOD) + f->has_offset;
    struct groups g = {bits(l, AT_RA, 8), bits(l, AT_RB, 8), coordinates};
    if (bit(l, AT_SCR))
        g.left = all > 2 ? 2 : 1;
    if (bit(l, AT_SCR) && all > 4)
        sass_not_covered(l, "more than four inputs");
    return g;
}

static void lower_fetch(struct sass_lowering *l, const struct fetch *f)
{
    struct operation u = sass_begin_fetch();
    struct sass_inputs in = {.count = 0};
    const enum handle handle = handle_of(l);
    struct groups g = groups_of(l, f, handle);
    set_handle(l, &u, handle);
    for (unsigned i = 0; i < (unsigned)f->dimensions + f->layered; i++)
        in.at[in.count++] = take(l, &g);
    if (handle == HANDLE_REGISTER)
        u.a = take(l, &g);
    if (f->level == FETCH_LOD)
        in.at[in.count++] = take(l, &g);
    if (f->has_offset)
        sass_take_offsets(l, &in, f, take(l, &g), 0);
    sass_end_fetch(l, &u, f, &in);
    emit_fetch(l, &u);
}

enum { LEVEL_QUAD, LEVEL_ZERO, LEVEL_BIAS, LEVEL_GIVEN };

static void lower_tex(struct sass_lowering *l)
{
    enum { AT_DC = 78, AT_NDV = 77 };
    const unsigned level = bits(l, 87, 3);
    struct fetch f = shape_of(l, FETCH_FILTER);
    if ((level != LEVEL_ZERO && level != LEVEL_GIVEN) || bit(l, AT_NDV))
        sass_not_covered(l, "this way to choose a level");
    if (bit(l, AT_DC))
        sass_not_covered(l, "a comparison with a depth");
    f.level = level == LEVEL_GIVEN ? FETCH_LOD : FETCH_BASE;
    f.has_offset = bit(l, AT_AOFFI);
    lower_fetch(l, &f);
}

static void lower_tld(struct sass_lowering *l)
{
    enum { AT_MS = 78 };
    const unsigned level = bits(l, 87, 3);
    struct fetch f = shape_of(l, FETCH_TEXEL);
    if (bit(l, AT_MS))
        sass_not_covered(l, "a multisampled texture");
    f.level = level == LEVEL_GIVEN ? FETCH_LOD : FETCH_BASE;
    f.has_offset = bit(l, AT_AOFFI);
    lower_fetch(l, &f);
}

static void lower_tld4(struct sass_lowering *l)
{
    enum { AT_DC = 78, ONE_OFFSET = 1 };
    const unsigned offset = bits(l, AT_AOFFI, 2);
    struct fetch f = shape_of(l, FETCH_GATHER);
    if (bit(l, AT_DC) || offset > ONE_OFFSET)
        sass_not_covered(l, offset > ONE_OFFSET ? "an offset for each texel" : "a comparison with a depth");
    f.component = (uint8_t)bits(l, 87, 2);
    f.has_offset = offset;
    lower_fetch(l, &f);
}

/* The handle comes before the coordinates, the gradients are from Rb on. */
static void lower_txd(struct sass_lowering *l)
{
    enum { AT_LC = 87 };
    struct fetch f = shape_of(l, FETCH_FILTER);
    struct operation u = sass_begin_fetch();
    struct sass_inputs in = {.count = 0};
    const enum handle handle = handle_of(l);
    unsigned group = bits(l, AT_RA, 8);
    if (bit(l, AT_LC))
        sass_not_covered(l, "this way to choose a level");
    f.level = FETCH_GRADIENT;
    f.has_offset = bit(l, AT_AOFFI);
    set_handle(l, &u, handle);
    if (handle == HANDLE_REGISTER)
        u.a = sass_take(l, &group);
    sass_take_gradients(l, &in, &f, group, bits(l, AT_RB, 8));
    sass_end_fetch(l, &u, &f, &in);
    emit_fetch(l, &u);
}

static void lower_txq(struct sass_lowering *l)
{
    enum { EXTENTS_OF_HEADER = 0, EXTENTS = 7 };
    struct operation u = {0};
    const unsigned mask = bits(l, AT_MASK, 4);
    const enum handle handle = handle_of(l);
    unsigned group = bits(l, AT_RA, 8), registers[SASS_CHANNELS];
    if (bits(l, 62, 2) != EXTENTS_OF_HEADER || mask & ~EXTENTS)
        sass_not_covered(l, "this query");
    set_handle(l, &u, handle);
    if (handle == HANDLE_REGISTER)
        u.a = sass_take(l, &group);
    result_registers(l, registers);
    struct operand level = sass_take(l, &group);
    sass_query_extents(l, &u, level, mask, registers);
}

/* ---- surfaces ---------------------------------------------------------------------------------------------------- */

enum { AT_BYTES = 72 }; /* x counts bytes, not elements of the surface */

/* Sets the surface, the coordinates and how they are used. */
static void set_surface(struct sass_lowering *l, struct operation *u, struct surface_access *s)
{
    const enum handle handle = handle_of(l);
    set_handle(l, u, handle);
    if (handle == HANDLE_REGISTER)
        u->a = read_register(&l->b, bits(l, AT_RC, 8));
    sass_set_surface(l, u, s, bits(l, AT_SHAPE, 3), bits(l, AT_BINDLESS, 2), bits(l, AT_RA, 8));
}

/* .D: as many bytes as the size says. .P: channels in the element's own format. */
static bool is_formatted(const struct sass_lowering *l)
{
    const struct sass_item *first = l->row->items;
    while (first->kind != SI_MODIFIER)
        first++;
    return *first->names[0] == 'P';
}

static void lower_raw(struct sass_lowering *l, bool store)
{
    struct operation u = sass7x_load_or_store(l, RP_SPACE_SURFACE, store);
    struct surface_access s = {.texels = !bit(l, AT_BYTES)};
    u.op = OP_SURFACE;
    if (s.texels)
        sass_not_covered(l, "an element in its own size");
    set_surface(l, &u, &s);
    sass7x_set_hint(l, &u.memory);
    sass_move_data(l, &u, bits(l, store ? AT_RB : AT_RD, 8));
}

static void lower_suld(struct sass_lowering *l)
{
    sass7x_refuse_predicates(l);
    if (is_formatted(l))
        sass_not_covered(l, "a load in the element's format");
    lower_raw(l, false);
}

static void lower_sust(struct sass_lowering *l)
{
    if (!is_formatted(l)) {
        lower_raw(l, true);
        return;
    }
    struct operation u = sass_formatted_access(true);
    struct surface_access s = {.texels = true};
    set_surface(l, &u, &s);
    sass7x_set_hint(l, &u.memory);
    sass_set_channels(l, &u, bits(l, AT_MASK, 4), bits(l, AT_RB, 8));
    sass_access(l, &u);
}

/* With .BA it is PTX's sured.b, else sured.p, whose coordinates count elements of the surface. */
static void lower_sured(struct sass_lowering *l)
{
    struct surface_access s = {.texels = !bit(l, AT_BYTES)};
    struct operation u = sass_surface_reduction(l, bits(l, 87, 3), bits(l, 73, 3), &s);
    u.b = sass_atomic_value(l, &u, bits(l, AT_RB, 8));
    set_surface(l, &u, &s);
    sass_access(l, &u);
}

const struct sass_meaning sass7x_texture[] = {{"TEX", lower_tex},   {"TLD", lower_tld},     {"TLD4", lower_tld4},
                                              {"TXD", lower_txd},   {"TXQ", lower_txq},     {"SULD", lower_suld},
                                              {"SUST", lower_sust}, {"SURED", lower_sured}, {NULL, NULL}};
