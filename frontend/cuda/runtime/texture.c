/* Texture and surface objects. */
#include <string.h>

#include "frontend/cuda/runtime/runtime.h"

static bool resource_of(const struct cudaResourceDesc *r, CUDA_RESOURCE_DESC *d)
{
    memset(d, 0, sizeof *d);
    d->resType = (CUresourcetype)r->resType;
    switch (d->resType) {
    case CU_RESOURCE_TYPE_ARRAY: d->res.array.hArray = r->res.array; return true;
    case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY: d->res.mipmap.hMipmappedArray = r->res.mipmap; return true;
    case CU_RESOURCE_TYPE_LINEAR:
        d->res.linear.devPtr = (CUdeviceptr)r->res.linear.devPtr;
        d->res.linear.sizeInBytes = r->res.linear.sizeInBytes;
        return array_format(&r->res.linear.desc, &d->res.linear.format, &d->res.linear.numChannels);
    case CU_RESOURCE_TYPE_PITCH2D:
        d->res.pitch2D.devPtr = (CUdeviceptr)r->res.pitch2D.devPtr;
        d->res.pitch2D.width = r->res.pitch2D.width;
        d->res.pitch2D.height = r->res.pitch2D.height;
        d->res.pitch2D.pitchInBytes = r->res.pitch2D.pitchInBytes;
        return array_format(&r->res.pitch2D.desc, &d->res.pitch2D.format, &d->res.pitch2D.numChannels);
    default: return fail(cudaErrorInvalidValue), false;
    }
}

static struct cudaResourceDesc runtime_resource(const CUDA_RESOURCE_DESC *d)
{
    struct cudaResourceDesc r;
    memset(&r, 0, sizeof r);
    r.resType = (int)d->resType;
    switch (d->resType) {
    case CU_RESOURCE_TYPE_ARRAY: r.res.array = d->res.array.hArray; break;
    case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY: r.res.mipmap = d->res.mipmap.hMipmappedArray; break;
    case CU_RESOURCE_TYPE_LINEAR:
        r.res.linear.devPtr = (void *)d->res.linear.devPtr;
        r.res.linear.sizeInBytes = d->res.linear.sizeInBytes;
        r.res.linear.desc = channel_of(d->res.linear.format, d->res.linear.numChannels);
        break;
    default:
        r.res.pitch2D.devPtr = (void *)d->res.pitch2D.devPtr;
        r.res.pitch2D.width = d->res.pitch2D.width;
        r.res.pitch2D.height = d->res.pitch2D.height;
        r.res.pitch2D.pitchInBytes = d->res.pitch2D.pitchInBytes;
        r.res.pitch2D.desc = channel_of(d->res.pitch2D.format, d->res.pitch2D.numChannels);
    }
    return r;
}

/* Integers stay integers unless the program asks for normalised floats. */
static CUDA_TEXTURE_DESC texture_of(const struct cudaTextureDesc *t)
{
    CUDA_TEXTURE_DESC d = {
        .filterMode = (CUfilter_mode)t->filterMode,
        .flags = (t->readMode ? 0u : CU_TRSF_READ_AS_INTEGER) |
                 (t->normalizedCoords ? CU_TRSF_NORMALIZED_COORDINATES : 0u) | (t->sRGB ? CU_TRSF_SRGB : 0u) |
                 (t->disableTrilinearOptimization ? CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION : 0u),
        .maxAnisotropy = t->maxAnisotropy,
        .mipmapFilterMode = (CUfilter_mode)t->mipmapFilterMode,
        .mipmapLevelBias = t->mipmapLevelBias,
        .minMipmapLevelClamp = t->minMipmapLevelClamp,
        .maxMipmapLevelClamp = t->maxMipmapLevelClamp,
    };
#if CUDART_MAJOR >= 12
    d.flags |= t->seamlessCubemap ? CU_TRSF_SEAMLESS_CUBEMAP : 0u;
#endif
    for (int i = 0; i < 3; i++)
        d.addressMode[i] = (CUaddress_mode)t->addressMode[i];
    memcpy(d.borderColor, t->borderColor, sizeof d.borderColor);
    return d;
}

static struct cudaTextureDesc runtime_texture(const CUDA_TEXTURE_DESC *d)
{
    struct cudaTextureDesc t = {
        .filterMode = (int)d->filterMode,
        .readMode = !(d->flags & CU_TRSF_READ_AS_INTEGER),
        .sRGB = !!(d->flags & CU_TRSF_SRGB),
        .normalizedCoords = !!(d->flags & CU_TRSF_NORMALIZED_COORDINATES),
        .maxAnisotropy = d->maxAnisotropy,
        .mipmapFilterMode = (int)d->mipmapFilterMode,
        .mipmapLevelBias = d->mipmapLevelBias,
        .minMipmapLevelClamp = d->minMipmapLevelClamp,
        .maxMipmapLevelClamp = d->maxMipmapLevelClamp,
        .disableTrilinearOptimization = !!(d->flags & CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION),
    };
#if CUDART_MAJOR >= 12
    t.seamlessCubemap = !!(d->flags & CU_TRSF_SEAMLESS_CUBEMAP);
#endif
    for (int i = 0; i < 3; i++)
        t.addressMode[i] = (int)d->addressMode[i];
    memcpy(t.borderColor, d->borderColor, sizeof t.borderColor);
    return t;
}

cudaError_t cudaCreateTextureObject(cudaTextureObject_t *texture, const struct cudaResourceDesc *resource,
                                    const struct cudaTextureDesc *how, const CUDA_RESOURCE_VIEW_DESC *view)
{
    CUDA_RESOURCE_DESC r;
    if (!texture || !resource || !how)
        return fail(cudaErrorInvalidValue);
    if (!resource_of(resource, &r) || !ready())
        return last_error();
    CUDA_TEXTURE_DESC t = texture_of(how);
    return done(cuTexObjectCreate(texture, &r, &t, view));
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t texture)
{
    return ready() ? done(cuTexObjectDestroy(texture)) : last_error();
}

cudaError_t cudaGetTextureObjectResourceDesc(struct cudaResourceDesc *resource, cudaTextureObject_t texture)
{
    CUDA_RESOURCE_DESC d;
    if (!ready() || done(cuTexObjectGetResourceDesc(&d, texture)))
        return last_error();
    *resource = runtime_resource(&d);
    return cudaSuccess;
}

cudaError_t cudaGetTextureObjectTextureDesc(struct cudaTextureDesc *how, cudaTextureObject_t texture)
{
    CUDA_TEXTURE_DESC d;
    if (!ready() || done(cuTexObjectGetTextureDesc(&d, texture)))
        return last_error();
    *how = runtime_texture(&d);
    return cudaSuccess;
}

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *surface, const struct cudaResourceDesc *resource)
{
    CUDA_RESOURCE_DESC r;
    if (!surface || !resource)
        return fail(cudaErrorInvalidValue);
    return resource_of(resource, &r) && ready() ? done(cuSurfObjectCreate(surface, &r)) : last_error();
}

cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t surface)
{
    return ready() ? done(cuSurfObjectDestroy(surface)) : last_error();
}

cudaError_t cudaGetSurfaceObjectResourceDesc(struct cudaResourceDesc *resource, cudaSurfaceObject_t surface)
{
    CUDA_RESOURCE_DESC d;
    if (!ready() || done(cuSurfObjectGetResourceDesc(&d, surface)))
        return last_error();
    *resource = runtime_resource(&d);
    return cudaSuccess;
}
