#include "tests/unit/ptx_forms/image_rig.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state = 15;
void image_seed(uint64_t seed) { state = seed; }
uint32_t image_random(uint32_t below)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((state >> 33) % below);
}

int geometry_of(const struct spelled *s) { return mods_value(&s->mods, G_GEOMETRY, 1); }

static struct rp_element random_element(void)
{
    static const uint8_t bits[] = {8, 16, 32}, channels[] = {1, 2, 4};
    struct rp_element e = {(uint8_t)image_random(3), bits[image_random(3)], channels[image_random(3)]};
    if (e.kind == RP_ELEMENT_FLOAT && e.bits == 8)
        e.bits = 32;
    return e;
}

/* Floats near 1, so that sums of them say something. */
static void random_texels(struct model_image *m, int level)
{
    const int *e = m->extent[level], count = e[0] * e[1] * e[2] * m->layers, bits = m->element.bits;
    m->texels[level] = malloc((size_t)(count * element_bytes(m)));
    for (int i = 0; i < count * m->element.channels; i++) {
        uint32_t v = image_random(UINT32_MAX);
        float f = (float)((int)image_random(2001) - 1000) / 256;
        if (m->element.kind == RP_ELEMENT_FLOAT && bits == 32)
            memcpy(&v, &f, 4);
        if (m->element.kind == RP_ELEMENT_FLOAT && bits == 16)
            v = image_random(0x4400) | (v & 0x8000);
        memcpy(m->texels[level] + i * bits / 8, &v, (size_t)bits / 8);
    }
}

static struct rp_array_box whole(const struct model_image *m, int level)
{
    const int *e = m->extent[level];
    bool layers = m->layered || m->cube;
    return (struct rp_array_box){.width = (uint64_t)(e[0] * element_bytes(m)),
                                 .height = (uint64_t)e[1],
                                 .depth = (uint64_t)(layers ? m->layers : e[2])};
}

static void upload(struct image_rig *r, int level)
{
    struct rp_error err = {0};
    const struct model_image *m = &r->model;
    struct rp_array *a = rp_array_level(r->array, (uint32_t)level, &err);
    struct rp_array_box box = whole(m, level);
    cr_assert(a, "%s", err.text);
    cr_assert(rp_array_write(r->device, a, &box, m->texels[level], box.width, box.width * box.height, &err), "%s",
              err.text);
}

void rig_open(struct image_rig *r, int geometry, bool levels)
{
    struct rp_error err = {0};
    struct model_image *m = &r->model;
    memset(r, 0, sizeof *r);
    r->device = rp_device_new(&err);
    m->element = random_element();
    m->cube = geometry & 32;
    m->layered = geometry & 16;
    m->dimensions = m->cube ? 2 : (unsigned)geometry & 3;
    m->layers = (m->layered ? 1 + (int)image_random(4) : 1) * (m->cube ? 6 : 1);
    m->levels = levels ? 3 : 1;
    int side = 4 + (int)image_random(40);
    for (int l = 0; l < m->levels; l++) {
        const unsigned sides[3] = {(unsigned)side, m->cube ? (unsigned)side : 3 + (unsigned)side / 3, 5};
        for (unsigned i = 0; i < 3; i++)
            m->extent[l][i] = i >= m->dimensions ? 1 : sides[i] >> l ? (int)(sides[i] >> l) : 1;
        random_texels(m, l);
    }
    const int *e = m->extent[0];
    bool layers = m->layered || m->cube;
    struct rp_array_config c = {.element = m->element, .width = (uint32_t)e[0], .levels = (uint32_t)m->levels};
    c.height = m->dimensions > 1 ? (uint32_t)e[1] : 0;
    c.depth = layers ? (uint32_t)m->layers : m->dimensions > 2 ? (uint32_t)e[2] : 0;
    c.flags = (m->layered ? RP_ARRAY_LAYERED : 0u) | (m->cube ? RP_ARRAY_CUBEMAP : 0u);
    r->array = rp_array_new(r->device, &c, "image", &err);
    cr_assert(r->array, "%s", err.text);
    for (int l = 0; l < m->levels; l++)
        upload(r, l);
}

struct rp_sampler random_sampler(bool normalized)
{
    struct rp_sampler s = {.normalized_coordinates = normalized,
                           .filter = (uint8_t)image_random(2),
                           .mip_filter = (uint8_t)image_random(2),
                           .read_as_integer = image_random(2),
                           .srgb = image_random(2),
                           .mip_max = 9,
                           .border = {0.5f, -3, 300, 1}};
    for (int i = 0; i < 3; i++)
        s.address[i] = (uint8_t)image_random(4);
    if (image_random(3) == 0)
        s.mip_bias = 0.25f, s.mip_min = 0.5f, s.mip_max = 1.5f;
    return s;
}

/* Linear memory, or rows that are farther apart than they are long. */
static struct rp_resource plain_resource(struct image_rig *r)
{
    const struct model_image *m = &r->model;
    const uint64_t width = (uint64_t)m->extent[0][0], height = (uint64_t)m->extent[0][1],
                   bytes = (uint64_t)element_bytes(m);
    struct rp_resource p = {.kind = m->dimensions == 1 ? RP_RESOURCE_LINEAR : RP_RESOURCE_PITCH, .element = m->element};
    p.width = (uint32_t)width, p.height = (uint32_t)height;
    p.bytes = width * bytes;
    p.pitch = (width * bytes + 95) / 32 * 32; /* as devices want it */
    r->plain = p.address = rp_alloc(r->device, p.pitch * height, "plain", NULL);
    uint8_t *host = rp_host(r->device, p.address, p.pitch * height);
    for (uint64_t y = 0; y < height; y++)
        memcpy(host + y * p.pitch, m->texels[0] + y * p.bytes, p.bytes);
    return p;
}

void rig_texture(struct image_rig *r, const struct rp_sampler *s, bool plain)
{
    struct rp_error err = {0};
    const struct model_image *m = &r->model;
    plain &= !m->layered && !m->cube && m->dimensions < 3 && m->levels == 1;
    struct rp_resource p = plain ? plain_resource(r) : (struct rp_resource){.array = r->array};
    r->sampler = *s;
    r->handle = rp_texture_new(r->device, &p, s, NULL, &err);
    cr_assert(r->handle, "%s", err.text);
}

void rig_surface(struct image_rig *r)
{
    struct rp_error err = {0};
    r->handle = rp_surface_new(r->device, r->array, &err);
    cr_assert(r->handle, "%s", err.text);
}

bool rig_holds(struct image_rig *r)
{
    struct rp_error err = {0};
    struct rp_array_box box = whole(&r->model, 0);
    size_t slice = box.width * box.height, bytes = slice * box.depth;
    uint8_t *now = malloc(bytes);
    cr_assert(rp_array_read(r->device, r->array, &box, now, box.width, slice, &err), "%s", err.text);
    bool same = !memcmp(now, r->model.texels[0], bytes);
    free(now);
    return same;
}

void rig_close(struct image_rig *r)
{
    for (int l = 0; l < r->model.levels; l++)
        free(r->model.texels[l]);
    rp_device_free(r->device);
}

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

size_t image_kernel_text(char *to, size_t size, const char *name, const char *body)
{
    size_t n = (size_t)snprintf(
        to, size,
        ".visible .entry %s(.param .u64 object, .param .u64 in, .param .u64 out) {\n.reg .b64 %%in, %%out, %%d<20>; "
        ".reg .b32 %%r<40>; .reg .b16 %%h<8>; .reg .pred %%p<4>;\nld.param.u64 %%d0, [object]; ld.param.u64 %%in, "
        "[in]; "
        "ld.param.u64 %%out, [out]; mov.u32 %%r30, %%tid.x;\nmad.wide.u32 %%in, %%r30, %d, %%in; mad.wide.u32 %%out, "
        "%%r30, %d, %%out; setp.eq.u32 %%p1, 0, 1;\n",
        name, 4 * IMAGE_INPUTS, 4 * IMAGE_OUTPUTS);
    for (int i = 0; i < IMAGE_INPUTS; i++)
        n += (size_t)snprintf(to + n, size - n, "ld.global.b32 %%r%d, [%%in+%d];\n", i, 4 * i);
    for (int i = 0; i < 4; i++)
        n += (size_t)snprintf(to + n, size - n, "mov.b32 %%r%d, 0;\n", 20 + i);
    n += (size_t)snprintf(to + n, size - n, "%s\nselp.b32 %%r24, 1, 0, %%p1;\n", body);
    for (int i = 0; i < IMAGE_OUTPUTS; i++)
        n += (size_t)snprintf(to + n, size - n, "st.global.b32 [%%out+%d], %%r%d;\n", 4 * i, 20 + i);
    return n + (size_t)snprintf(to + n, size - n, "ret;\n}\n");
}

struct program *image_kernel(struct image_rig *r, const char *body)
{
    struct rp_error err = {0};
    char text[6000];
    size_t n = (size_t)snprintf(text, sizeof text, ".version 8.0\n.target sm_75\n.address_size 64\n");
    n += image_kernel_text(text + n, sizeof text - n, "k", body);
    struct module *m = rp_device_load_bytes(r->device, "image.ptx", text, n, &err);
    cr_assert(m, "%s\n%s", body, err.text);
    struct program *p = module_find(m, "k", &err);
    cr_assert(p, "%s\n%s", body, err.text);
    return p;
}

bool image_run(struct image_rig *r, struct program *p, struct rp_error *err)
{
    uint64_t params[3] = {r->handle, rp_alloc(r->device, sizeof r->in, "in", err), 0};
    params[2] = rp_alloc(r->device, sizeof r->out, "out", err);
    memcpy(rp_host(r->device, params[1], sizeof r->in), r->in, sizeof r->in);
    struct rp_launch_config c = {.grid = {1, 1, 1}, .block = {IMAGE_THREADS, 1, 1}, .params = params, .threads = 1};
    struct rp_launch_result result;
    bool ok = rp_launch_kernel(r->device, p, &c, &result, err);
    memcpy(r->out, rp_host(r->device, params[2], sizeof r->out), sizeof r->out);
    return ok;
}
