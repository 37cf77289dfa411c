/* Texture fetches and queries. A fetch finds the texels of all lanes, records them, reads and filters them. */
#include "frontend/core/image_access.h"

#include "frontend/core/footprint.h"
#include "frontend/core/observe.h"
#include "frontend/core/texels.h"
#include "tracefmt/writer.h"

static struct fetch fetch_of(const struct uop *u)
{
    struct fetch f;
    memcpy(&f, &u->imm, sizeof f);
    return f;
}

/* ---- objects ----------------------------------------------------------------------------------------------------- */

bool image_handle(struct warp_state *s, const struct uop *u, struct operand o, unsigned lane, uint64_t *handle)
{
    bool narrow = lane_type_bits((enum lane_type)u->stype) == 32;
    *handle = narrow ? lane_u32(&s->w, o, lane) : lane_u64(&s->w, o, lane);
    if (*handle < MODULE_BASE_32) /* the first references of modules with 32-bit addresses are here */
        return true;
    uint64_t at = *handle;
    if (read_generic(s, lane, at, handle, sizeof *handle))
        return true;
    block_fault(s, u, RP_FAULT_TEXTURE, lane, "0x%llx is neither a handle nor the address of a reference",
                (unsigned long long)at);
    return false;
}

const struct texture_object *image_object(struct warp_state *s, const struct uop *u, unsigned lane,
                                          enum image_kind kind)
{
    const struct texture_table *t = s->w.block->grid->textures;
    uint64_t handle;
    if (!image_handle(s, u, u->a, lane, &handle))
        return NULL;
    const struct texture_object *o = t && handle < t->count ? t->at[handle] : NULL;
    if (o && (kind == IMAGE_ANY || o->is_surface == (kind == IMAGE_SURFACE)))
        return o;
    block_fault(s, u, RP_FAULT_TEXTURE, lane, "handle 0x%llx is no %s%s", (unsigned long long)handle,
                kind == IMAGE_SURFACE ? "surface" : "texture",
                handle ? "" : ": the reference or parameter was not set");
    return NULL;
}

static const char *shape(unsigned dimensions, bool layered, bool cube)
{
    static const char *const names[2][4] = {{"", "1D", "2D", "3D"}, {"", "layered 1D", "layered 2D", "3D"}};
    return cube ? layered ? "layered cube" : "cube" : names[layered][dimensions & 3];
}

/* Machine code reads 1D textures by 2D instructions, with y = 0. */
bool image_fits(struct warp_state *s, const struct uop *u, unsigned lane, const struct image *m, unsigned dimensions,
                bool layered, bool cube)
{
    bool flat = m->dimensions == dimensions || (m->dimensions == 1 && dimensions == 2);
    if (cube ? m->cube && m->layered == layered : flat && m->layered == layered && !m->cube)
        return true;
    block_fault(s, u, RP_FAULT_TEXTURE, lane, "a %s access, but the %s is a %s one", shape(dimensions, layered, cube),
                u->op == OP_TEXTURE ? "texture" : "surface", shape(m->dimensions, m->layered, m->cube));
    return false;
}

/* ---- recording --------------------------------------------------------------------------------------------------- */

void image_log(struct warp *w, const struct uop *u, unsigned n, lanemask m, const uint64_t at[RP_WARP_LANES])
{
    if (w->log && u->flags & UF_LOG_ACCESS)
        rp_log_access(w->log, u->index, u->memory->access + n, m, at);
}

unsigned image_operands(const struct uop *u)
{
    if (u->op == OP_IMAGE_QUERY)
        return 0;
    const struct fetch f = fetch_of(u);
    return u->op == OP_TEXTURE ? fetch_texels(&f) : 1;
}

void image_record_none(struct warp *w, const struct uop *u, lanemask m)
{
    const uint64_t nowhere[RP_WARP_LANES] = {0};
    for (unsigned n = 0; n < image_operands(u); n++)
        image_log(w, u, n, m, nowhere);
}

/* ---- fetches ----------------------------------------------------------------------------------------------------- */

/* One lane's fetch. */
struct lane_fetch {
    const struct texture_object *object;
    const struct rp_sampler *sampler;
    struct rp_sampler own; /* a sampler that the module itself defines */
    struct footprint footprint;
};

/* Decodes a sampler that a reference contains. */
static struct rp_sampler inline_sampler(uint64_t bits, const struct rp_sampler *texture)
{
    return (struct rp_sampler){.address = {bits & 3, bits >> 2 & 3, bits >> 4 & 3},
                               .filter = bits >> 6 & 1,
                               .normalized_coordinates = texture->normalized_coordinates && !(bits >> 7 & 1)};
}

/* The sampler of a separate operand defines addressing and filtering; the texture defines how texels are converted. */
static bool find_sampler(struct warp_state *s, const struct uop *u, unsigned lane, struct lane_fetch *f)
{
    const struct texture_table *t = s->w.block->grid->textures;
    uint64_t handle;
    f->sampler = &f->object->sampler;
    if (is_sink(u->b))
        return true;
    if (!image_handle(s, u, u->b, lane, &handle))
        return false;
    const struct texture_object *o = t && handle < t->count ? t->at[handle] : NULL;
    if (!(handle & INLINE_SAMPLER) && (!o || o->is_surface)) {
        block_fault(s, u, RP_FAULT_TEXTURE, lane, "there is no sampler here");
        return false;
    }
    f->own = handle & INLINE_SAMPLER ? inline_sampler(handle, &f->object->sampler) : o->sampler;
    f->own.read_as_integer = f->object->sampler.read_as_integer;
    f->own.srgb = f->object->sampler.srgb;
    f->sampler = &f->own;
    return true;
}

static float number(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

/* Reads the inputs in their order: layer, coordinates, level or gradients, offsets. */
static struct fetch_point point_of(const struct warp *w, const struct uop *u, unsigned lane)
{
    const struct fetch fetch = fetch_of(u), *f = &fetch;
    struct fetch_point p = {0};
    unsigned n = 0;
    if (f->layered)
        p.layer = image_input(w, u, n++, lane);
    for (unsigned i = 0; i < f->dimensions; i++) {
        p.texel[i] = (int32_t)image_input(w, u, n++, lane);
        p.at[i] = number((uint32_t)p.texel[i]);
    }
    if (f->level == FETCH_LOD) {
        p.level = (int32_t)image_input(w, u, n++, lane);
        p.lod = number((uint32_t)p.level);
    }
    for (unsigned i = 0; f->level == FETCH_GRADIENT && i < 2u * f->dimensions; i++)
        *(i < f->dimensions ? &p.dx[i] : &p.dy[i - f->dimensions]) = number(image_input(w, u, n++, lane));
    for (unsigned i = 0; f->has_offset && i < f->dimensions; i++)
        p.offset[i] = (int32_t)image_input(w, u, n++, lane);
    return p;
}

static bool find_object(struct warp_state *s, const struct uop *u, unsigned lane, struct lane_fetch *o)
{
    const struct fetch fetch = fetch_of(u), *f = &fetch;
    o->object = image_object(s, u, lane, IMAGE_TEXTURE);
    if (!o->object || !find_sampler(s, u, lane, o))
        return false;
    const struct image *m = &o->object->image;
    if (!image_fits(s, u, lane, m, f->dimensions, f->layered, f->cube))
        return false;
    if (m->linear && f->kind != FETCH_TEXEL) {
        block_fault(s, u, RP_FAULT_TEXTURE, lane, "a texture of linear memory takes integer coordinates only");
        return false;
    }
    return true;
}

static bool find_texels(struct warp_state *s, const struct uop *u, unsigned lane, struct lane_fetch *o)
{
    if (!find_object(s, u, lane, o))
        return false;
    const struct fetch f = fetch_of(u);
    struct fetch_point p = point_of(&s->w, u, lane);
    footprint_find(&f, &o->object->image, o->sampler, &p, &o->footprint);
    return true;
}

static bool is_uniform(const struct warp *w, const struct uop *u, struct operand o, lanemask m)
{
    unsigned first = (unsigned)__builtin_ctz(m);
    if (is_sink(o))
        return true;
    if (lane_type_bits((enum lane_type)u->stype) == 32)
        return SIMD_SELECT(lanes_equal_32)(operand_at(w, o), lane_u32(w, o, first), m);
    return SIMD_SELECT(lanes_equal_64)(operand_at(w, o), lane_u64(w, o, first), m);
}

/* Where all lanes name one texture and one sampler. False: the fetch must be made lane by lane. */
static bool fetch_together(struct warp *w, const struct uop *u, lanemask m)
{
    const struct fetch f = fetch_of(u);
    struct lane_fetch one;
    if (!is_uniform(w, u, u->a, m) || !is_uniform(w, u, u->b, m))
        return false;
    if (find_object((struct warp_state *)w, u, (unsigned)__builtin_ctz(m), &one))
        return texels_fetch(w, u, m, &f, &one.object->image, one.sampler);
    image_record_none(w, u, m);
    return true;
}

static uint64_t tap_address(const struct image *m, const struct tap *t)
{
    return image_address(m, t->level, (uint64_t)t->x * rp_element_bytes(m->element), t->y, t->z);
}

/* The address of texel n. A lane that reads fewer texels, or the border, repeats one of its own. */
static uint64_t named(const struct lane_fetch *f, unsigned n)
{
    const struct footprint *p = &f->footprint;
    n = n < p->count ? n : 0;
    for (unsigned i = 0; p->taps[n].outside && i < p->count; i++)
        if (!p->taps[i].outside)
            n = i;
    return tap_address(&f->object->image, &p->taps[n]);
}

static void record(struct warp *w, const struct uop *u, lanemask m, const struct lane_fetch all[RP_WARP_LANES])
{
    uint64_t at[RP_WARP_LANES] = {0};
    for (unsigned n = 0; w->log && n < image_operands(u); n++) {
        FOR_LANES(l, m)
        at[l] = named(&all[l], n);
        image_log(w, u, n, m, at);
    }
}

static bool read_tap(struct warp_state *s, const struct uop *u, unsigned lane, const struct lane_fetch *f,
                     const struct tap *t, struct texel *to)
{
    const struct image *m = &f->object->image;
    const uint32_t bytes = rp_element_bytes(m->element);
    if (t->outside) {
        const struct texel nothing = {.is_float = texel_is_float(m->element, f->sampler)};
        *to = fetch_of(u).kind == FETCH_TEXEL ? nothing : texel_border(m->element, f->sampler);
        return true;
    }
    const uint8_t *from = global_bytes(s, u, lane, tap_address(m, t), bytes, bytes, false);
    if (from)
        *to = texel_read(m->element, f->sampler, from);
    return from != NULL;
}

/* The weighted sum, in double precision in the order of the taps, rounded once. Texels of weight 0 are left out, so
 * that a NaN in them has no effect. */
static bool filter(struct warp_state *s, const struct uop *u, unsigned lane, const struct lane_fetch *f,
                   struct texel *result)
{
    const struct footprint *p = &f->footprint;
    double sum[4] = {0};
    for (unsigned i = 0; i < p->count; i++) {
        if (!read_tap(s, u, lane, f, &p->taps[i], result))
            return false;
        for (unsigned c = 0; result->is_float && p->taps[i].weight != 0 && c < 4; c++)
            sum[c] = sum[c] + p->taps[i].weight * (double)result->f[c];
    }
    for (unsigned c = 0; result->is_float && p->count > 1 && c < 4; c++)
        result->f[c] = (float)sum[c];
    return true;
}

static bool gather(struct warp_state *s, const struct uop *u, unsigned lane, const struct lane_fetch *f,
                   struct texel *result)
{
    const unsigned c = fetch_of(u).component;
    for (unsigned i = 0; i < 4; i++) {
        struct texel t;
        if (!read_tap(s, u, lane, f, &f->footprint.taps[i], &t))
            return false;
        result->u[i] = t.u[c];
    }
    return true;
}

static void handle_texture(struct warp *w, const struct uop *u, lanemask m)
{
    struct warp_state *s = (struct warp_state *)w;
    struct lane_fetch all[RP_WARP_LANES];
    struct texel result;
    if (fetch_together(w, u, m))
        return;
    FOR_LANES(l, m)
    if (!find_texels(s, u, l, &all[l])) {
        image_record_none(w, u, m);
        return;
    }
    record(w, u, m, all);
    FOR_LANES(l, m)
    {
        bool ok =
            fetch_of(u).kind == FETCH_GATHER ? gather(s, u, l, &all[l], &result) : filter(s, u, l, &all[l], &result);
        if (!ok)
            return;
        for (unsigned i = 0; i < u->memory->count; i++)
            if (!is_sink(u->memory->elements[i]))
                ((uint32_t *)operand_at(w, u->memory->elements[i]))[l] = result.u[i];
    }
}

/* ---- queries ----------------------------------------------------------------------------------------------------- */

/* Machine code asks for the extents of textures and surfaces alike, in the generic space. */
static enum image_kind kind_of_query(const struct uop *u)
{
    enum rp_space space = (enum rp_space)u->memory->operand.space;
    return space == RP_SPACE_SURFACE ? IMAGE_SURFACE : space == RP_SPACE_TEXTURE ? IMAGE_TEXTURE : IMAGE_ANY;
}

/* Computes all results before it writes any, because the result registers may hold the handles. */
static void handle_query(struct warp *w, const struct uop *u, lanemask m)
{
    struct warp_state *s = (struct warp_state *)w;
    uint32_t values[RP_WARP_LANES] = {0};
    FOR_LANES(l, m)
    {
        const struct texture_object *o = image_object(s, u, l, kind_of_query(u));
        if (!o)
            return;
        uint32_t level = is_sink(u->b) ? 0 : lane_u32(w, u->b, l);
        values[l] = image_query_value(o, (enum image_query)u->imm, level);
    }
    FOR_LANES(l, m)
    ((uint32_t *)operand_at(w, u->d))[l] = values[l];
}

uop_fn image_handler(const struct uop *u)
{
    switch (u->op) {
    case OP_TEXTURE: return u->memory->count <= 4 ? handle_texture : NULL;
    case OP_SURFACE: return handle_surface;
    case OP_SURFACE_TEXEL: return u->memory->count <= 4 ? handle_surface_texel : NULL;
    default: return is_sink(u->d) ? NULL : handle_query;
    }
}
