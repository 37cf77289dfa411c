/* Texture and surface objects. */
#include <stdlib.h>

#include "frontend/cuda/driver/array.h"
#include "frontend/cuda/driver/check.h"

/* The objects, as they were made; a list, because programs have few. */
struct object {
    uint64_t handle;
    bool surface;
    CUDA_RESOURCE_DESC resource;
    CUDA_TEXTURE_DESC sampler;
    CUDA_RESOURCE_VIEW_DESC view;
    bool has_view;
    struct object *next;
};
static struct object *objects;

static struct object **find(uint64_t handle, bool surface)
{
    struct object **at = &objects;
    while (*at && ((*at)->handle != handle || (*at)->surface != surface))
        at = &(*at)->next;
    return at;
}

/* ---- what the device needs to know ------------------------------------------------------------------------------- */

static bool is_array(enum handle kind, const void *array)
{
    bool is = handle_is(kind, array);
    if (!is)
        check_array_misused(array, "used");
    return is;
}

static CUresult read_resource(const CUDA_RESOURCE_DESC *d, struct rp_resource *r)
{
    *r = (struct rp_resource){0};
    switch (d->resType) {
    case CU_RESOURCE_TYPE_ARRAY:
        if (!is_array(HANDLE_ARRAY, d->res.array.hArray))
            return CUDA_ERROR_INVALID_HANDLE;
        r->array = d->res.array.hArray->array;
        return CUDA_SUCCESS;
    case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
        if (!is_array(HANDLE_MIPMAP, d->res.mipmap.hMipmappedArray))
            return CUDA_ERROR_INVALID_HANDLE;
        r->array = d->res.mipmap.hMipmappedArray->array;
        return CUDA_SUCCESS;
    case CU_RESOURCE_TYPE_LINEAR:
        r->kind = RP_RESOURCE_LINEAR;
        r->address = d->res.linear.devPtr;
        r->bytes = d->res.linear.sizeInBytes;
        return element_of(d->res.linear.format, d->res.linear.numChannels, &r->element) ? CUDA_SUCCESS
                                                                                        : CUDA_ERROR_INVALID_VALUE;
    case CU_RESOURCE_TYPE_PITCH2D:
        r->kind = RP_RESOURCE_PITCH;
        r->address = d->res.pitch2D.devPtr;
        r->width = (uint32_t)d->res.pitch2D.width;
        r->height = (uint32_t)d->res.pitch2D.height;
        r->pitch = d->res.pitch2D.pitchInBytes;
        return element_of(d->res.pitch2D.format, d->res.pitch2D.numChannels, &r->element) ? CUDA_SUCCESS
                                                                                          : CUDA_ERROR_INVALID_VALUE;
    }
    return CUDA_ERROR_INVALID_VALUE;
}

static struct rp_sampler read_sampler(const CUDA_TEXTURE_DESC *d)
{
    struct rp_sampler s = {.filter = (uint8_t)d->filterMode,
                           .mip_filter = (uint8_t)d->mipmapFilterMode,
                           .read_as_integer = d->flags & CU_TRSF_READ_AS_INTEGER,
                           .normalized_coordinates = d->flags & CU_TRSF_NORMALIZED_COORDINATES,
                           .srgb = d->flags & CU_TRSF_SRGB,
                           .seamless_cubemap = d->flags & CU_TRSF_SEAMLESS_CUBEMAP,
                           .max_anisotropy = (uint8_t)d->maxAnisotropy,
                           .mip_bias = d->mipmapLevelBias,
                           .mip_min = d->minMipmapLevelClamp,
                           .mip_max = d->maxMipmapLevelClamp};
    for (int i = 0; i < 3; i++)
        s.address[i] = (uint8_t)d->addressMode[i];
    for (int i = 0; i < 4; i++)
        s.border[i] = d->borderColor[i];
    return s;
}

/* CUresourceViewFormat: kinds of 8, 16 and 32 bits with 1, 2 and 4 channels each; then the formats of block
 * compression. */
static bool view_element(int format, struct rp_element *e)
{
    static const struct {
        uint8_t kind, bits;
    } kinds[] = {{RP_ELEMENT_UNSIGNED, 8},  {RP_ELEMENT_SIGNED, 8},  {RP_ELEMENT_UNSIGNED, 16}, {RP_ELEMENT_SIGNED, 16},
                 {RP_ELEMENT_UNSIGNED, 32}, {RP_ELEMENT_SIGNED, 32}, {RP_ELEMENT_FLOAT, 16},    {RP_ELEMENT_FLOAT, 32}};
    int kind = (format - 1) / 3;
    if (!format)
        return true;
    if (format < 0 || kind >= (int)(sizeof kinds / sizeof *kinds))
        return false;
    *e = (struct rp_element){kinds[kind].kind, kinds[kind].bits, (uint8_t)(1 << (format - 1) % 3)};
    return true;
}

/* ---- functions --------------------------------------------------------------------------------------------------- */

static CUresult keep(struct object *o, uint64_t handle, const struct rp_error *err)
{
    if (!handle) {
        say("a %s cannot be made: %s", o->surface ? "surface" : "texture", err->text);
        free(o);
        return err->status == RP_SYSTEM ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_ERROR_INVALID_VALUE;
    }
    o->handle = handle;
    o->next = objects;
    objects = o;
    return CUDA_SUCCESS;
}

static CUresult make_texture(CUtexObject *texture, const CUDA_RESOURCE_DESC *resource, const CUDA_TEXTURE_DESC *sampler,
                             const CUDA_RESOURCE_VIEW_DESC *v)
{
    struct rp_resource from;
    struct rp_resource_view view = {0};
    struct rp_error err = {0};
    CUresult r = read_resource(resource, &from);
    if (r || (v && !view_element(v->format, &view.element)))
        return r ? r : CUDA_ERROR_INVALID_VALUE;
    if (v)
        view = (struct rp_resource_view){view.element, v->firstMipmapLevel, v->lastMipmapLevel, v->firstLayer,
                                         v->lastLayer};
    struct object *o = calloc(1, sizeof *o);
    if (!o)
        return CUDA_ERROR_OUT_OF_MEMORY;
    *o = (struct object){.resource = *resource, .sampler = *sampler, .has_view = v};
    o->view = v ? *v : o->view;
    struct rp_sampler s = read_sampler(sampler);
    *texture = rp_texture_new(driver.device, &from, &s, v ? &view : NULL, &err);
    return keep(o, *texture, &err);
}

CUresult cuTexObjectCreate(CUtexObject *texture, const CUDA_RESOURCE_DESC *resource, const CUDA_TEXTURE_DESC *sampler,
                           const CUDA_RESOURCE_VIEW_DESC *v)
{
    CUresult r = enter(NEED_CONTEXT);
    if (r)
        return r;
    bool all = texture && resource && sampler;
    return leave(all ? make_texture(texture, resource, sampler, v) : CUDA_ERROR_INVALID_VALUE);
}

static CUresult make_surface(CUsurfObject *surface, const CUDA_RESOURCE_DESC *resource)
{
    struct rp_resource from;
    struct rp_error err = {0};
    if (resource->resType != CU_RESOURCE_TYPE_ARRAY)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult r = read_resource(resource, &from);
    struct object *o = r ? NULL : calloc(1, sizeof *o);
    if (!o)
        return r ? r : CUDA_ERROR_OUT_OF_MEMORY;
    *o = (struct object){.surface = true, .resource = *resource};
    *surface = rp_surface_new(driver.device, from.array, &err);
    return keep(o, *surface, &err);
}

CUresult cuSurfObjectCreate(CUsurfObject *surface, const CUDA_RESOURCE_DESC *resource)
{
    CUresult r = enter(NEED_CONTEXT);
    if (r)
        return r;
    return leave(surface && resource ? make_surface(surface, resource) : CUDA_ERROR_INVALID_VALUE);
}

static CUresult destroy(uint64_t handle, bool surface)
{
    CUresult r = enter(NEED_CONTEXT);
    if (r)
        return r;
    struct object **at = find(handle, surface), *o = *at;
    struct rp_error err;
    if (!o)
        return leave(CUDA_ERROR_INVALID_VALUE);
    if (surface)
        rp_surface_free(driver.device, handle, &err);
    else
        rp_texture_free(driver.device, handle, &err);
    *at = o->next;
    free(o);
    return leave(CUDA_SUCCESS);
}
CUresult cuTexObjectDestroy(CUtexObject texture) { return destroy(texture, false); }
CUresult cuSurfObjectDestroy(CUsurfObject surface) { return destroy(surface, true); }

/* Enters the driver for a query of an object. */
static CUresult enter_query(uint64_t handle, bool surface, const void *result, const struct object **o)
{
    CUresult r = enter(NEED_CONTEXT);
    if (r)
        return r;
    *o = *find(handle, surface);
    return *o && result ? CUDA_SUCCESS : leave(CUDA_ERROR_INVALID_VALUE);
}

CUresult cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC *resource, CUtexObject texture)
{
    const struct object *o;
    CUresult r = enter_query(texture, false, resource, &o);
    if (r)
        return r;
    *resource = o->resource;
    return leave(CUDA_SUCCESS);
}
CUresult cuTexObjectGetTextureDesc(CUDA_TEXTURE_DESC *sampler, CUtexObject texture)
{
    const struct object *o;
    CUresult r = enter_query(texture, false, sampler, &o);
    if (r)
        return r;
    *sampler = o->sampler;
    return leave(CUDA_SUCCESS);
}
CUresult cuTexObjectGetResourceViewDesc(CUDA_RESOURCE_VIEW_DESC *v, CUtexObject texture)
{
    const struct object *o;
    CUresult r = enter_query(texture, false, v, &o);
    if (r)
        return r;
    *v = o->view;
    return leave(o->has_view ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
}
CUresult cuSurfObjectGetResourceDesc(CUDA_RESOURCE_DESC *resource, CUsurfObject surface)
{
    const struct object *o;
    CUresult r = enter_query(surface, true, resource, &o);
    if (r)
        return r;
    *resource = o->resource;
    return leave(CUDA_SUCCESS);
}
