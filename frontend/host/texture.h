/* Arrays, textures and surfaces of a device, as CUDA's driver API has them: cuArray3DCreate, cuMipmappedArrayCreate,
 * cuTexObjectCreate, cuSurfObjectCreate, and the references that modules declare (cuModuleGetTexRef).
 *
 * One thread at a time uses a device (device.h). What fails says so in its error: RP_USAGE for what cannot be asked
 * for, RP_SYSTEM without memory. Everything lives until it is freed or its device goes. */
#ifndef REPRISE_FRONTEND_HOST_TEXTURE_H
#define REPRISE_FRONTEND_HOST_TEXTURE_H

#include <stddef.h>

#include "frontend/core/texture.h"
#include "frontend/host/device.h"

/* ---- arrays ------------------------------------------------------------------------------------------------------ */

/* Extents count elements, as CUDA's do: height 0 makes a 1D array, depth 0 a 2D one. LAYERED: depth is the number of
 * layers, of 1D arrays (height 0) or 2D ones. CUBEMAP: width = height, and depth 6, or with LAYERED a multiple of 6;
 * faces in the order +x, -x, +y, -y, +z, -z. Levels of a mipmap: each has half the extents of the one before, rounded
 * down, at least 1; layers stay. 0 or 1 level: no mipmap. */
enum rp_array_flag { RP_ARRAY_LAYERED = 1, RP_ARRAY_CUBEMAP = 2 };
struct rp_array_config {
    struct rp_element element;
    uint32_t width, height, depth, levels;
    unsigned flags; /* enum rp_array_flag */
};
struct rp_array;

/* Zeroed. `name` is for reports and the trace. It lies in device memory, like a buffer, in a layout of its own; only
 * rp_array_write and _read get at its elements. NULL on failure. */
struct rp_array *rp_array_new(struct rp_device *, const struct rp_array_config *, const char *name, struct rp_error *);
/* Not a level of another. Textures and surfaces of it that are left are faults when a kernel uses them. */
bool rp_array_free(struct rp_device *, struct rp_array *, struct rp_error *);
/* Level `level` of a mipmapped array as an array of its own, with one level. It goes with the whole: do not free it. */
struct rp_array *rp_array_level(struct rp_array *, uint32_t level, struct rp_error *);
/* As it was asked for; of a level, its own extents. */
const struct rp_array_config *rp_array_config(const struct rp_array *);
/* Where it is in device memory, for rp_tell. */
uint64_t rp_array_address(const struct rp_array *, uint64_t *bytes);

/* A box of an array: x and width in bytes, y, z (slice, layer or face), height and depth in elements, in the first
 * level. Height and depth count at least 1, so those of a 1D array may be 0 or 1. On the host, rows of the box are
 * `pitch` bytes apart and slices `slice` bytes. */
struct rp_array_box {
    uint64_t x, y, z, width, height, depth;
};
/* Copies between the host's memory and a box. RP_USAGE if it does not lie inside. */
bool rp_array_write(struct rp_device *, struct rp_array *, const struct rp_array_box *, const void *from, size_t pitch,
                    size_t slice, struct rp_error *);
bool rp_array_read(struct rp_device *, const struct rp_array *, const struct rp_array_box *, void *to, size_t pitch,
                   size_t slice, struct rp_error *);

/* ---- textures and surfaces --------------------------------------------------------------------------------------- */

enum rp_resource_kind {
    RP_RESOURCE_ARRAY,  /* all of its levels count */
    RP_RESOURCE_LINEAR, /* device memory: element i at address + i × its bytes; 1D, integer coordinates only */
    RP_RESOURCE_PITCH,  /* device memory: rows `pitch` bytes apart; 2D */
};
struct rp_resource {
    enum rp_resource_kind kind;
    struct rp_array *array;
    /* of the two others; they are looked up when a kernel reads: they may be freed before the texture */
    uint64_t address; /* a multiple of the element's bytes */
    uint64_t bytes;   /* LINEAR */
    struct rp_element element;
    uint32_t width, height; /* PITCH, in elements */
    uint64_t pitch;         /* PITCH, in bytes, a multiple of the element's */
};

/* A view of an array (CUDA_RESOURCE_VIEW_DESC): its elements taken for others of the same size, and only some of its
 * levels and layers. */
struct rp_resource_view {
    struct rp_element element;        /* channels 0: that of the array */
    uint32_t first_level, last_level; /* inclusive */
    uint32_t first_layer, last_layer; /* inclusive; of an array without layers both are 0 */
};

/* A texture object: a handle below 2^20, never 0, that kernels take as a .u64 (or .u32) parameter. NULL view: all of
 * it. 0 on failure. A surface handle is no texture and the other way round. */
uint64_t rp_texture_new(struct rp_device *, const struct rp_resource *, const struct rp_sampler *,
                        const struct rp_resource_view *, struct rp_error *);
bool rp_texture_free(struct rp_device *, uint64_t texture, struct rp_error *);
/* A surface object: kernels load and store elements of the array's first level. */
uint64_t rp_surface_new(struct rp_device *, struct rp_array *, struct rp_error *);
bool rp_surface_free(struct rp_device *, uint64_t surface, struct rp_error *);

/* ---- references that modules declare ----------------------------------------------------------------------------- */

/* What `name` is in the module: a .texref, .samplerref or .surfref, or nothing of that kind. Of machine code, the
 * names that its kernels use. */
enum rp_reference_kind rp_reference_find(struct rp_device *, const struct module *, const char *name);
/* Makes the reference name a texture or surface, from the next launch on; 0: nothing again. A .samplerref takes a
 * texture object's sampler. RP_USAGE: there is no such reference, or the handle is not of its kind. */
bool rp_reference_bind(struct rp_device *, const struct module *, const char *name, uint64_t handle, struct rp_error *);

#endif
