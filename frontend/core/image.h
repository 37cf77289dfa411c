/* Where the texels of textures and surfaces are, and what they say: the inside of what frontend/host/texture.h makes.
 *
 * A one-dimensional image lies in its order. One of two or three dimensions lies in blocks of 64 bytes by 8 rows, so
 * that texels that are near each other in y are so in memory; blocks follow each other in x, then y, then z. Within a
 * block, pieces of 16 bytes are in the order of NVIDIA's "groups of bytes" (Tegra X1 Technical Reference Manual,
 * section 20.1, "Block linear"): x bit 5, y bits 2 and 1, x bit 4, y bit 0 from the top. So a sector of 32 bytes is
 * 16 bytes of two rows. Levels of a mipmap follow each other, and then layers, each at a multiple of 512 bytes. */
#ifndef REPRISE_FRONTEND_CORE_IMAGE_H
#define REPRISE_FRONTEND_CORE_IMAGE_H

#include <stddef.h>

#include "frontend/core/texture.h"

enum { IMAGE_LEVELS = 18, IMAGE_FACES = 6 };

struct image_level {
    uint32_t width, height, depth; /* texels, at least 1 each */
    uint64_t offset;               /* of its first byte in a layer */
    uint64_t row;                  /* bytes from a row to the next; tiled: from a row of blocks to the next */
};
struct image {
    struct rp_element element;
    uint8_t dimensions; /* 1 to 3 */
    bool layered, cube; /* the faces of a cube are layers, six of one cube in a row */
    bool linear;        /* plain memory: integer coordinates only */
    bool tiled;
    uint32_t layers, level_count;
    uint64_t address, bytes; /* in device memory */
    uint64_t layer_bytes;
    struct image_level levels[IMAGE_LEVELS];
};

/* Sets levels, layers' distance and bytes of an image in blocks or, with one dimension, rows; the rest is there. */
void image_lay_out(struct image *, uint32_t width, uint32_t height, uint32_t depth);
/* The address of the byte at x bytes, row y and slice or layer z of a level; all lie within. */
uint64_t image_address(const struct image *, uint32_t level, uint64_t x, uint32_t y, uint32_t z);

/* ---- objects ----------------------------------------------------------------------------------------------------- */

struct texture_object {
    bool is_surface;
    struct image image;
    struct rp_sampler sampler; /* of a texture */
};
/* By handle; NULL where there is none. [0] is never used. */
struct texture_table {
    struct texture_object **at;
    uint32_t count;
};
enum { TEXTURE_HANDLES = 1 << 20 };
/* What a reference of a PTX module holds: a handle, or with INLINE_SAMPLER a sampler that the module itself gives.
 * Bits 0..5: address modes, two each; 6: filter; 7: coordinates are never
 * normalized. */
#define INLINE_SAMPLER (UINT64_C(1) << 63)

/* How a surface is accessed: the imm of an OP_SURFACE and OP_SURFACE_TEXEL. */
enum surface_clamp { SURFACE_TRAP, SURFACE_CLAMP, SURFACE_ZERO };
struct surface_access { /* 8 bytes */
    uint8_t dimensions;
    bool layered;
    uint8_t clamp;  /* enum surface_clamp: outside is a fault, the nearest element, or zero and not stored */
    bool texels;    /* x counts elements, not bytes */
    bool by_format; /* of a reduction: min and max are signed where the elements are */
    uint8_t unused[3];
};
_Static_assert(sizeof(struct surface_access) == sizeof(int64_t), "it is an imm");

/* What a program asks of an object (PTX ISA, txq and suq). Formats have the numbers of OpenCL (cl_channel_type,
 * cl_channel_order); modes those of PTX's .samplerref: wrap, mirror, clamp_ogl, clamp_to_edge, clamp_to_border. */
enum image_query {
    QUERY_WIDTH,
    QUERY_HEIGHT,
    QUERY_DEPTH,
    QUERY_CHANNEL_TYPE,
    QUERY_CHANNEL_ORDER,
    QUERY_NORMALIZED,
    QUERY_FORCE_UNNORMALIZED,
    QUERY_FILTER,
    QUERY_ADDRESS_X,
    QUERY_ADDRESS_Y,
    QUERY_ADDRESS_Z,
    QUERY_LAYERS,
    QUERY_LEVELS,
    QUERY_SAMPLES,
    QUERY_MEMORY_LAYOUT, /* 0: as this emulator has it */
};
uint32_t image_answer(const struct texture_object *, enum image_query, uint32_t level);

/* ---- texels ------------------------------------------------------------------------------------------------------ */

/* Red, green, blue, alpha: numbers, or integers as they are. Channels that the element lacks are 0, alpha 1. */
struct texel {
    bool is_float;
    union {
        float f[4];
        uint32_t u[4];
    };
};

/* Whether a texture's texels are numbers: floats, or integers of 8 or 16 bits that are not read as such. */
bool texel_is_float(struct rp_element, const struct rp_sampler *);
struct texel texel_read(struct rp_element, const struct rp_sampler *, const uint8_t *at);
struct texel texel_border(struct rp_element, const struct rp_sampler *);
/* Formatted loads and stores of surfaces: the element's own kind, 32 bits a channel. What does not fit saturates. */
void texel_load(struct rp_element, const uint8_t *at, uint32_t channels[4]);
void texel_store(struct rp_element, uint8_t *at, const uint32_t channels[4]);

#endif
