#include "frontend/core/image.h"

/* cl_channel_type: OpenCL 1.2, cl.h */
static uint32_t channel_type(struct rp_element e, const struct rp_sampler *s)
{
    enum { SNORM_8 = 0x10d0, SNORM_16, UNORM_8, UNORM_16, SIGNED_8 = 0x10d7, UNSIGNED_8 = 0x10da, HALF = 0x10dd };
    const uint32_t size = e.bits == 8 ? 0 : e.bits == 16 ? 1 : 2;
    bool is_signed = e.kind == RP_ELEMENT_SIGNED;
    if (e.kind == RP_ELEMENT_FLOAT)
        return e.bits == 16 ? HALF : HALF + 1;
    if (texel_is_float(e, s))
        return (is_signed ? SNORM_8 : UNORM_8) + size;
    return (is_signed ? SIGNED_8 : UNSIGNED_8) + size;
}

static uint32_t channel_order(struct rp_element e)
{
    enum { R = 0x10b0, RG = 0x10b2, RGBA = 0x10b5 };
    return e.channels == 1 ? R : e.channels == 2 ? RG : RGBA;
}

/* PTX ISA, "Texture Sampler and Surface Types": the order of the names in .addr_mode_0. */
static uint32_t address_mode(enum rp_address_mode m)
{
    static const uint8_t numbers[] = {
        [RP_ADDRESS_WRAP] = 0, [RP_ADDRESS_MIRROR] = 1, [RP_ADDRESS_CLAMP] = 3, [RP_ADDRESS_BORDER] = 4};
    return numbers[m];
}

uint32_t image_query_value(const struct texture_object *t, enum image_query query, uint32_t level)
{
    const struct image *m = &t->image;
    if (query <= QUERY_DEPTH && level >= m->level_count)
        return 0;
    const struct image_level *l = &m->levels[level < m->level_count ? level : 0];
    const struct rp_sampler as_integer = {.read_as_integer = true};
    switch (query) {
    case QUERY_WIDTH: return l->width;
    case QUERY_HEIGHT: return m->dimensions > 1 ? l->height : 0;
    case QUERY_DEPTH: return m->dimensions > 2 ? l->depth : 0;
    case QUERY_CHANNEL_TYPE: return channel_type(m->element, t->is_surface ? &as_integer : &t->sampler);
    case QUERY_CHANNEL_ORDER: return channel_order(m->element);
    case QUERY_NORMALIZED: return t->sampler.normalized_coordinates;
    case QUERY_FORCE_UNNORMALIZED: return 0;
    case QUERY_FILTER: return t->sampler.filter;
    case QUERY_ADDRESS_X:
    case QUERY_ADDRESS_Y:
    case QUERY_ADDRESS_Z: return address_mode((enum rp_address_mode)t->sampler.address[query - QUERY_ADDRESS_X]);
    case QUERY_LAYERS: return !m->layered && !m->cube ? 0 : m->cube ? m->layers / IMAGE_FACES : m->layers;
    case QUERY_LEVELS: return m->level_count;
    case QUERY_SAMPLES: return 1;
    default: return 0;
    }
}

void image_describe(const struct texture_object *t, uint32_t entry[IMAGE_ENTRY_WORDS])
{
    static const struct {
        uint8_t word, query;
    } answers[] = {{0, QUERY_FORCE_UNNORMALIZED},
                   {3, QUERY_ADDRESS_X},
                   {4, QUERY_ADDRESS_Y},
                   {5, QUERY_ADDRESS_Z},
                   {6, QUERY_FILTER},
                   {7, QUERY_NORMALIZED},
                   {8, QUERY_CHANNEL_TYPE},
                   {9, QUERY_CHANNEL_ORDER},
                   {10, QUERY_LAYERS},
                   {11, QUERY_LEVELS},
                   {12, QUERY_SAMPLES},
                   {IMAGE_SURFACE_WORD + 3, QUERY_CHANNEL_TYPE},
                   {IMAGE_SURFACE_WORD + 4, QUERY_CHANNEL_ORDER},
                   {IMAGE_SURFACE_WORD + 5, QUERY_MEMORY_LAYOUT},
                   {IMAGE_SURFACE_WORD + 7, QUERY_LAYERS}};
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++)
        entry[answers[i].word] = image_query_value(t, (enum image_query)answers[i].query, 0);
}
