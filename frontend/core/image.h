/* The layout of textures and surfaces in memory and the meaning of their texels: internals of what
 * frontend/host/texture.h creates.
 *
 * A one-dimensional image is linear. An image of two or three dimensions consists of blocks of 64 bytes by 8 rows, so
 * that texels that are near each other in y are near each other in memory; blocks are ordered by x, then y, then z.
 * Within a block, pieces of 16 bytes are in the order of NVIDIA's "groups of bytes" (Tegra X1 Technical Reference
 * Manual, section 20.1, "Block linear"): x bit 5, y bits 2 and 1, x bit 4, y bit 0 from the top. So a sector of 32
 * bytes is 16 bytes of two rows. Layers follow one another; within a layer the levels of the mipmap follow one another,
 * each at a multiple of 512 bytes. */
#ifndef REPRISE_FRONTEND_CORE_IMAGE_H
#define REPRISE_FRONTEND_CORE_IMAGE_H

#include <stddef.h>

#include "frontend/core/texture.h"

enum { IMAGE_LEVELS = 18, IMAGE_FACES = 6 };

struct image_level {
    uint32_t width, height, depth; /* texels, at least 1 each */
    uint64_t offset;               /* offset of the level's first byte in a layer */
    uint64_t row;                  /* bytes from one row to the next; tiled: from one row of blocks to the next */
};
struct image {
    struct rp_element element;
    uint8_t dimensions; /* 1 to 3 */
    bool layered, cube; /* the faces of a cube are layers, six per cube */
    bool linear;        /* a view of plain memory: integer coordinates only */
    bool tiled;
    uint32_t layers, level_count;
    uint64_t address, bytes; /* in device memory */
    uint64_t layer_bytes;
    struct image_level levels[IMAGE_LEVELS];
};

/* Sets levels, layer distance and size of an image in blocks or, with one dimension, in rows; the other fields must be
 * set. */
void image_lay_out(struct image *, uint32_t width, uint32_t height, uint32_t depth);
/* The address of the byte at x bytes, row y, and slice or layer z of a level, which must exist. */
uint64_t image_address(const struct image *, uint32_t level, uint64_t x, uint32_t y, uint32_t z);

/* ---- objects ----------------------------------------------------------------------------------------------------- */

struct texture_object {
    bool is_surface;
    struct image image;
    struct rp_sampler sampler; /* for textures */
};
/* By handle; NULL: unused. [0] is never used. */
struct texture_table {
    struct texture_object **at;
    uint32_t count;
};
enum { TEXTURE_HANDLES = 1 << 20 };
/* The value of a reference of a PTX module: a handle or, with INLINE_SAMPLER, a sampler that the module itself defines.
 * Bits 0..5: address modes, two bits each; 6: filter; 7: coordinates are never normalized. */
#define INLINE_SAMPLER (UINT64_C(1) << 63)

/* How a surface is accessed: the imm of an OP_SURFACE and OP_SURFACE_TEXEL. */
enum surface_clamp { SURFACE_TRAP, SURFACE_CLAMP, SURFACE_ZERO };
struct surface_access { /* 8 bytes */
    uint8_t dimensions;
    bool layered;
    uint8_t clamp;  /* enum surface_clamp: an access outside is a fault; uses the nearest element; or loads zero and
                       stores nothing */
    bool texels;    /* x counts elements, not bytes */
    bool by_format; /* for reductions: min and max are signed if the elements are */
    uint8_t unused[3];
};
_Static_assert(sizeof(struct surface_access) == sizeof(int64_t), "it is an imm");

/* Queries of an object (PTX ISA, txq and suq). Formats have the numbers of OpenCL (cl_channel_type, cl_channel_order);
 * address modes have the order of PTX's .samplerref: wrap, mirror, clamp_ogl, clamp_to_edge, clamp_to_border. */
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
uint32_t image_query_value(const struct texture_object *, enum image_query, uint32_t level);
/* Machine code of sm_70 and later reads all answers but extents from two tables of the driver, for textures and for
 * surfaces, whose addresses constant bank 0 has (frontend/isa/sass7x/lower_operand.c). Entry i is of handle i and has a
 * length that the driver fills in; offsets of the answers as ptxas 12.9 writes them. Here the tables are one, at
 * IMAGE_TABLE: each entry has that of the texture and then that of the surface. */
enum { IMAGE_ENTRY_WORDS = 32, IMAGE_SURFACE_WORD = 16 };
void image_describe(const struct texture_object *, uint32_t entry[IMAGE_ENTRY_WORDS]);

/* ---- texels ------------------------------------------------------------------------------------------------------ */

/* Red, green, blue, alpha: as floats, or as integers. Missing channels are 0, a missing alpha is 1. */
struct texel {
    bool is_float;
    union {
        float f[4];
        uint32_t u[4];
    };
};

/* Whether a texture returns floats: its texels are floats, or integers of 8 or 16 bits that are not read as integers.
 */
bool texel_is_float(struct rp_element, const struct rp_sampler *);
struct texel texel_read(struct rp_element, const struct rp_sampler *, const uint8_t *at);
struct texel texel_border(struct rp_element, const struct rp_sampler *);
/* Formatted loads and stores of surfaces: the element's own kind, 32 bits a channel. Values that do not fit saturate.
 */
void texel_load(struct rp_element, const uint8_t *at, uint32_t channels[4]);
void texel_store(struct rp_element, uint8_t *at, const uint32_t channels[4]);

#endif
