/* suld, sust, sured, txq and suq: every form of the instruction table on random images, against plain arrays. */
#include <criterion/criterion.h>
#include <string.h>

#include "frontend/core/image.h"
#include "tests/unit/ptx_forms/image_rig.h"

enum { IMAGES = 4, LAYER = 0, COORDINATES = 1, VALUES = 4 };

/* ---- the access -------------------------------------------------------------------------------------------------- */

struct shape {
    unsigned dimensions, bytes, elements; /* bytes: of all elements together */
    bool layered, formatted;
    enum { SHAPE_TRAP, SHAPE_CLAMP, SHAPE_ZERO } clamp;
};

static struct shape shape_of(const struct spelled *s)
{
    int g = geometry_of(s);
    struct shape f = {.dimensions = (unsigned)g & 3, .layered = g & 16};
    f.elements = (unsigned)mods_value(&s->mods, G_VECTOR, 1);
    f.bytes = f.elements * ptx_types[s->mods.types[0]].bits / 8;
    f.formatted = mods_have(&s->mods, M_FORMATTED);
    f.clamp = mods_have(&s->mods, M_ZERO) ? SHAPE_ZERO : mods_have(&s->mods, M_CLAMP) ? SHAPE_CLAMP : SHAPE_TRAP;
    return f;
}

static void address_of(const struct shape *f, char *to, size_t size)
{
    static const char *const plain[] = {"{%r1}", "{%r1,%r2}", "{%r1,%r2,%r3,%r1}"};
    static const char *const layered[] = {"{%r0,%r1}", "{%r0,%r1,%r2,%r1}"};
    snprintf(to, size, "[%%d0, %s]", f->layered ? layered[f->dimensions - 1] : plain[f->dimensions - 1]);
}

/* Registers of a vector of elements, of 64, 32 or 16 bits. */
static void vector_of(const struct shape *f, char *to, size_t size)
{
    const unsigned bytes = f->bytes / f->elements;
    const char *class = bytes == 8 ? "d" : bytes == 4 ? "r" : "h";
    const unsigned first = bytes == 8 ? 10 : bytes == 4 ? 20 : 0;
    size_t n = (size_t)snprintf(to, size, "%s", f->elements > 1 ? "{" : "");
    for (unsigned i = 0; i < f->elements; i++)
        n += (size_t)snprintf(to + n, size - n, "%s%%%s%u", i ? "," : "", class, first + i);
    snprintf(to + n, size - n, "%s", f->elements > 1 ? "}" : "");
}

/* Moves the elements between their registers and the words of a thread, %r20.. or %r4... */
static void moves(const struct shape *f, bool to_words, unsigned word, char *to, size_t size)
{
    const unsigned bytes = f->bytes / f->elements;
    size_t n = 0;
    *to = 0;
    for (unsigned i = 0; i < f->elements; i++)
        if (bytes == 8 && i < 2)
            n += (size_t)snprintf(to + n, size - n,
                                  to_words ? "mov.b64 {%%r%2$u,%%r%3$u}, %%d%1$u;" : "mov.b64 %%d%u, {%%r%u,%%r%u};",
                                  10 + i, word + 2 * i, word + 2 * i + 1);
        else if (bytes == 4)
            n += (size_t)snprintf(to + n, size - n, to_words ? "mov.b32 %%r%2$u, %%r%1$u;" : "mov.b32 %%r%u, %%r%u;",
                                  20 + i, word + i);
        else if (bytes < 4)
            n +=
                (size_t)snprintf(to + n, size - n,
                                 to_words ? "cvt.u32.u16 %%r%2$u, %%h%1$u;" : "cvt.u16.u32 %%h%u, %%r%u;", i, word + i);
}

/* Where the thread's element is; false: outside. */
static bool place_of(const struct image_rig *r, const struct shape *f, const uint32_t in[IMAGE_INPUTS], uint8_t **at)
{
    const struct model_image *m = &r->model;
    const int wide = f->formatted ? element_bytes(m) : (int)f->bytes;
    const int limits[4] = {m->layers, m->extent[0][0] * element_bytes(m) / wide, m->extent[0][1], m->extent[0][2]};
    int place[4] = {0};
    bool inside = true;
    for (unsigned i = 0; i < 4; i++) {
        bool used = i == 0 ? f->layered : i <= f->dimensions;
        int v = used ? (int)in[LAYER + i] : 0;
        if (i == 1 && !f->formatted)
            v = v < 0 ? -1 : v / wide;
        inside &= v >= 0 && v < limits[i];
        place[i] = v < 0 ? 0 : v >= limits[i] ? limits[i] - 1 : v;
    }
    *at = texel_at(m, 0, place[0], 0, place[2], place[3]) + place[1] * wide;
    return inside || f->clamp == SHAPE_CLAMP;
}

static void random_inputs(const struct image_rig *r, const struct shape *f, uint32_t in[IMAGE_INPUTS])
{
    const struct model_image *m = &r->model;
    const int wide = f->formatted ? 1 : (int)f->bytes, row = m->extent[0][0] * (f->formatted ? 1 : element_bytes(m));
    const uint32_t beyond = f->clamp == SHAPE_TRAP ? 0 : 2;
    in[LAYER] = image_random((uint32_t)m->layers + 2 * beyond) - beyond;
    in[COORDINATES] = (image_random((uint32_t)(row / wide) + 2 * beyond) - beyond) * (uint32_t)wide;
    in[COORDINATES + 1] = image_random((uint32_t)m->extent[0][1] + 2 * beyond) - beyond;
    in[COORDINATES + 2] = image_random((uint32_t)m->extent[0][2] + 2 * beyond) - beyond;
    for (int i = VALUES; i < IMAGE_INPUTS; i++) {
        const float number = (float)((int)image_random(20001) - 10000) / 64; /* a half rounds it */
        in[i] = image_random(4) ? image_random(UINT32_MAX) : image_random(300);
        if (f->formatted && m->element.kind == RP_ELEMENT_FLOAT)
            memcpy(&in[i], &number, 4);
    }
}

/* A row that is a multiple of the access. */
static void open_surface(struct image_rig *r, const struct spelled *s, const struct shape *f)
{
    for (;;) {
        rig_open(r, geometry_of(s), false);
        if (f->formatted || r->model.extent[0][0] * element_bytes(&r->model) % (int)f->bytes == 0)
            break;
        rig_close(r);
    }
    rig_surface(r);
    for (unsigned t = 0; t < IMAGE_THREADS; t++)
        random_inputs(r, f, r->in[t]);
}

static void values_of(const struct shape *f, bool load, char *before, char *vector, char *after, size_t size)
{
    *before = *after = 0;
    vector_of(f, vector, size);
    moves(f, load, load ? 20 : VALUES, load ? after : before, size);
}

/* Reductions of .p want elements of 32 bits that are integers. */
static bool goes_with(const struct spelled *s, const struct image_rig *r)
{
    const struct rp_element *e = &r->model.element;
    bool formatted = mods_have(&s->mods, M_FORMATTED) && !strcmp(s->form->opcode, "sured");
    return !formatted || (e->bits == 32 && e->channels == 1 && e->kind != RP_ELEMENT_FLOAT);
}

bool surface_form_open(struct image_rig *r, const struct spelled *s, char *body, size_t size)
{
    struct shape f = shape_of(s);
    char address[80], vector[80], before[300], after[300];
    const bool load = !strcmp(s->form->opcode, "suld");
    if (f.bytes > 16)
        return false;
    for (open_surface(r, s, &f); !goes_with(s, r); open_surface(r, s, &f))
        rig_close(r);
    address_of(&f, address, sizeof address);
    values_of(&f, load, before, vector, after, sizeof before);
    if (load)
        snprintf(body, size, "%s %s, %s; %s", s->text, vector, address, after);
    else
        snprintf(body, size, "%s %s %s, %s;", before, s->text, address, vector);
    return true;
}

/* ---- suld -------------------------------------------------------------------------------------------------------- */

static void try_load(const struct spelled *s, const struct shape *f)
{
    struct image_rig r;
    struct rp_error err = {0};
    char body[800];
    surface_form_open(&r, s, body, sizeof body);
    cr_assert(image_run(&r, image_kernel(&r, body), &err), "%s: %s", s->text, err.text);
    const unsigned bytes = f->bytes / f->elements;
    for (unsigned t = 0; t < IMAGE_THREADS; t++) {
        uint8_t *at, expected[16] = {0}, got[16] = {0};
        if (place_of(&r, f, r.in[t], &at))
            memcpy(expected, at, f->bytes);
        for (unsigned i = 0; i < f->elements; i++)
            memcpy(got + i * bytes, (uint8_t *)r.out[t] + i * (bytes < 4 ? 4 : bytes), bytes);
        cr_assert_arr_eq(got, expected, sizeof got, "%s, thread %u", s->text, t);
    }
    rig_close(&r);
}

/* ---- sust -------------------------------------------------------------------------------------------------------- */

/* Each thread in its place: of several threads in one, the last stays. */
static void model_stores(struct image_rig *r, const struct shape *f)
{
    const unsigned bytes = f->bytes / f->elements;
    for (unsigned t = 0; t < IMAGE_THREADS; t++) {
        uint8_t *at;
        uint32_t channels[4] = {0};
        if (!place_of(r, f, r->in[t], &at))
            continue;
        memcpy(channels, r->in[t] + VALUES, 4 * f->elements);
        if (f->formatted)
            model_store(&r->model, at, channels);
        for (unsigned i = 0; !f->formatted && i < f->elements; i++)
            memcpy(at + i * bytes, (uint8_t *)(r->in[t] + VALUES) + i * (bytes < 4 ? 4 : bytes), bytes);
    }
}

static void try_store(const struct spelled *s, const struct shape *f)
{
    struct image_rig r;
    struct rp_error err = {0};
    char body[800];
    surface_form_open(&r, s, body, sizeof body);
    cr_assert(image_run(&r, image_kernel(&r, body), &err), "%s: %s", s->text, err.text);
    model_stores(&r, f);
    cr_assert(rig_holds(&r), "%s: the array is not as expected", s->text);
    rig_close(&r);
}

/* ---- sured ------------------------------------------------------------------------------------------------------- */

static uint64_t reduced(const struct spelled *s, bool is_signed, unsigned bits, uint64_t a, uint64_t b)
{
    int64_t sa = (int64_t)(a << (64 - bits)) >> (64 - bits), sb = (int64_t)(b << (64 - bits)) >> (64 - bits);
    bool less = is_signed ? sb < sa : b < a;
    if (mods_have(&s->mods, M_ADD))
        return a + b;
    if (mods_have(&s->mods, M_MIN))
        return less ? b : a;
    if (mods_have(&s->mods, M_MAX))
        return less ? a : b;
    return mods_have(&s->mods, M_AND) ? a & b : a | b;
}

static void try_reduction(const struct spelled *s, const struct shape *f)
{
    struct image_rig r;
    struct rp_error err = {0};
    char body[800];
    surface_form_open(&r, s, body, sizeof body);
    cr_assert(image_run(&r, image_kernel(&r, body), &err), "%s: %s", s->text, err.text);
    bool is_signed = f->formatted ? r.model.element.kind == RP_ELEMENT_SIGNED : ptx_types[s->mods.types[0]].kind == 'S';
    for (unsigned t = 0; t < IMAGE_THREADS; t++) {
        uint8_t *at;
        uint64_t old = 0, value = 0;
        if (!place_of(&r, f, r.in[t], &at))
            continue;
        memcpy(&old, at, f->bytes);
        memcpy(&value, r.in[t] + VALUES, f->bytes);
        old = reduced(s, is_signed, 8 * f->bytes, old, value);
        memcpy(at, &old, f->bytes);
    }
    cr_assert(rig_holds(&r), "%s: the array is not as expected", s->text);
    rig_close(&r);
}

static void try_surface(const struct spelled *s, void *data)
{
    struct shape f = shape_of(s);
    if (f.bytes > 16)
        return;
    for (int i = 0; i < IMAGES; i++)
        if (!strcmp(s->form->opcode, "suld"))
            try_load(s, &f);
        else if (!strcmp(s->form->opcode, "sust"))
            try_store(s, &f);
        else
            try_reduction(s, &f);
    ++*(unsigned *)data;
}

/* ---- txq, suq ---------------------------------------------------------------------------------------------------- */

static uint32_t answer(const struct spelled *s, const struct image_rig *r, const struct rp_sampler *t, int level)
{
    const struct model_image *m = &r->model;
    static const uint32_t orders[] = {0, 0x10b0, 0x10b2, 0, 0x10b5}, modes[] = {0, 3, 1, 4};
    const uint32_t size = m->element.bits == 8 ? 0 : m->element.bits == 16 ? 1 : 2;
    const uint32_t normalized = m->element.kind == RP_ELEMENT_SIGNED ? 0x10d0 : 0x10d2;
    switch (mods_value(&s->mods, G_QUERY, 0)) {
    case QUERY_WIDTH: return (uint32_t)m->extent[level][0];
    case QUERY_HEIGHT: return m->dimensions > 1 ? (uint32_t)m->extent[level][1] : 0;
    case QUERY_DEPTH: return m->dimensions > 2 ? (uint32_t)m->extent[level][2] : 0;
    case QUERY_CHANNEL_ORDER: return orders[m->element.channels];
    case QUERY_CHANNEL_TYPE:
        if (m->element.kind == RP_ELEMENT_FLOAT)
            return size == 1 ? 0x10dd : 0x10de;
        if (t && !t->read_as_integer && size < 2)
            return normalized + size;
        return (m->element.kind == RP_ELEMENT_SIGNED ? 0x10d7 : 0x10da) + size;
    case QUERY_NORMALIZED: return t->normalized_coordinates;
    case QUERY_FILTER: return t->filter;
    case QUERY_ADDRESS_X: return modes[t->address[0]];
    case QUERY_ADDRESS_Y: return modes[t->address[1]];
    case QUERY_ADDRESS_Z: return modes[t->address[2]];
    case QUERY_LAYERS: return m->layered ? (uint32_t)m->layers : 0;
    case QUERY_LEVELS: return (uint32_t)m->levels;
    case QUERY_SAMPLES: return 1;
    default: return 0;
    }
}

static const int geometries[] = {1, 2, 3, 1 | 16, 2 | 16};

bool extent_form_open(struct image_rig *r, const struct spelled *s, char *body, size_t size)
{
    return mods_value(&s->mods, G_QUERY, 0) <= QUERY_DEPTH && query_form_open(r, s, body, size);
}

bool query_form_open(struct image_rig *r, const struct spelled *s, char *body, size_t size)
{
    const bool surface = !strcmp(s->form->opcode, "suq");
    rig_open(r, geometries[image_random(5)], !surface);
    const struct rp_sampler sampler = random_sampler(image_random(2));
    if (surface)
        rig_surface(r);
    else
        rig_texture(r, &sampler, false);
    snprintf(body, size, "%s %%r20, [%%d0]%s;", s->text, mods_have(&s->mods, M_LOD) ? ", 1" : "");
    return true;
}

static void try_query(const struct spelled *s, void *data)
{
    const bool surface = !strcmp(s->form->opcode, "suq"), level = mods_have(&s->mods, M_LOD);
    for (int i = 0; i < 10; i++) {
        struct image_rig r;
        struct rp_error err = {0};
        char body[200];
        struct rp_sampler t = random_sampler(image_random(2));
        rig_open(&r, geometries[i % 5], !surface);
        if (surface)
            rig_surface(&r);
        else
            rig_texture(&r, &t, false);
        snprintf(body, sizeof body, "%s %%r20, [%%d0]%s;", s->text, level ? ", 1" : "");
        cr_assert(image_run(&r, image_kernel(&r, body), &err), "%s: %s", s->text, err.text);
        uint32_t expected = answer(s, &r, surface ? NULL : &t, level);
        cr_assert_eq(r.out[IMAGE_THREADS - 1][0], expected, "%s: %u, not %u", s->text, r.out[IMAGE_THREADS - 1][0],
                     expected);
        rig_close(&r);
    }
    ++*(unsigned *)data;
}

static unsigned walk(const char *opcode, bool each, void (*visit)(const struct spelled *, void *))
{
    unsigned tried = 0;
    uint32_t count;
    const struct ptx_form *forms = ptx_opcode(opcode, (uint32_t)strlen(opcode), &count);
    for (uint32_t i = 0; i < count; i++)
        if (forms[i].lowering != LOW_NONE)
            walk_row(&forms[i], each, visit, &tried);
    return tried;
}

Test(surfaces, every_form_does_what_the_model_does)
{
    unsigned loads = walk("suld", true, try_surface), stores = walk("sust", true, try_surface);
    unsigned reductions = walk("sured", true, try_surface);
    fprintf(stderr, "# %u forms of suld, %u of sust and %u of sured agree with the model\n", loads, stores, reductions);
    cr_expect(loads > 500 && stores > 500 && reductions > 100);
}

Test(surfaces, every_query_tells_what_was_asked_for)
{
    cr_expect_gt(walk("txq", true, try_query) + walk("suq", true, try_query), 20u);
}
