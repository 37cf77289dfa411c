/* Texture and surface objects, and the references of modules. */
#include "frontend/host/texture.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/host/array.h"
#include "frontend/host/internal.h"

/* ---- objects ----------------------------------------------------------------------------------------------------- */

/* Returns an unused handle; handles are reused only when all have been used. */
static uint64_t free_handle(struct texture_table *t)
{
    if (t->count < TEXTURE_HANDLES) {
        uint32_t count = t->count ? t->count : 1;
        if ((count & (count - 1)) == 0) {
            struct texture_object **larger = realloc(t->at, 2 * (size_t)count * sizeof(struct texture_object *));
            if (!larger)
                return 0;
            t->at = larger;
        }
        t->at[0] = NULL;
        t->at[count] = NULL;
        t->count = count + 1;
        return count;
    }
    for (uint32_t i = 1; i < t->count; i++)
        if (!t->at[i])
            return i;
    return 0;
}

static uint64_t keep(struct rp_device *d, const struct texture_object *object, struct rp_error *err)
{
    struct texture_object *o = malloc(sizeof *o);
    uint64_t handle = o ? free_handle(&d->textures) : 0;
    if (!handle) {
        free(o);
        rp_fail(err, RP_SYSTEM, "no memory or handle for a texture or surface");
        return 0;
    }
    *o = *object;
    d->textures.at[handle] = o;
    d->image_changes++;
    return handle;
}

static const struct texture_object *find(const struct rp_device *d, uint64_t handle, bool surface)
{
    const struct texture_object *o = handle < d->textures.count ? d->textures.at[handle] : NULL;
    return o && o->is_surface == surface ? o : NULL;
}

static bool release(struct rp_device *d, uint64_t handle, bool surface, struct rp_error *err)
{
    if (!find(d, handle, surface))
        return rp_fail(err, RP_USAGE, "0x%" PRIx64 " is no %s object of the device", handle,
                       surface ? "surface" : "texture");
    free(d->textures.at[handle]);
    d->textures.at[handle] = NULL;
    d->image_changes++;
    return true;
}

void device_free_textures(struct rp_device *d)
{
    for (uint32_t i = 0; i < d->textures.count; i++)
        free(d->textures.at[i]);
    free(d->textures.at);
    free(d->image_table);
    while (d->arrays) {
        struct rp_array *a = d->arrays;
        d->arrays = a->next;
        array_release(a);
    }
}

/* Memory for so many handles at least, at IMAGE_TABLE. */
static bool room_for_images(struct rp_device *d, uint32_t count, struct rp_error *err)
{
    enum { ENTRY_BYTES = 4 * IMAGE_ENTRY_WORDS };
    struct allocation *a = memory_find(&d->memory, IMAGE_TABLE);
    uint32_t capacity = 256;
    if (a && a->size / ENTRY_BYTES >= count)
        return true;
    while (capacity < count)
        capacity *= 2;
    if (a)
        memory_free(&d->memory, a);
    free(d->image_table);
    d->image_table = calloc(capacity, ENTRY_BYTES);
    return (d->image_table && memory_place(&d->memory, IMAGE_TABLE, (uint64_t)capacity * ENTRY_BYTES,
                                           (uint8_t *)d->image_table, "descriptions of textures", ALLOCATION_HOST)) ||
           rp_fail(err, RP_SYSTEM, "no memory for the descriptions of %u textures", count);
}

bool device_describe_images(struct rp_device *d, struct rp_error *err)
{
    if (!room_for_images(d, d->textures.count, err))
        return false;
    for (uint32_t i = 1; i < d->textures.count; i++)
        if (d->textures.at[i])
            image_describe(d->textures.at[i], d->image_table + (size_t)i * IMAGE_ENTRY_WORDS);
    return true;
}

/* ---- what a texture reads ---------------------------------------------------------------------------------------- */

static bool plain_memory(const struct rp_resource *r, struct image *m, struct rp_error *err)
{
    enum { MOST = 1 << 28, MOST_ROWS = 131072 }; /* "Technical Specifications per Compute Capability" */
    if (!element_ok(r->element, err))
        return false;
    const uint32_t bytes = rp_element_bytes(r->element);
    const bool pitch = r->kind == RP_RESOURCE_PITCH;
    uint64_t width = pitch ? r->width : r->bytes / bytes, height = pitch ? r->height : 1;
    uint64_t row = pitch ? r->pitch : width * bytes;
    if (!r->address || r->address % bytes || row % bytes || row < width * bytes)
        return rp_fail(err, RP_USAGE,
                       "a texture of elements of %u bytes cannot read 0x%" PRIx64 " in rows of %" PRIu64 " bytes",
                       bytes, r->address, row);
    if (!width || !height || width > MOST || height > MOST_ROWS)
        return rp_fail(err, RP_USAGE, "no texture of plain memory has %" PRIu64 " x %" PRIu64 " elements", width,
                       height);
    *m = (struct image){.element = r->element,
                        .dimensions = pitch ? 2 : 1,
                        .linear = !pitch,
                        .layers = 1,
                        .level_count = 1,
                        .address = r->address,
                        .bytes = row * height};
    m->levels[0] = (struct image_level){(uint32_t)width, (uint32_t)height, 1, 0, row};
    return true;
}

static bool view_layers(const struct rp_resource_view *v, struct image *m, struct rp_error *err)
{
    uint32_t layers = v->last_layer - v->first_layer + 1;
    if (!m->layered && !m->cube)
        return true;
    bool whole = !v->first_layer && !v->last_layer; /* as in CUDA when a view does not mention layers */
    if (whole && m->layers > 1)
        return true;
    if (v->first_layer > v->last_layer || v->last_layer >= m->layers || (m->cube && layers % IMAGE_FACES))
        return rp_fail(err, RP_USAGE, "a view of layers %u to %u does not go with %u layers", v->first_layer,
                       v->last_layer, m->layers);
    m->address += v->first_layer * m->layer_bytes;
    m->layers = layers;
    return true;
}

static bool apply_view(const struct rp_resource_view *v, struct image *m, struct rp_error *err)
{
    if (v->element.channels) {
        if (!element_ok(v->element, err))
            return false;
        if (rp_element_bytes(v->element) != rp_element_bytes(m->element))
            return rp_fail(err, RP_USAGE, "a view takes elements of %u bytes for elements of %u",
                           rp_element_bytes(m->element), rp_element_bytes(v->element));
        m->element = v->element;
    }
    if (v->first_level > v->last_level || v->last_level >= m->level_count)
        return rp_fail(err, RP_USAGE, "a view of levels %u to %u does not go with %u level(s)", v->first_level,
                       v->last_level, m->level_count);
    m->level_count = v->last_level - v->first_level + 1;
    memmove(m->levels, m->levels + v->first_level, m->level_count * sizeof *m->levels);
    return view_layers(v, m, err);
}

uint64_t rp_texture_new(struct rp_device *d, const struct rp_resource *r, const struct rp_sampler *s,
                        const struct rp_resource_view *v, struct rp_error *err)
{
    struct texture_object o = {.sampler = *s};
    bool ok = r->kind <= RP_RESOURCE_PITCH && s->filter <= RP_FILTER_LINEAR && s->mip_filter <= RP_FILTER_LINEAR;
    for (int i = 0; i < 3; i++)
        ok &= s->address[i] <= RP_ADDRESS_BORDER;
    if (!ok || (r->kind == RP_RESOURCE_ARRAY && !r->array)) {
        rp_fail(err, RP_USAGE, "a texture without an array, or with a resource or mode that does not exist");
        return 0;
    }
    if (r->kind == RP_RESOURCE_ARRAY)
        o.image = r->array->image;
    else if (!plain_memory(r, &o.image, err))
        return 0;
    if (v && r->kind == RP_RESOURCE_ARRAY && !apply_view(v, &o.image, err))
        return 0;
    return keep(d, &o, err);
}

bool rp_texture_free(struct rp_device *d, uint64_t texture, struct rp_error *err)
{
    return release(d, texture, false, err);
}

/* To a surface, the faces of a cube are layers. */
uint64_t rp_surface_new(struct rp_device *d, struct rp_array *a, struct rp_error *err)
{
    struct texture_object o = {.is_surface = true, .image = a->image};
    o.image.layered |= o.image.cube;
    o.image.cube = false;
    o.image.level_count = 1;
    return keep(d, &o, err);
}

bool rp_surface_free(struct rp_device *d, uint64_t surface, struct rp_error *err)
{
    return release(d, surface, true, err);
}

/* ---- references -------------------------------------------------------------------------------------------------- */

enum rp_reference_kind rp_reference_find(struct rp_device *d, const struct module *m, const char *name)
{
    (void)d;
    for (uint32_t i = 0; i < m->reference_count; i++)
        if (!strcmp(m->references[i].name, name))
            return (enum rp_reference_kind)m->references[i].kind;
    return RP_REFERENCE_NONE;
}

bool rp_reference_bind(struct rp_device *d, const struct module *m, const char *name, uint64_t handle,
                       struct rp_error *err)
{
    enum rp_reference_kind kind = rp_reference_find(d, m, name);
    if (kind == RP_REFERENCE_NONE)
        return rp_fail(err, RP_USAGE, "%s has no texture, sampler or surface reference '%s'", m->file_name, name);
    if (handle && !find(d, handle, kind == RP_REFERENCE_SURFACE))
        return rp_fail(err, RP_USAGE, "'%s' cannot stand for 0x%" PRIx64 ", which is no %s object", name, handle,
                       kind == RP_REFERENCE_SURFACE ? "surface" : "texture");
    uint64_t bytes, *at = rp_variable(d, m, name, &bytes);
    if (!at || bytes != sizeof *at)
        return rp_fail(err, RP_USAGE, "the device does not have %s", m->file_name);
    *at = handle;
    return true;
}
