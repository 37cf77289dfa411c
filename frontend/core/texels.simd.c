#include "frontend/core/texels.h"

#include <math.h>
#include <string.h>

#include "frontend/core/lanes/small.h"

enum { FRACTION = 256 };
/* Coordinates that are in texels go no farther; they are outside of every image then. */
#define FARTHEST (2.0f * TEXELS_SIDE)

/* ---- one dimension ------------------------------------------------------------------------------------------------
 */

/* The texels along one dimension, as in footprint.c; -1: outside. */
struct lane_axis {
    _Alignas(64) int32_t at[2][LANES];
    int32_t weight[2][LANES];  /* in parts of FRACTION */
    uint32_t offset[2][LANES]; /* their part of the address; a texel outside counts as 0 */
    lanemask outside[2];
    uint32_t count;
};

static enum rp_address_mode mode_of(const struct rp_sampler *s, unsigned axis)
{
    enum rp_address_mode m = (enum rp_address_mode)s->address[axis];
    bool periodic = m == RP_ADDRESS_WRAP || m == RP_ADDRESS_MIRROR;
    return periodic && !s->normalized_coordinates ? RP_ADDRESS_CLAMP : m;
}

/* Numbers of texels are within one period of the image's. */
static void resolve(int32_t *restrict at, int32_t n, enum rp_address_mode mode)
{
    int32_t period = mode == RP_ADDRESS_MIRROR ? 2 * n : n;
    if (mode == RP_ADDRESS_WRAP || mode == RP_ADDRESS_MIRROR)
        for (int l = 0; l < LANES; l++) {
            int32_t i = at[l] < 0 ? at[l] + period : at[l];
            i = i >= period ? i - period : i;
            at[l] = i < n ? i : 2 * n - 1 - i;
        }
    else if (mode == RP_ADDRESS_BORDER)
        for (int l = 0; l < LANES; l++)
            at[l] = at[l] < 0 || at[l] >= n ? -1 : at[l];
    else
        for (int l = 0; l < LANES; l++)
            at[l] = at[l] < 0 ? 0 : at[l] >= n ? n - 1 : at[l];
}

/* Coordinates that are in texels, in parts of 1/FRACTION of a texel, rounded to nearest; with a point filter, whole
 * texels, rounded down. floats suffice: a product with a power of two, a floor, and what it leaves are exact. */
static void fix_texels(int32_t *restrict to, const uint32_t *restrict coordinate, bool linear)
{
    float x[LANES];
    memcpy(x, coordinate, sizeof x);
    for (int l = 0; l < LANES; l++) {
        float low = x[l] < -FARTHEST ? -FARTHEST : x[l], high = low > FARTHEST ? FARTHEST : low;
        x[l] = high == high ? high : 0;
    }
    float scale = linear ? FRACTION : 1, half = linear ? 0.5f : 2;
    for (int l = 0; l < LANES; l++) {
        float t = x[l] * scale, whole = floorf(t);
        to[l] = (int32_t)whole + (t - whole >= half);
    }
}

/* The same of normalized coordinates, in a dimension of n texels. */
static void fix_normalized(int32_t *restrict to, const uint32_t *restrict coordinate, int32_t n,
                           enum rp_address_mode mode, bool linear)
{
    float x[LANES];
    double t[LANES];
    memcpy(x, coordinate, sizeof x);
    for (int l = 0; l < LANES; l++)
        t[l] = (double)x[l];
    if (mode == RP_ADDRESS_WRAP)
        for (int l = 0; l < LANES; l++)
            t[l] -= floor(t[l]);
    if (mode == RP_ADDRESS_MIRROR)
        for (int l = 0; l < LANES; l++)
            t[l] -= 2 * floor(t[l] / 2);
    for (int l = 0; l < LANES; l++) {
        double at = t[l] * n, low = at < -FARTHEST ? -FARTHEST : at, high = low > FARTHEST ? FARTHEST : low;
        t[l] = high == high ? high : 0;
    }
    double scale = linear ? FRACTION : 1, half = linear ? 0.5 : 0;
    for (int l = 0; l < LANES; l++)
        to[l] = (int32_t)floor(t[l] * scale + half);
}

#define EXACT_FLOATS (1u << 24) /* a float has all numbers up to this one */

/* The texel that a point filter finds by coordinates that are in texels and clamped. None is negative then, so that the
 * conversion, which cuts off, rounds down. `n`: up to EXACT_FLOATS. */
static void clamp_texels(int32_t *restrict to, const uint32_t *restrict coordinate, uint32_t n)
{
    float x[LANES], last = (float)(n - 1);
    memcpy(x, coordinate, sizeof x);
    for (int l = 0; l < LANES; l++) {
        float low = x[l] > 0 ? x[l] : 0; /* a NaN is not */
        to[l] = (int32_t)(low < last ? low : last);
    }
}

static lanemask find_outside(const int32_t *at)
{
    lanemask outside = 0;
    int32_t any = 0;
    for (int l = 0; l < LANES; l++)
        any |= at[l];
    for (int l = 0; any < 0 && l < LANES; l++)
        outside |= (lanemask)(at[l] < 0) << l;
    return outside;
}

/* The texel whose middle lies before a coordinate, the next one, and their weights. */
static void find_pair(struct lane_axis *a, const int32_t fixed[LANES])
{
    int32_t *restrict first = a->at[0], *restrict second = a->at[1], *restrict v = a->weight[0],
                      *restrict w = a->weight[1];
    for (int l = 0; l < LANES; l++) {
        int32_t from = fixed[l] - FRACTION / 2;
        first[l] = from >> 8;
        second[l] = (from >> 8) + 1;
        v[l] = FRACTION - (from & (FRACTION - 1));
        w[l] = from & (FRACTION - 1);
    }
}

static void find_axis(struct lane_axis *restrict a, const uint32_t *coordinate, uint32_t n, const struct rp_sampler *s,
                      unsigned which, bool linear)
{
    enum rp_address_mode mode = mode_of(s, which);
    _Alignas(64) int32_t fixed[LANES];
    if (!linear && !s->normalized_coordinates && mode == RP_ADDRESS_CLAMP && n <= EXACT_FLOATS) {
        a->count = 1;
        a->outside[0] = 0;
        clamp_texels(a->at[0], coordinate, n);
        return;
    }
    if (s->normalized_coordinates)
        fix_normalized(fixed, coordinate, (int32_t)n, mode, linear);
    else
        fix_texels(fixed, coordinate, linear);
    a->count = linear ? 2 : 1;
    if (linear)
        find_pair(a, fixed);
    else
        memcpy(a->at[0], fixed, sizeof fixed);
    for (unsigned i = 0; i < a->count; i++) {
        resolve(a->at[i], (int32_t)n, mode);
        a->outside[i] = mode == RP_ADDRESS_BORDER ? find_outside(a->at[i]) : 0;
    }
}

/* Integer coordinates; outside is outside. */
static void find_texel_axis(struct lane_axis *a, const uint32_t *coordinate, uint32_t n)
{
    a->count = 1;
    for (int l = 0; l < LANES; l++)
        a->at[0][l] = coordinate[l] < n ? (int32_t)coordinate[l] : -1;
    a->outside[0] = find_outside(a->at[0]);
}

static void no_axis(struct lane_axis *a)
{
    a->count = 1;
    a->outside[0] = 0;
    for (int l = 0; l < LANES; l++) {
        a->weight[0][l] = FRACTION;
        a->offset[0][l] = 0;
    }
}

/* ---- all dimensions -----------------------------------------------------------------------------------------------
 */

/* What x (in bytes), y and z add to image_address of the base level. */
static void find_offsets(struct lane_axis *a, unsigned which, const struct image *m)
{
    const struct image_level *level = &m->levels[0];
    uint32_t bytes = rp_element_bytes(m->element), row = (uint32_t)level->row, slice = (level->height + 7u) / 8u * row;
    uint32_t scale = which == 2 ? slice : which == 1 ? row : bytes;
    for (unsigned n = 0; n < a->count; n++) {
        const int32_t *restrict at = a->at[n];
        uint32_t *restrict to = a->offset[n];
        if (which == 1 && m->tiled)
            for (int l = 0; l < LANES; l++) {
                uint32_t y = (uint32_t)(at[l] < 0 ? 0 : at[l]);
                to[l] = (y >> 3) * row + ((y & 6) << 5 | (y & 1) << 4);
            }
        else if (!which && m->tiled)
            for (int l = 0; l < LANES; l++) {
                uint32_t x = (uint32_t)(at[l] < 0 ? 0 : at[l]) * bytes;
                to[l] = (x >> 6 << 9) + ((x & 32) << 3 | (x & 16) << 1 | (x & 15));
            }
        else
            for (int l = 0; l < LANES; l++)
                to[l] = (uint32_t)(at[l] < 0 ? 0 : at[l]) * scale;
    }
}

static void add_tap(struct warp_texels *o, uint32_t first, const struct lane_axis axes[3], const uint32_t of[3])
{
    const uint32_t *x = axes[0].offset[of[0]], *y = axes[1].offset[of[1]], *z = axes[2].offset[of[2]];
    uint32_t tap = o->count++, *restrict at = o->at[tap];
    for (int l = 0; l < LANES; l++)
        at[l] = first + x[l] + y[l] + z[l];
    o->outside[tap] = axes[0].outside[of[0]] | axes[1].outside[of[1]] | axes[2].outside[of[2]];
}

/* A dimension that the image does not have multiplies by FRACTION. */
static void find_weights(struct warp_texels *o, const struct lane_axis axes[3], const uint32_t of[3],
                         uint32_t dimensions)
{
    const int32_t *u = axes[0].weight[of[0]], *v = axes[1].weight[of[1]], *w = axes[2].weight[of[2]];
    int32_t *restrict to = o->weight[o->count];
    if (dimensions < 3)
        for (int l = 0; l < LANES; l++)
            to[l] = u[l] * v[l] * FRACTION;
    else
        for (int l = 0; l < LANES; l++)
            to[l] = u[l] * v[l] * w[l];
}

void SIMD_NAME(texels_find)(struct warp_texels *o, const struct fetch *f, const struct image *m, uint32_t first,
                            const struct rp_sampler *s, const uint32_t *const coordinates[3])
{
    const uint32_t extents[3] = {m->levels[0].width, m->levels[0].height, m->levels[0].depth};
    bool linear = f->kind == FETCH_FILTER && s->filter == RP_FILTER_LINEAR && texel_is_float(m->element, s);
    struct lane_axis axes[3];
    for (unsigned i = 0; i < 3; i++) {
        bool used = i < m->dimensions && i < f->dimensions;
        if (!used)
            no_axis(&axes[i]);
        else if (f->kind == FETCH_TEXEL)
            find_texel_axis(&axes[i], coordinates[i], extents[i]);
        else
            find_axis(&axes[i], coordinates[i], extents[i], s, i, linear);
        if (used)
            find_offsets(&axes[i], i, m);
    }
    o->count = 0;
    uint32_t of[3];
    for (of[2] = 0; of[2] < axes[2].count; of[2]++)
        for (of[1] = 0; of[1] < axes[1].count; of[1]++)
            for (of[0] = 0; of[0] < axes[0].count; of[0]++) {
                if (linear)
                    find_weights(o, axes, of, m->dimensions);
                add_tap(o, first, axes, of);
            }
}

void SIMD_NAME(texels_span)(const struct warp_texels *t, uint32_t *low, uint32_t *high)
{
    _Alignas(64) uint32_t least[LANES], most[LANES];
    memcpy(least, t->at[0], sizeof least);
    memcpy(most, t->at[0], sizeof most);
    for (uint32_t n = 1; n < t->count; n++)
        for (int l = 0; l < LANES; l++) {
            least[l] = t->at[n][l] < least[l] ? t->at[n][l] : least[l];
            most[l] = t->at[n][l] > most[l] ? t->at[n][l] : most[l];
        }
    uint32_t first = least[0], last = most[0];
    for (int l = 0; l < LANES; l++) {
        first = least[l] < first ? least[l] : first;
        last = most[l] > last ? most[l] : last;
    }
    *low = first;
    *high = last;
}

bool SIMD_NAME(lanes_equal_32)(const uint32_t *values, uint32_t value, lanemask m)
{
    uint32_t differs = 0;
    for (int l = 0; l < LANES; l++)
        differs |= m >> l & 1 ? values[l] ^ value : 0;
    return !differs;
}

bool SIMD_NAME(lanes_equal_64)(const uint64_t *values, uint64_t value, lanemask m)
{
    uint64_t differs = 0;
    for (int l = 0; l < LANES; l++)
        differs |= m >> l & 1 ? values[l] ^ value : 0;
    return !differs;
}

/* ---- texels -------------------------------------------------------------------------------------------------------
 */

/* Words at offsets below 2^31. Compilers make 32 loads and as many shuffles of the loop. */
static void gather(uint32_t *restrict to, const uint8_t *host, const uint32_t *restrict at)
{
#ifdef __AVX512F__
    for (int l = 0; l < LANES; l += 16)
        _mm512_storeu_si512(to + l, _mm512_i32gather_epi32(_mm512_loadu_si512(at + l), host, 1));
#else
    typedef uint32_t __attribute__((may_alias)) word;
    for (int l = 0; l < LANES; l++)
        to[l] = *(const word *)(host + at[l]);
#endif
}

static void load(uint32_t *restrict to, unsigned bits, const uint8_t *host, const uint32_t *restrict at)
{
    typedef uint16_t __attribute__((may_alias)) half;
    for (int l = 0; bits == 8 && l < LANES; l++)
        to[l] = host[at[l]];
    for (int l = 0; bits == 16 && l < LANES; l++)
        to[l] = *(const half *)(host + at[l]);
    if (bits == 32)
        gather(to, host, at);
}

/* Maps the greatest value to 1. Signed: the least value and its successor become -1. */
static void normalize(uint32_t v[LANES], struct rp_element e)
{
    bool is_signed = e.kind == RP_ELEMENT_SIGNED;
    double most = (double)((1u << (e.bits - is_signed)) - 1);
    float f[LANES];
    for (int l = 0; l < LANES; l++) {
        int32_t i = is_signed ? (int32_t)(v[l] << (32 - e.bits)) >> (32 - e.bits) : (int32_t)v[l];
        double x = i / most;
        f[l] = (float)(x < -1 ? -1 : x);
    }
    memcpy(v, f, sizeof f);
}

/* One texel of each lane. */
static void read_texels(uint32_t *restrict to, struct rp_element e, bool is_float, uint32_t channel,
                        const uint8_t *host, const uint32_t *restrict first)
{
    load(to, e.bits, host + channel * (e.bits / 8u), first);
    if (is_float && e.kind != RP_ELEMENT_FLOAT)
        normalize(to, e);
    for (int l = 0; is_float && e.kind == RP_ELEMENT_FLOAT && e.bits == 16 && l < LANES; l++) {
        float f = f32_of_f16((uint16_t)to[l]);
        memcpy(&to[l], &f, sizeof f);
    }
    for (int l = 0; !is_float && e.kind == RP_ELEMENT_SIGNED && l < LANES; l++)
        to[l] = (uint32_t)((int32_t)(to[l] << (32 - e.bits)) >> (32 - e.bits));
}

/* What an image without this channel has there. */
static void read_missing(uint32_t *to, bool is_float, uint32_t channel)
{
    const float one = 1;
    uint32_t alpha = 1;
    if (is_float)
        memcpy(&alpha, &one, sizeof alpha);
    for (int l = 0; l < LANES; l++)
        to[l] = channel == 3 ? alpha : 0;
}

/* Leaves out texels of weight 0. */
static void add(double *restrict sum, const uint32_t *restrict floats, const int32_t *restrict weight)
{
    float f[LANES];
    memcpy(f, floats, sizeof f);
    for (int l = 0; l < LANES; l++) {
        double product = (double)weight[l] * (double)f[l];
        sum[l] += weight[l] ? product : 0;
    }
}

/* The same of texels that are floats. All are read before the first is added: a vector would wait for words that were
 * stored one by one just before. */
static void sum_floats(double *restrict sum, const struct warp_texels *t, const uint8_t *host)
{
    _Alignas(64) uint32_t texel[TEXELS_MOST][LANES];
    for (uint32_t n = 0; n < t->count; n++)
        load(texel[n], 32, host, t->at[n]);
    for (uint32_t n = 0; n < t->count; n++)
        add(sum, texel[n], t->weight[n]);
}

/* Weights are in parts of FRACTION³: that this power of two comes last changes no bit. */
static void round_sums(uint32_t *restrict to, const double *restrict sum)
{
    float f[LANES];
    for (int l = 0; l < LANES; l++)
        f[l] = (float)(sum[l] * (1 / ((double)FRACTION * FRACTION * FRACTION)));
    memcpy(to, f, sizeof f);
}

static void read_tap(uint32_t *restrict to, const struct warp_texels *t, uint32_t n, struct rp_element e, bool is_float,
                     uint32_t channel, uint32_t outside, const uint8_t *host)
{
    if (channel < e.channels)
        read_texels(to, e, is_float, channel, host, t->at[n]);
    else
        read_missing(to, is_float, channel);
    for (int l = 0; t->outside[n] && l < LANES; l++)
        to[l] = t->outside[n] >> l & 1 ? outside : to[l];
}

void SIMD_NAME(texels_read)(uint32_t *restrict to, const struct warp_texels *t, struct rp_element e,
                            const struct rp_sampler *s, uint32_t channel, uint32_t outside, const uint8_t *host)
{
    bool is_float = texel_is_float(e, s);
    lanemask any = 0;
    for (uint32_t n = 0; n < t->count; n++)
        any |= t->outside[n];
    if (t->count == 1 || (channel >= e.channels && !any)) {
        read_tap(to, t, 0, e, is_float, channel, outside, host);
        return;
    }
    _Alignas(64) double sum[LANES] = {0};
    if (channel < e.channels && !any && e.kind == RP_ELEMENT_FLOAT && e.bits == 32) {
        sum_floats(sum, t, host + channel * sizeof(float));
        round_sums(to, sum);
        return;
    }
    for (uint32_t n = 0; n < t->count; n++) {
        uint32_t texel[LANES];
        read_tap(texel, t, n, e, is_float, channel, outside, host);
        add(sum, texel, t->weight[n]);
    }
    round_sums(to, sum);
}
