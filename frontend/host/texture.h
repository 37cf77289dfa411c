/* Arrays, textures and surfaces of a device, as in CUDA's driver API: cuArray3DCreate, cuMipmappedArrayCreate,
 * cuTexObjectCreate, cuSurfObjectCreate, and the references that modules declare (cuModuleGetTexRef).
 *
 * Only one thread at a time may use a device (device.h). Errors: RP_USAGE for invalid arguments, RP_SYSTEM when out of
 * memory. Everything lives until it or its device is freed. */
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

/* Creates a zeroed array. `name` is for reports and the trace. The array lies in device memory, like a buffer, in a
 * layout of its own; only rp_array_write and _read access its elements. NULL on failure. */
struct rp_array *rp_array_new(struct rp_device *, const struct rp_array_config *, const char *name, struct rp_error *);
/* Frees an array, but no level of another one. Using a texture or surface of a freed array is a fault of the kernel. */
bool rp_array_free(struct rp_device *, struct rp_array *, struct rp_error *);
/* Level `level` of a mipmapped array, as an array of its own with one level. It belongs to the whole array: do not free
 * it. */
struct rp_array *rp_array_level(struct rp_array *, uint32_t level, struct rp_error *);
/* The configuration as requested; for a level, with its own extents. */
const struct rp_array_config *rp_array_config(const struct rp_array *);
/* The address in device memory, for rp_report_operation. */
uint64_t rp_array_address(const struct rp_array *, uint64_t *bytes);

/* A box of an array: x and width in bytes; y, z (slice, layer or face), height and depth in elements; in the first
 * level. Height and depth count as at least 1, so for a 1D array they may be 0 or 1. On the host, rows of the box are
 * `pitch` bytes apart and slices `slice` bytes. */
struct rp_array_box {
    uint64_t x, y, z, width, height, depth;
};
/* Copies between the host's memory and a box. RP_USAGE if the box is not inside the array. */
bool rp_array_write(struct rp_device *, struct rp_array *, const struct rp_array_box *, const void *from, size_t pitch,
                    size_t slice, struct rp_error *);
bool rp_array_read(struct rp_device *, const struct rp_array *, const struct rp_array_box *, void *to, size_t pitch,
                   size_t slice, struct rp_error *);

/* ---- textures and surfaces --------------------------------------------------------------------------------------- */

enum rp_resource_kind {
    RP_RESOURCE_ARRAY,  /* with all of its levels */
    RP_RESOURCE_LINEAR, /* device memory: element i at address + i × its bytes; 1D, integer coordinates only */
    RP_RESOURCE_PITCH,  /* device memory: rows `pitch` bytes apart; 2D */
};
struct rp_resource {
    enum rp_resource_kind kind;
    struct rp_array *array;
    /* LINEAR and PITCH. The memory is looked up when a kernel reads: it may be freed before the texture */
    uint64_t address; /* a multiple of the element's bytes */
    uint64_t bytes;   /* LINEAR */
    struct rp_element element;
    uint32_t width, height; /* PITCH, in elements */
    uint64_t pitch;         /* PITCH, in bytes, a multiple of the element's size */
};

/* A view of an array (CUDA_RESOURCE_VIEW_DESC): reinterprets its elements as others of the same size, and selects
 * levels and layers. */
struct rp_resource_view {
    struct rp_element element;        /* channels 0: the array's element */
    uint32_t first_level, last_level; /* inclusive */
    uint32_t first_layer, last_layer; /* inclusive; both 0 for an array without layers */
};

/* Creates a texture object: a handle below 2^20, never 0, that kernels take as a .u64 (or .u32) parameter. view NULL:
 * the whole resource. 0 on failure. Texture and surface handles are not interchangeable. */
uint64_t rp_texture_new(struct rp_device *, const struct rp_resource *, const struct rp_sampler *,
                        const struct rp_resource_view *, struct rp_error *);
bool rp_texture_free(struct rp_device *, uint64_t texture, struct rp_error *);
/* Creates a surface object: kernels load and store elements of the array's first level. */
uint64_t rp_surface_new(struct rp_device *, struct rp_array *, struct rp_error *);
bool rp_surface_free(struct rp_device *, uint64_t surface, struct rp_error *);

/* ---- references that modules declare ----------------------------------------------------------------------------- */

/* The kind of reference that `name` is in the module: .texref, .samplerref, .surfref, or none. For machine code: the
 * names that its kernels use. */
enum rp_reference_kind rp_reference_find(struct rp_device *, const struct module *, const char *name);
/* Binds the reference to a texture or surface, from the next launch on; 0: unbinds it. A .samplerref takes the sampler
 * of a texture object. RP_USAGE: there is no such reference, or the handle is of another kind. */
bool rp_reference_bind(struct rp_device *, const struct module *, const char *name, uint64_t handle, struct rp_error *);

#endif
