/* What textures and surfaces give, from the text of the CUDA C++ Programming Guide ("Texture Fetching") and the PTX
 * ISA, on plain arrays of the host, in long double. It knows nothing of the emulator but the names of its formats. */
#ifndef REPRISE_TESTS_PTX_FORMS_IMAGE_MODEL_H
#define REPRISE_TESTS_PTX_FORMS_IMAGE_MODEL_H

#include "frontend/host/texture.h"

enum { MODEL_LEVELS = 4 };

/* Rows one behind the other, then slices, then layers. */
struct model_image {
    struct rp_element element;
    unsigned dimensions;
    bool layered, cube;
    int layers, levels; /* layers: faces of cubes counted */
    int extent[MODEL_LEVELS][3];
    uint8_t *texels[MODEL_LEVELS];
};
static inline int element_bytes(const struct model_image *m) { return m->element.bits / 8 * m->element.channels; }
static inline uint8_t *texel_at(const struct model_image *m, int level, int layer, int x, int y, int z)
{
    const int *e = m->extent[level];
    return m->texels[level] + (((layer * e[2] + z) * e[1] + y) * e[0] + x) * element_bytes(m);
}

struct model_fetch {
    enum { MODEL_TEXEL, MODEL_FILTER, MODEL_GATHER } kind;
    unsigned dimensions; /* of a cube 3 */
    bool layered, cube;
    int component;
    uint32_t layer;
    float at[3];
    int texel[3], offset[3];
    bool has_level, has_gradient;
    float lod;
    int level;
    float dx[3], dy[3];
};

/* Four values: numbers where the texture gives floats, else integers. `near` is how far a result may be from them. */
struct model_answer {
    bool is_float;
    long double value[4], near;
    uint32_t bits[4];
};
struct model_answer model_fetched(const struct model_image *, const struct rp_sampler *, const struct model_fetch *);

/* Channels as sust.p takes them, written to an element. */
void model_store(const struct model_image *, uint8_t *element, const uint32_t channels[4]);

#endif
