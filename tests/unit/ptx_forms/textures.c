/* tex and tld4: every form of the instruction table on random images, samplers and coordinates, against the model. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "tests/unit/ptx_forms/image_rig.h"

enum { IMAGES = 3, LAYER = 0, COORDINATES = 1, LEVEL = 4, GRADIENTS = 5, OFFSETS = 11, FORMS_AT_LEAST = 300 };

static float float_of(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}
static uint32_t bits_of_float(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

/* ---- what a form is ---------------------------------------------------------------------------------------------- */

struct shape {
    unsigned dimensions;
    bool layered, cube, texel, gathers, level, gradient, offset, halves;
    int component;
};

static struct shape shape_of(const struct spelled *s)
{
    int g = geometry_of(s);
    struct shape f = {.dimensions = (unsigned)g & 3, .layered = g & 16, .cube = g & 32};
    f.gathers = !strcmp(s->form->opcode, "tld4");
    f.texel = s->mods.types[1] == PT_S32;
    f.level = mods_have(&s->mods, M_LOD);
    f.gradient = mods_have(&s->mods, M_GRAD);
    f.halves = s->mods.types[0] == PT_F16 || s->mods.types[0] == PT_F16X2;
    f.offset = s->operands == 3u + (f.gradient ? 2 : f.level);
    for (int c = 0; f.gathers && c < 4; c++) {
        const char name[] = {'.', "rgba"[c], '.', 0};
        f.component = strstr(s->text, name) ? c : f.component;
    }
    return f;
}

/* A number of operands that means something: coordinates, level or gradients, an offset. */
static bool is_form(const struct shape *f, const struct spelled *s)
{
    unsigned needed = 2u + (f->gradient ? 2 : f->level);
    return (s->operands == needed || (f->offset && !f->cube)) && !(f->gradient && f->texel);
}

static size_t vector(char *to, size_t size, unsigned first, unsigned count, const char *before)
{
    size_t n = (size_t)snprintf(to, size, "{%s", before);
    for (unsigned i = 0; i < count; i++)
        n += (size_t)snprintf(to + n, size - n, "%s%%r%u", i ? "," : "", first + i);
    for (unsigned i = count + (*before != 0); i == 3; i++) /* as ptxas has it: four of them */
        n += (size_t)snprintf(to + n, size - n, ",%%r%u", first);
    return n + (size_t)snprintf(to + n, size - n, "}");
}

static void body_of(const struct spelled *s, const struct shape *f, char *to, size_t size)
{
    const enum ptx_type type = (enum ptx_type)s->mods.types[0];
    size_t n = (size_t)snprintf(to, size, "%s %s|%%p1, [%%d0, ", s->text,
                                type == PT_F16     ? "{%h0,%h1,%h2,%h3}"
                                : type == PT_F16X2 ? "{%r20,%r21}"
                                                   : "{%r20,%r21,%r22,%r23}");
    n += vector(to + n, size - n, COORDINATES, f->dimensions, f->layered ? "%r0," : "");
    n += (size_t)snprintf(to + n, size - n, "]");
    if (f->level)
        n += (size_t)snprintf(to + n, size - n, ", %%r%d", LEVEL);
    for (unsigned g = 0; f->gradient && g < 2; g++) {
        n += (size_t)snprintf(to + n, size - n, ", ");
        n += vector(to + n, size - n, GRADIENTS + 3 * g, f->dimensions, "");
    }
    if (f->offset) {
        n += (size_t)snprintf(to + n, size - n, ", ");
        n += vector(to + n, size - n, OFFSETS, f->dimensions, "");
    }
    snprintf(to + n, size - n, ";%s", type == PT_F16 ? "mov.b32 %r20, {%h0,%h1}; mov.b32 %r21, {%h2,%h3};" : "");
}

/* ---- inputs ------------------------------------------------------------------------------------------------------ */

/* Multiples of 1/1024, a bit beyond the image; of a cube with a longest side that is a power of two: all exact. */
static void random_coordinates(const struct image_rig *r, const struct rp_sampler *s, const struct shape *f,
                               uint32_t in[IMAGE_INPUTS])
{
    unsigned longest = image_random(3);
    for (unsigned i = 0; i < f->dimensions; i++) {
        const int extent = i < r->model.dimensions ? r->model.extent[0][i] : 1;
        if (f->texel)
            in[COORDINATES + i] = image_random((uint32_t)extent + 6) - 3;
        else if (f->cube)
            in[COORDINATES + i] =
                bits_of_float(i == longest ? image_random(2) ? 2 : -2 : (float)((int)image_random(257) - 128) / 64);
        else
            in[COORDINATES + i] = bits_of_float((float)((int)image_random(5120) - 2048) / 1024 *
                                                (s->normalized_coordinates ? 1 : (float)extent));
    }
}

static void random_inputs(const struct image_rig *r, const struct rp_sampler *s, const struct shape *f,
                          uint32_t in[IMAGE_INPUTS])
{
    in[LAYER] = image_random((uint32_t)r->model.layers + 2);
    random_coordinates(r, s, f, in);
    in[LEVEL] = f->texel ? image_random(5) - 1 : bits_of_float((float)((int)image_random(1200) - 200) / 256);
    for (int i = 0; i < 6; i++) /* one step, along one axis: the level is exact */
        in[GRADIENTS + i] = 0;
    if (!f->cube)
        in[GRADIENTS + 3 * (int)image_random(2) + (int)image_random(f->dimensions)] =
            bits_of_float(ldexpf(1, (int)image_random(6) - (s->normalized_coordinates ? 4 : 2)));
    for (unsigned i = 0; i < 3; i++)
        in[OFFSETS + i] = image_random(16) - 8;
}

static struct model_fetch fetch_of(const struct shape *f, const uint32_t in[IMAGE_INPUTS])
{
    struct model_fetch m = {.kind = f->gathers ? MODEL_GATHER
                                    : f->texel ? MODEL_TEXEL
                                               : MODEL_FILTER,
                            .dimensions = f->dimensions,
                            .layered = f->layered,
                            .cube = f->cube,
                            .component = f->component,
                            .layer = in[LAYER],
                            .has_level = f->level,
                            .has_gradient = f->gradient,
                            .lod = float_of(in[LEVEL]),
                            .level = (int)in[LEVEL]};
    for (unsigned i = 0; i < f->dimensions; i++) {
        m.at[i] = float_of(in[COORDINATES + i]);
        m.texel[i] = (int)in[COORDINATES + i];
        m.offset[i] = f->offset ? (int)in[OFFSETS + i] : 0;
        m.dx[i] = float_of(in[GRADIENTS + i]);
        m.dy[i] = float_of(in[GRADIENTS + 3 + i]);
    }
    return m;
}

/* ---- comparison -------------------------------------------------------------------------------------------------- */

static long double half_value(uint32_t h)
{
    int exponent = (int)(h >> 10 & 31), fraction = (int)(h & 1023);
    long double v = exponent ? ldexpl(1024 + fraction, exponent - 25) : ldexpl(fraction, -24);
    return h >> 15 & 1 ? -v : v;
}

static void expect_answer(const struct image_rig *r, const struct spelled *s, const struct shape *f, unsigned thread,
                          const struct model_answer *a)
{
    const uint32_t *out = r->out[thread];
    cr_assert(out[4], "%s: the predicate is not set", s->text);
    for (int c = 0; c < 4; c++) {
        if (!a->is_float) {
            cr_assert(f->halves || out[c] == a->bits[c], "%s, thread %u, component %d: 0x%x, not 0x%x", s->text, thread,
                      c, out[c], a->bits[c]);
            continue;
        }
        long double got = f->halves ? half_value(out[c / 2] >> 16 * (c % 2)) : (long double)float_of(out[c]);
        long double bound = a->near + (f->halves ? fabsl(a->value[c]) / 2048 + 0x1p-25L : 0);
        if (f->halves && fabsl(a->value[c]) > 65504)
            continue;
        cr_assert(fabsl(got - a->value[c]) <= bound, "%s, thread %u, component %d: %Lg, not %Lg", s->text, thread, c,
                  got, a->value[c]);
    }
}

bool texture_form_open(struct image_rig *r, const struct spelled *s, char *body, size_t size)
{
    struct shape f = shape_of(s);
    if (!is_form(&f, s))
        return false;
    struct rp_sampler sampler = random_sampler(!f.texel && image_random(2));
    rig_open(r, geometry_of(s), (f.level || f.gradient) && image_random(4));
    rig_texture(r, &sampler, r->model.dimensions == 1 ? f.texel && image_random(2) : image_random(2));
    body_of(s, &f, body, size);
    for (unsigned t = 0; t < IMAGE_THREADS; t++)
        random_inputs(r, &sampler, &f, r->in[t]);
    return true;
}

static bool try_image(const struct spelled *s)
{
    struct image_rig r;
    struct rp_error err = {0};
    struct shape f = shape_of(s);
    char body[600];
    if (!texture_form_open(&r, s, body, sizeof body))
        return false;
    cr_assert(image_run(&r, image_kernel(&r, body), &err), "%s: %s", s->text, err.text);
    for (unsigned t = 0; t < IMAGE_THREADS; t++) {
        struct model_fetch fetch = fetch_of(&f, r.in[t]);
        struct model_answer a = model_fetched(&r.model, &r.sampler, &fetch);
        expect_answer(&r, s, &f, t, &a);
    }
    rig_close(&r);
    return true;
}

static void try_form(const struct spelled *s, void *data)
{
    for (int i = 0; i < IMAGES; i++)
        if (!try_image(s))
            return;
    ++*(unsigned *)data;
}

static unsigned walk(const char *opcode, void (*visit)(const struct spelled *, void *))
{
    unsigned tried = 0;
    uint32_t count;
    const struct ptx_form *forms = ptx_opcode(opcode, (uint32_t)strlen(opcode), &count);
    for (uint32_t i = 0; i < count; i++)
        if (forms[i].lowering != LOW_NONE)
            walk_row(&forms[i], true, visit, &tried);
    return tried;
}

Test(textures, every_form_reads_what_the_model_does)
{
    unsigned tex = walk("tex", try_form), tld4 = walk("tld4", try_form);
    fprintf(stderr, "# %u forms of tex and %u of tld4 agree with the model\n", tex, tld4);
    cr_expect_gt(tex, (unsigned)FORMS_AT_LEAST);
    cr_expect_gt(tld4, 40u);
}
