/* Converts coordinates to texels.
 *
 * A coordinate is converted to texels (a normalized one is multiplied by the extent) with 8 bits of fraction, rounded
 * to nearest. Point filtering reads texel floor(x). Linear filtering reads texels i = floor(x - 0.5) and i + 1; the
 * fraction of x - 0.5 is the weight of the second, a number of 9 bits with 8 bits of fraction ("Linear Filtering").
 * Wrap and mirror need normalized coordinates; otherwise they clamp ("Texture Fetching"). */
#include "frontend/core/footprint.h"

#include <math.h>

enum { FRACTION = 256 };
#define FARTHEST 0x1p24 /* texels: coordinates are clamped to this distance */

/* The texels along one dimension. */
struct axis {
    int64_t at[2]; /* -1: outside */
    uint32_t weight[2];
    uint32_t count;
};

static int64_t modulo(int64_t a, int64_t n) { return (a % n + n) % n; }

/* The texel that the address mode maps number i of n to; -1: the border. */
static int64_t resolve(int64_t i, int64_t n, enum rp_address_mode mode)
{
    switch (mode) {
    case RP_ADDRESS_WRAP: return modulo(i, n);
    case RP_ADDRESS_MIRROR: i = modulo(i, 2 * n); return i < n ? i : 2 * n - 1 - i;
    case RP_ADDRESS_BORDER: return i < 0 || i >= n ? -1 : i;
    default: return i < 0 ? 0 : i >= n ? n - 1 : i;
    }
}

static enum rp_address_mode mode_of(const struct rp_sampler *s, unsigned axis)
{
    enum rp_address_mode m = (enum rp_address_mode)s->address[axis];
    bool periodic = m == RP_ADDRESS_WRAP || m == RP_ADDRESS_MIRROR;
    return periodic && !s->normalized_coordinates ? RP_ADDRESS_CLAMP : m;
}

/* The coordinate in texels, clamped to FARTHEST; NaN becomes 0. The dimension has n texels. */
static double in_texels(float x, uint32_t n, const struct rp_sampler *s, enum rp_address_mode mode)
{
    double t = (double)x;
    if (s->normalized_coordinates) {
        if (mode == RP_ADDRESS_WRAP)
            t -= floor(t);
        if (mode == RP_ADDRESS_MIRROR)
            t -= 2 * floor(t / 2);
        t *= n;
    }
    if (isnan(t))
        return 0;
    return t < -FARTHEST ? -FARTHEST : t > FARTHEST ? FARTHEST : t;
}

static struct axis filtered(float x, uint32_t n, int32_t offset, const struct rp_sampler *s, unsigned which,
                            bool linear)
{
    enum rp_address_mode mode = mode_of(s, which);
    double t = in_texels(x, n, s, mode) + offset;
    if (!linear)
        return (struct axis){{resolve((int64_t)floor(t), n, mode), 0}, {FRACTION, 0}, 1};
    int64_t fixed = (int64_t)floor(t * FRACTION + 0.5) - FRACTION / 2;
    int64_t i = fixed >> 8;
    uint32_t weight = (uint32_t)(fixed & (FRACTION - 1));
    return (struct axis){{resolve(i, n, mode), resolve(i + 1, n, mode)}, {FRACTION - weight, weight}, 2};
}

/* ---- levels of a mipmap ------------------------------------------------------------------------------------------ */

/* The level of detail: the base-2 logarithm of the longer derivative, in texels. */
static double gradient_lod(const struct fetch *f, const struct image *m, const struct rp_sampler *s,
                           const struct fetch_point *p)
{
    const uint32_t extents[3] = {m->levels[0].width, m->levels[0].height, m->levels[0].depth};
    double x = 0, y = 0;
    for (unsigned i = 0; i < f->dimensions && i < m->dimensions; i++) {
        double scale = s->normalized_coordinates ? extents[i] : 1;
        x += (double)p->dx[i] * (double)p->dx[i] * scale * scale;
        y += (double)p->dy[i] * (double)p->dy[i] * scale * scale;
    }
    return log2(x > y ? x : y) / 2;
}

/* The level; with a linear filter between levels also the weight of the next one, in 1/256. */
static uint32_t choose_level(const struct fetch *f, const struct image *m, const struct rp_sampler *s,
                             const struct fetch_point *p, uint32_t *share)
{
    *share = 0;
    if (f->level == FETCH_BASE || m->level_count == 1)
        return 0;
    double lod = f->level == FETCH_LOD ? (double)p->lod : gradient_lod(f, m, s, p);
    lod += (double)s->mip_bias;
    lod = isnan(lod) || lod < (double)s->mip_min ? (double)s->mip_min : lod;
    lod = lod > (double)s->mip_max ? (double)s->mip_max : lod;
    double most = m->level_count - 1;
    lod = isnan(lod) || lod < 0 ? 0 : lod > most ? most : lod;
    if (s->mip_filter == RP_FILTER_POINT || !texel_is_float(m->element, s))
        return (uint32_t)floor(lod + 0.5);
    uint32_t fixed = (uint32_t)floor(lod * FRACTION + 0.5);
    *share = fixed % FRACTION;
    return fixed / FRACTION;
}

/* ---- cubes ------------------------------------------------------------------------------------------------------- */

/* "Cubemap Textures", Table "Cubemap Fetch": the face that belongs to the coordinate of greatest magnitude, and the
 * position on it, in [0, 1]. */
static uint32_t project(const float at[3], float on_face[2])
{
    const float x = at[0], y = at[1], z = at[2], ax = fabsf(x), ay = fabsf(y), az = fabsf(z);
    double m, s, t;
    uint32_t face;
    if (ax >= ay && ax >= az) {
        face = signbit(x) ? 1 : 0;
        m = (double)ax, s = (double)(face ? z : -z), t = -(double)y;
    } else if (ay >= az) {
        face = signbit(y) ? 3 : 2;
        m = (double)ay, s = (double)x, t = (double)(face == 3 ? -z : z);
    } else {
        face = signbit(z) ? 5 : 4;
        m = (double)az, s = (double)(face == 5 ? -x : x), t = -(double)y;
    }
    on_face[0] = (float)((s / m + 1) / 2);
    on_face[1] = (float)((t / m + 1) / 2);
    return face;
}

/* ---- all together ------------------------------------------------------------------------------------------------ */

/* The layer, clamped ("Layered Textures"). */
static uint32_t layer_of(const struct fetch *f, const struct image *m, uint32_t layer)
{
    uint32_t layers = f->cube ? m->layers / IMAGE_FACES : m->layers;
    if (!f->layered)
        return 0;
    return layer < layers ? layer : layers - 1;
}

/* Adds the texels of one level, the first dimension fastest. */
static void add_level(struct footprint *o, const struct axis axes[3], uint32_t level, uint32_t layer, double share)
{
    for (uint32_t k = 0; k < axes[2].count; k++)
        for (uint32_t j = 0; j < axes[1].count; j++)
            for (uint32_t i = 0; i < axes[0].count; i++) {
                int64_t x = axes[0].at[i], y = axes[1].at[j], z = axes[2].at[k];
                double weight = (double)axes[0].weight[i] * axes[1].weight[j] * axes[2].weight[k] * share;
                bool outside = x < 0 || y < 0 || z < 0;
                o->taps[o->count++] = (struct tap){.level = level,
                                                   .x = x < 0 ? 0 : (uint32_t)x,
                                                   .y = y < 0 ? 0 : (uint32_t)y,
                                                   .z = (z < 0 ? 0 : (uint32_t)z) + layer,
                                                   .outside = outside,
                                                   .weight = weight / ((double)FRACTION * FRACTION * FRACTION)};
            }
}

static void filter_level(const struct fetch *f, const struct image *m, const struct rp_sampler *s,
                         const struct fetch_point *p, uint32_t level, uint32_t layer, double share, struct footprint *o)
{
    const struct image_level *l = &m->levels[level];
    const uint32_t extents[3] = {l->width, l->height, l->depth};
    struct axis axes[3];
    bool linear = f->kind == FETCH_GATHER || (s->filter == RP_FILTER_LINEAR && texel_is_float(m->element, s));
    for (unsigned i = 0; i < 3; i++)
        axes[i] = i < m->dimensions && i < f->dimensions
                      ? filtered(p->at[i], extents[i], f->has_offset ? p->offset[i] : 0, s, i, linear)
                      : (struct axis){{0, 0}, {FRACTION, 0}, 1};
    add_level(o, axes, level, layer, share);
}

static void find_texel(const struct fetch *f, const struct image *m, const struct fetch_point *p, uint32_t layer,
                       struct footprint *o)
{
    int32_t most = (int32_t)m->level_count - 1, given = f->level == FETCH_LOD ? p->level : 0;
    uint32_t level = (uint32_t)(given < 0 ? 0 : given > most ? most : given);
    bool outside = false;
    const struct image_level *l = &m->levels[level];
    const uint32_t extents[3] = {l->width, l->height, l->depth};
    uint32_t at[3] = {0, 0, 0};
    for (unsigned i = 0; i < f->dimensions && i < m->dimensions; i++) {
        int64_t x = (int64_t)p->texel[i] + (f->has_offset ? p->offset[i] : 0);
        outside |= x < 0 || x >= extents[i];
        at[i] = x < 0 || x >= extents[i] ? 0 : (uint32_t)x;
    }
    o->taps[0] = (struct tap){level, at[0], at[1], at[2] + layer, outside, 1};
    o->count = 1;
}

/* Orders the four texels as the result has them: lower left, lower right, upper right, upper left, where lower means
 * the greater y (PTX ISA, tld4). */
static void order_gather(struct footprint *o)
{
    struct tap t = o->taps[0];
    if (o->count < 4)
        return;
    o->taps[0] = o->taps[2];
    o->taps[2] = o->taps[1];
    o->taps[1] = o->taps[3];
    o->taps[3] = t;
}

void footprint_find(const struct fetch *f, const struct image *m, const struct rp_sampler *s,
                    const struct fetch_point *p, struct footprint *o)
{
    struct fetch_point on_face = *p;
    struct fetch flat = *f;
    struct rp_sampler sampler = *s;
    uint32_t layer = layer_of(f, m, p->layer), share;
    o->count = 0;
    if (f->cube) {
        layer = layer * IMAGE_FACES + project(p->at, on_face.at);
        flat.dimensions = 2;
        sampler.normalized_coordinates = true;
        sampler.address[0] = sampler.address[1] = RP_ADDRESS_CLAMP;
    }
    if (f->kind == FETCH_TEXEL) {
        find_texel(f, m, p, layer, o);
        return;
    }
    uint32_t level = choose_level(f, m, s, p, &share);
    filter_level(&flat, m, &sampler, &on_face, level, layer, 1 - share / (double)FRACTION, o);
    if (share)
        filter_level(&flat, m, &sampler, &on_face, level + 1, layer, share / (double)FRACTION, o);
    if (f->kind == FETCH_GATHER)
        order_gather(o);
}
