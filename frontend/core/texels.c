/* Fetches of a whole warp from one texture, the usual case: faster than lane by lane. */
#include "frontend/core/texels.h"

#include "frontend/core/access_internal.h"
#include "frontend/core/image_access.h"
#include "frontend/core/observe.h"

static bool small_enough(const struct image_level *l)
{
    return l->width <= TEXELS_SIDE && l->height <= TEXELS_SIDE && l->depth <= TEXELS_SIDE;
}

bool texels_known(const struct fetch *f, const struct image *m, const struct rp_sampler *s)
{
    bool filtered = f->kind == FETCH_FILTER, base = f->level == FETCH_BASE || (filtered && m->level_count == 1);
    uint32_t bytes = rp_element_bytes(m->element);
    bool aligned = !(m->address % bytes) && (m->tiled || !(m->levels[0].row % bytes));
    return base && aligned && m->bytes &&
           (filtered ? !m->linear && small_enough(&m->levels[0]) : f->kind == FETCH_TEXEL) && !f->layered && !f->cube &&
           !f->has_offset && !s->srgb;
}

/* Whether texels can be read by offsets from the start of the allocation. */
static bool reachable(const struct allocation *a, const struct image *m)
{
    return covers(a, m->address, m->address, m->bytes) && m->address - a->base + m->bytes <= INT32_MAX;
}

/* The allocation of the image, if nobody wants to see the lanes' accesses in their order. NULL: there is none. */
static struct allocation *memory_of(struct block *b, const struct uop *u, const struct image *m)
{
    struct allocation **cached = &b->last[u->index % ALLOCATION_CACHE], *a = *cached;
    if (b->watch || (observed(b, RP_SPACE_GLOBAL) && !b->observer->calls->coarse))
        return NULL;
    if (!a || !covers(a, m->address, m->address, m->bytes))
        a = memory_find(b->grid->memory, m->address);
    if (!a || !reachable(a, m))
        return NULL;
    return *cached = a;
}

/* A lane whose texel is outside names one of its taps that is not. */
static void name_inside(const struct warp_texels *t, uint64_t base, uint64_t at[TEXELS_MOST][RP_WARP_LANES])
{
    for (uint32_t n = 0; n < t->count; n++)
        for (unsigned l = 0; l < RP_WARP_LANES; l++)
            at[n][l] = base + t->at[n][l];
    for (uint32_t n = 0; n < t->count; n++)
        FOR_LANES(l, t->outside[n])
    for (uint32_t i = t->count; i-- > 0;)
        if (!(t->outside[i] >> l & 1))
            at[n][l] = base + t->at[i][l];
}

static void record(struct warp *w, const struct uop *u, lanemask m, const struct warp_texels *t, uint64_t base)
{
    uint64_t at[TEXELS_MOST][RP_WARP_LANES];
    if (!w->log)
        return;
    name_inside(t, base, at);
    for (unsigned n = 0; n < image_operands(u); n++)
        image_log(w, u, n, m, at[n < t->count ? n : 0]);
}

/* False: the attempt to run the grid is abandoned. */
static bool observe(struct warp_state *s, const struct uop *u, lanemask m, const struct warp_texels *t,
                    const struct allocation *a, uint32_t bytes)
{
    struct observer *o = s->w.block->observer;
    if (!observed(s->w.block, RP_SPACE_GLOBAL))
        return true;
    uint32_t low, high;
    SIMD_SELECT(texels_span)(t, &low, &high);
    uint64_t span = (uint64_t)high - low + bytes;
    return o->calls->bytes(o, s, u, RP_SPACE_GLOBAL, a, (unsigned)__builtin_ctz(m), a->base + low, span, false);
}

/* ---- results ------------------------------------------------------------------------------------------------------
 */

/* What lanes outside get: the border's colour; of a fetch at integer coordinates zero. */
static struct texel outside_of(const struct warp_texels *t, const struct fetch *f, const struct image *m,
                               const struct rp_sampler *s)
{
    lanemask any = 0;
    for (uint32_t n = 0; n < t->count; n++)
        any |= t->outside[n];
    return any && f->kind == FETCH_FILTER ? texel_border(m->element, s) : (struct texel){0};
}

bool texels_fetch(struct warp *w, const struct uop *u, lanemask m, const struct fetch *f, const struct image *image,
                  const struct rp_sampler *sampler)
{
    struct warp_state *s = (struct warp_state *)w;
    const struct allocation *a = texels_known(f, image, sampler) ? memory_of(w->block, u, image) : NULL;
    const struct memory_descriptor *d = u->memory;
    const uint32_t *coordinates[3] = {0};
    struct warp_texels t;
    if (!a)
        return false;
    for (unsigned i = 0; i < f->dimensions; i++)
        coordinates[i] = operand_at(w, d->elements[d->count + i]);
    uint32_t first = (uint32_t)(image->address + image->levels[0].offset - a->base);
    SIMD_SELECT(texels_find)(&t, f, image, first, sampler, coordinates);
    record(w, u, m, &t, a->base);
    if (!observe(s, u, m, &t, a, rp_element_bytes(image->element)))
        return true;
    const struct texel outside = outside_of(&t, f, image, sampler);
    for (uint32_t c = 0; c < d->count; c++) {
        if (is_sink(d->elements[c]))
            continue;
        uint32_t some[RP_WARP_LANES], *to = operand_at(w, d->elements[c]);
        bool all = m == ~(lanemask)0;
        SIMD_SELECT(texels_read)
        (all ? to : some, &t, image->element, sampler, c, outside.u[c], a->host);
        for (unsigned l = 0; !all && l < RP_WARP_LANES; l++)
            to[l] = m >> l & 1 ? some[l] : to[l];
    }
    return true;
}
