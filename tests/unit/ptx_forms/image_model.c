#include "tests/unit/ptx_forms/image_model.h"

#include <math.h>
#include <string.h>

/* ---- texels ---------------------------------------------------------------------------------------------------- */

static bool gives_floats(const struct model_image *m, const struct rp_sampler *s)
{
    return m->element.kind == RP_ELEMENT_FLOAT || (!s->read_as_integer && m->element.bits != 32);
}

static int64_t channel(const struct model_image *m, const uint8_t *at, int c)
{
    uint64_t v = 0;
    for (int i = m->element.bits / 8 - 1; i >= 0; i--)
        v = v << 8 | at[c * m->element.bits / 8 + i];
    bool negative = m->element.kind == RP_ELEMENT_SIGNED && v >> (m->element.bits - 1);
    return (int64_t)v - (negative ? (int64_t)1 << m->element.bits : 0);
}

static long double half_value(int64_t bits)
{
    int exponent = (int)(bits >> 10 & 31), fraction = (int)(bits & 1023);
    long double v = exponent ? ldexpl(1024 + fraction, exponent - 25) : ldexpl(fraction, -24);
    return bits >> 15 ? -v : v;
}

static long double number(const struct model_image *m, const struct rp_sampler *s, const uint8_t *at, int c)
{
    int64_t v = channel(m, at, c);
    float f;
    uint32_t bits = (uint32_t)v;
    switch (m->element.kind) {
    case RP_ELEMENT_FLOAT: memcpy(&f, &bits, 4); return m->element.bits == 16 ? half_value(v) : (long double)f;
    case RP_ELEMENT_SIGNED: return fmaxl(-1, (long double)v / (ldexpl(1, m->element.bits - 1) - 1));
    default: break;
    }
    long double x = (long double)v / (ldexpl(1, m->element.bits) - 1);
    if (s->srgb && m->element.bits == 8 && c < 3)
        return x <= 0.04045L ? x / 12.92L : powl((x + 0.055L) / 1.055L, 2.4L);
    return x;
}

static void read_texel(const struct model_image *m, const struct rp_sampler *s, const uint8_t *at,
                       struct model_answer *o)
{
    for (int c = 0; c < 4; c++) {
        bool there = c < m->element.channels;
        o->value[c] = there && o->is_float ? number(m, s, at, c) : c == 3;
        o->bits[c] = there ? (uint32_t)channel(m, at, c) : c == 3;
    }
}

static void border(const struct model_image *m, const struct rp_sampler *s, struct model_answer *o)
{
    for (int c = 0; c < 4; c++) {
        long double v = (long double)s->border[c], half = ldexpl(1, m->element.bits - 1);
        bool is_signed = m->element.kind == RP_ELEMENT_SIGNED;
        o->value[c] = v;
        v = fminl(fmaxl(v, is_signed ? -half : 0), is_signed ? half - 1 : 2 * half - 1);
        o->bits[c] = (uint32_t)(int64_t)v;
    }
}

/* ---- addressing -------------------------------------------------------------------------------------------------- */

/* Steps from i into [0, n) as the mode says; -1: the border. */
static int inside(int i, int n, int mode, bool normalized)
{
    if (!normalized && (mode == RP_ADDRESS_WRAP || mode == RP_ADDRESS_MIRROR))
        mode = RP_ADDRESS_CLAMP;
    while (i < 0 || i >= n)
        switch (mode) {
        case RP_ADDRESS_WRAP: i += i < 0 ? n : -n; break;
        case RP_ADDRESS_MIRROR: i = i < 0 ? -1 - i : 2 * n - 1 - i; break;
        case RP_ADDRESS_CLAMP: i = i < 0 ? 0 : n - 1; break;
        default: return -1;
        }
    return i;
}

/* ---- filtering --------------------------------------------------------------------------------------------------- */

struct sum {
    const struct model_image *m;
    const struct rp_sampler *s;
    const struct model_fetch *f;
    int level, layer;
    struct model_answer *o;
};

static void add_texel(struct sum *q, const int at[3], long double weight)
{
    struct model_answer t = {.is_float = q->o->is_float};
    const int *e = q->m->extent[q->level];
    int x[3];
    bool outside = false;
    for (unsigned i = 0; i < 3; i++) {
        x[i] = inside(at[i], e[i], q->s->address[i], q->s->normalized_coordinates);
        outside |= x[i] < 0;
    }
    if (outside)
        border(q->m, q->s, &t);
    else
        read_texel(q->m, q->s, texel_at(q->m, q->level, q->layer, x[0], x[1], x[2]), &t);
    for (int c = 0; c < 4; c++) {
        q->o->value[c] += weight != 0 ? weight * t.value[c] : 0;
        q->o->near += weight * fabsl(t.value[c]);
        q->o->bits[c] = t.bits[c];
    }
}

/* A coordinate in texels of the level. */
static long double scaled(const struct sum *q, unsigned i)
{
    long double x = (long double)q->f->at[i];
    return (q->s->normalized_coordinates ? x * q->m->extent[q->level][i] : x) + q->f->offset[i];
}

static void sample_level(struct sum *q, unsigned dimensions, long double share, bool linear)
{
    int low[3] = {0}, at[3];
    long double a[3] = {0};
    for (unsigned i = 0; i < dimensions; i++) {
        long double x = scaled(q, i);
        if (linear) {
            long double steps = floorl(x * 256 + 0.5L) - 128;
            low[i] = (int)floorl(steps / 256);
            a[i] = steps / 256 - low[i];
        } else {
            low[i] = (int)floorl(x);
        }
    }
    for (unsigned corner = 0; corner < (linear ? 1u << dimensions : 1u); corner++) {
        long double weight = share;
        for (unsigned i = 0; i < 3; i++) {
            unsigned upper = corner >> i & 1;
            at[i] = low[i] + (int)upper;
            weight *= upper ? a[i] : 1 - a[i];
        }
        add_texel(q, at, weight);
    }
}

static void gather(struct sum *q, const struct model_fetch *f)
{
    static const int corners[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
    struct model_answer all = {.is_float = q->o->is_float};
    long double x = floorl((scaled(q, 0) * 256 + 0.5L - 128) / 256),
                y = floorl((scaled(q, 1) * 256 + 0.5L - 128) / 256);
    for (int i = 0; i < 4; i++) {
        struct model_answer one = {.is_float = all.is_float};
        struct sum single = *q;
        single.o = &one;
        add_texel(&single, (int[3]){(int)x + corners[i][0], (int)y + corners[i][1], 0}, 1);
        all.value[i] = one.value[f->component];
        all.bits[i] = one.bits[f->component];
        all.near = fmaxl(all.near, one.near);
    }
    *q->o = all;
}

/* ---- levels, layers, cubes --------------------------------------------------------------------------------------- */

static long double level_of(const struct model_image *m, const struct rp_sampler *s, const struct model_fetch *f)
{
    long double lod = (long double)f->lod, longest = 0;
    for (int d = 0; f->has_gradient && d < 2; d++) {
        long double square = 0;
        for (unsigned i = 0; i < f->dimensions; i++) {
            long double step = (long double)(d ? f->dy : f->dx)[i];
            step *= s->normalized_coordinates ? m->extent[0][i] : 1;
            square += step * step;
        }
        longest = fmaxl(longest, sqrtl(square));
    }
    if (f->has_gradient)
        lod = log2l(longest);
    lod = fminl(fmaxl(lod + (long double)s->mip_bias, (long double)s->mip_min), (long double)s->mip_max);
    return fminl(fmaxl(lod, 0), m->levels - 1);
}

/* "Cubemap Textures": face, and s and t over m. */
static int on_cube(struct model_fetch *f)
{
    const float x = f->at[0], y = f->at[1], z = f->at[2];
    const struct {
        float m, s, t;
    } faces[6] = {{x, -z, -y}, {-x, z, -y}, {y, x, z}, {-y, x, -z}, {z, x, -y}, {-z, -x, -y}};
    for (int i = 0; i < 6; i++) {
        bool most = faces[i].m >= fabsf(x) && faces[i].m >= fabsf(y) && faces[i].m >= fabsf(z);
        if (!most)
            continue;
        f->at[0] = (faces[i].s / faces[i].m + 1) / 2;
        f->at[1] = (faces[i].t / faces[i].m + 1) / 2;
        return i;
    }
    return 0;
}

static void fetch_texel(struct sum *q)
{
    const int given = q->f->has_level ? q->f->level : 0;
    bool outside = false;
    q->level = given < 0 ? 0 : given >= q->m->levels ? q->m->levels - 1 : given;
    int at[3] = {0};
    for (unsigned i = 0; i < q->f->dimensions; i++) {
        at[i] = q->f->texel[i] + q->f->offset[i];
        outside |= at[i] < 0 || at[i] >= q->m->extent[q->level][i];
    }
    if (outside)
        return;
    read_texel(q->m, q->s, texel_at(q->m, q->level, q->layer, at[0], at[1], at[2]), q->o);
    for (int c = 0; c < 4; c++)
        q->o->near += fabsl(q->o->value[c]);
}

struct model_answer model_fetched(const struct model_image *m, const struct rp_sampler *s, const struct model_fetch *f)
{
    struct model_answer o = {.is_float = gives_floats(m, s)};
    struct model_fetch flat = *f;
    struct rp_sampler sampler = *s;
    int layers = m->cube ? m->layers / 6 : m->layers, layer = f->layer < (uint32_t)layers ? (int)f->layer : layers - 1;
    struct sum q = {m, &sampler, &flat, 0, f->layered ? layer : 0, &o};
    unsigned dimensions = f->cube ? 2 : f->dimensions;
    if (f->cube) {
        q.layer = q.layer * 6 + on_cube(&flat);
        sampler.normalized_coordinates = true;
        sampler.address[0] = sampler.address[1] = RP_ADDRESS_CLAMP;
    }
    long double lod = f->has_level || f->has_gradient ? level_of(m, s, f) : 0;
    bool linear = s->filter == RP_FILTER_LINEAR && o.is_float,
         between = s->mip_filter == RP_FILTER_LINEAR && o.is_float;
    if (f->kind == MODEL_TEXEL) {
        fetch_texel(&q);
    } else if (f->kind == MODEL_GATHER) {
        gather(&q, f);
    } else {
        long double fixed = between ? floorl(lod * 256 + 0.5L) / 256 : floorl(lod + 0.5L);
        q.level = (int)floorl(fixed);
        long double share = fixed - q.level;
        sample_level(&q, dimensions, 1 - share, linear);
        q.level++;
        if (share > 0)
            sample_level(&q, dimensions, share, linear);
    }
    o.near = ldexpl(o.near, -22);
    return o;
}

/* ---- surfaces ---------------------------------------------------------------------------------------------------- */

static uint16_t half_of(float f)
{
    uint16_t best = 0;
    long double least = INFINITY;
    for (uint32_t h = 0; h < 0x7c00; h++) {
        long double away = fabsl(half_value(h) - fabsl((long double)f));
        if (away < least || (away == least && h % 2 == 0))
            best = (uint16_t)h, least = away;
    }
    return signbit(f) ? best | 0x8000 : best;
}

void model_store(const struct model_image *m, uint8_t *element, const uint32_t channels[4])
{
    const int bits = m->element.bits;
    for (int c = 0; c < m->element.channels; c++) {
        int64_t v = channels[c], half = (int64_t)1 << (bits - 1);
        float f;
        memcpy(&f, &channels[c], 4);
        if (m->element.kind == RP_ELEMENT_FLOAT)
            v = bits == 16 ? half_of(f) : v;
        else if (m->element.kind == RP_ELEMENT_UNSIGNED)
            v = v > 2 * half - 1 ? 2 * half - 1 : v;
        else
            v = (int32_t)v > half - 1 ? half - 1 : (int32_t)v < -half ? -half : (int32_t)v;
        for (int i = 0; i < bits / 8; i++)
            element[c * bits / 8 + i] = (uint8_t)(v >> 8 * i);
    }
}
