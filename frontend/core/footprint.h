/* The texels that a fetch reads, and their weights: "CUDA C++ Programming Guide", Texture Fetching. */
#ifndef REPRISE_FRONTEND_CORE_FOOTPRINT_H
#define REPRISE_FRONTEND_CORE_FOOTPRINT_H

#include "frontend/core/image.h"

enum { FOOTPRINT_MOST = 16 };

/* The kind of a fetch. */
enum fetch_kind {
    FETCH_TEXEL,  /* one texel at integer coordinates, unfiltered; outside is zero */
    FETCH_FILTER, /* as the sampler says */
    FETCH_GATHER, /* one component of the four texels of a bilinear filter */
};
enum fetch_level { FETCH_BASE, FETCH_LOD, FETCH_GRADIENT };
struct fetch {          /* 8 bytes: the imm of an OP_TEXTURE */
    uint8_t kind;       /* enum fetch_kind */
    uint8_t level;      /* enum fetch_level */
    uint8_t dimensions; /* coordinates without the layer; a cube has 3 */
    bool layered, cube;
    bool has_offset;   /* in texels, for each dimension */
    uint8_t component; /* GATHER */
    uint8_t unused;
};
_Static_assert(sizeof(struct fetch) == sizeof(int64_t), "it is an imm");
/* The number of operands that a fetch records. A lane may need fewer. */
static inline uint32_t fetch_texels(const struct fetch *f)
{
    if (f->kind != FETCH_FILTER)
        return f->kind == FETCH_TEXEL ? 1 : 4;
    uint32_t in_level = f->cube ? 4 : 1u << f->dimensions;
    return f->level == FETCH_BASE ? in_level : 2 * in_level;
}

/* One lane's coordinates. */
struct fetch_point {
    uint32_t layer;
    float at[3];
    int32_t texel[3]; /* FETCH_TEXEL */
    int32_t offset[3];
    float lod;
    int32_t level; /* FETCH_TEXEL with FETCH_LOD */
    float dx[3], dy[3];
};

struct tap {
    uint32_t level, x, y, z; /* z: slice or layer */
    bool outside;            /* the border's colour, or zero */
    double weight;
};
/* At least one tap. GATHER: in the order of the result's components. */
struct footprint {
    uint32_t count;
    struct tap taps[FOOTPRINT_MOST];
};
void footprint_find(const struct fetch *, const struct image *, const struct rp_sampler *, const struct fetch_point *,
                    struct footprint *);

#endif
