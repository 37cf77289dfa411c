/* Arrays: images in device memory that kernels access only through textures and surfaces. */
#include "frontend/host/array.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/host/internal.h"

/* CUDA C++ Programming Guide, "Technical Specifications per Compute Capability": the largest of all capabilities. */
enum { MOST_1D = 131072, MOST_2D = 131072, MOST_3D = 16384, MOST_LAYERS = 2048, ELEMENT_BYTES = 16 };

bool element_ok(struct rp_element e, struct rp_error *err)
{
    bool bits = e.bits == 8 || e.bits == 16 || e.bits == 32;
    bool channels = e.channels == 1 || e.channels == 2 || e.channels == 4;
    if (e.kind <= RP_ELEMENT_FLOAT && bits && channels && !(e.kind == RP_ELEMENT_FLOAT && e.bits == 8))
        return true;
    return rp_fail(err, RP_USAGE, "no array or texture has elements of %u channel(s) of %u bits, kind %u", e.channels,
                   e.bits, e.kind);
}

static bool extents_ok(const struct rp_array_config *c, struct rp_error *err)
{
    bool layered = c->flags & (RP_ARRAY_LAYERED | RP_ARRAY_CUBEMAP), cube = c->flags & RP_ARRAY_CUBEMAP;
    uint32_t most = layered || !c->depth ? c->height ? MOST_2D : MOST_1D : MOST_3D;
    uint32_t deepest = layered ? MOST_LAYERS : MOST_3D;
    bool ok = c->width && c->width <= most && c->height <= most && c->depth <= deepest && (!layered || c->depth) &&
              (layered || c->height || !c->depth);
    if (cube)
        ok &= c->width == c->height && c->depth % IMAGE_FACES == 0 &&
              (c->flags & RP_ARRAY_LAYERED || c->depth == IMAGE_FACES);
    return ok || rp_fail(err, RP_USAGE, "no %sarray has %u x %u x %u elements%s",
                         cube      ? "cubemap "
                         : layered ? "layered "
                                   : "",
                         c->width, c->height, c->depth, layered && !cube ? " (the third are layers)" : "");
}

static bool levels_ok(const struct rp_array_config *c, struct rp_error *err)
{
    uint32_t longest = c->width > c->height ? c->width : c->height, most = 1;
    if (!(c->flags & (RP_ARRAY_LAYERED | RP_ARRAY_CUBEMAP)) && c->depth > longest)
        longest = c->depth;
    for (; longest > 1; longest /= 2)
        most++;
    return c->levels <= most ||
           rp_fail(err, RP_USAGE, "an array of %u x %u x %u elements has at most %u levels, not %u", c->width,
                   c->height, c->depth, most, c->levels);
}

/* Sets all fields but the address. */
static void set_image(struct rp_array *a)
{
    const struct rp_array_config *c = &a->config;
    struct image *m = &a->image;
    m->element = c->element;
    m->cube = c->flags & RP_ARRAY_CUBEMAP;
    m->layered = c->flags & RP_ARRAY_LAYERED;
    bool layers = m->layered || m->cube;
    m->dimensions = layers || !c->depth ? c->height ? 2 : 1 : 3;
    m->layers = layers ? c->depth : 1;
    m->level_count = c->levels ? c->levels : 1;
    image_lay_out(m, c->width, c->height ? c->height : 1, layers || !c->depth ? 1 : c->depth);
}

struct rp_array *rp_array_new(struct rp_device *d, const struct rp_array_config *c, const char *name,
                              struct rp_error *err)
{
    if (!element_ok(c->element, err) || !extents_ok(c, err) || !levels_ok(c, err))
        return NULL;
    struct rp_array *a = calloc(1, sizeof *a);
    if (!a) {
        rp_fail(err, RP_SYSTEM, "out of memory for an array");
        return NULL;
    }
    a->config = *c;
    a->device = d;
    set_image(a);
    a->image.address = rp_alloc(d, a->image.bytes, name ? name : "an array", err);
    if (!a->image.address) {
        free(a);
        return NULL;
    }
    a->next = d->arrays;
    d->arrays = a;
    return a;
}

void array_release(struct rp_array *a)
{
    for (uint32_t i = 0; i < IMAGE_LEVELS; i++)
        free(a->levels[i]);
    free(a);
}

bool rp_array_free(struct rp_device *d, struct rp_array *a, struct rp_error *err)
{
    struct rp_array **at = &d->arrays;
    while (*at && *at != a)
        at = &(*at)->next;
    if (!*at)
        return rp_fail(err, RP_USAGE, "this is no array of the device, or it is a level of one");
    *at = a->next;
    bool ok = rp_free(d, a->image.address, err);
    array_release(a);
    return ok;
}

/* Makes a level: an image that consists of this level only. */
static void set_level(struct rp_array *l, const struct rp_array *whole, uint32_t level)
{
    const struct image_level *of = &whole->image.levels[level];
    l->config = whole->config;
    l->config.levels = 1;
    l->config.width = of->width;
    l->config.height = whole->config.height ? of->height : 0;
    if (whole->image.dimensions == 3)
        l->config.depth = of->depth;
    l->image = whole->image;
    l->image.level_count = 1;
    l->image.levels[0] = *of;
    l->device = whole->device;
}

struct rp_array *rp_array_level(struct rp_array *a, uint32_t level, struct rp_error *err)
{
    if (level >= a->image.level_count) {
        rp_fail(err, RP_USAGE, "the array has %u levels, no level %u", a->image.level_count, level);
        return NULL;
    }
    if (!a->levels[level] && (a->levels[level] = calloc(1, sizeof *a)))
        set_level(a->levels[level], a, level);
    if (!a->levels[level])
        rp_fail(err, RP_SYSTEM, "out of memory for a level of an array");
    return a->levels[level];
}

const struct rp_array_config *rp_array_config(const struct rp_array *a) { return &a->config; }

uint64_t rp_array_address(const struct rp_array *a, uint64_t *bytes)
{
    *bytes = a->image.bytes;
    return a->image.address;
}

/* ---- copies ------------------------------------------------------------------------------------------------------ */

static bool box_ok(const struct rp_array *a, const struct rp_array_box *b, struct rp_error *err)
{
    const struct image *m = &a->image;
    const struct image_level *l = &m->levels[0];
    const uint64_t row = (uint64_t)l->width * rp_element_bytes(m->element);
    const uint64_t slices = m->layered || m->cube ? m->layers : l->depth, h = b->height ? b->height : 1;
    const uint64_t depth = b->depth ? b->depth : 1;
    if (b->x <= row && b->width <= row - b->x && b->y <= l->height && h <= l->height - b->y && b->z <= slices &&
        depth <= slices - b->z)
        return true;
    return rp_fail(err, RP_USAGE,
                   "%" PRIu64 " x %" PRIu64 " x %" PRIu64 " from %" PRIu64 ", %" PRIu64 ", %" PRIu64
                   " on is not inside the array of %" PRIu64 " bytes x %u x %" PRIu64,
                   b->width, h, depth, b->x, b->y, b->z, row, l->height, slices);
}

/* Copies one row, in pieces that are contiguous in memory. */
static void copy_row(const struct image *m, uint8_t *image, uint64_t x, uint64_t width, uint32_t y, uint32_t z,
                     uint8_t *host, bool write)
{
    const uint64_t piece = m->tiled ? ELEMENT_BYTES : width + x;
    while (width) {
        uint64_t bytes = piece - x % piece < width ? piece - x % piece : width;
        uint8_t *at = image + (image_address(m, 0, x, y, z) - m->address);
        memcpy(write ? at : host, write ? host : at, bytes);
        x += bytes, host += bytes, width -= bytes;
    }
}

static void copy_box(const struct rp_array *a, uint8_t *image, const struct rp_array_box *b, uint8_t *host,
                     size_t pitch, size_t slice, bool write)
{
    for (uint64_t z = 0; z < (b->depth ? b->depth : 1); z++)
        for (uint64_t y = 0; y < (b->height ? b->height : 1); y++)
            copy_row(&a->image, image, b->x, b->width, (uint32_t)(b->y + y), (uint32_t)(b->z + z),
                     host + z * slice + y * pitch, write);
}

bool rp_array_write(struct rp_device *d, struct rp_array *a, const struct rp_array_box *b, const void *from,
                    size_t pitch, size_t slice, struct rp_error *err)
{
    if (!box_ok(a, b, err))
        return false;
    uint8_t *image = rp_host(d, a->image.address, a->image.bytes);
    if (!image)
        return rp_fail(err, RP_USAGE, "the array is not on this device any more");
    copy_box(a, image, b, (uint8_t *)(uintptr_t)from, pitch, slice, true);
    return true;
}

bool rp_array_read(struct rp_device *d, const struct rp_array *a, const struct rp_array_box *b, void *to, size_t pitch,
                   size_t slice, struct rp_error *err)
{
    if (!box_ok(a, b, err))
        return false;
    const uint8_t *image = rp_host_read(d, a->image.address, a->image.bytes);
    if (!image)
        return rp_fail(err, RP_USAGE, "the array is not on this device any more");
    copy_box(a, (uint8_t *)(uintptr_t)image, b, to, pitch, slice, false);
    return true;
}
