#include "tests/hardware/images.h"

#include <stdlib.h>
#include <string.h>

#include "frontend/host/array.h"
#include "frontend/host/internal.h"
#include "tests/hardware/gpu.h"

enum { ARRAYS = 4, OBJECTS = 8 };

/* What a level holds: rows and slices one behind the other. */
struct level {
    uint8_t *texels;
    struct rp_array_box box;
};
static struct held {
    struct rp_array *array;
    struct level levels[IMAGE_LEVELS];
    CUmipmappedArray mipmap; /* or */
    CUarray plain;
} held[ARRAYS];
static unsigned held_count;
static struct {
    uint64_t handle;
    bool surface;
} objects[OBJECTS];
static unsigned object_count;

/* ---- contents ---------------------------------------------------------------------------------------------------- */

static uint8_t *read_level(struct rp_device *d, struct rp_array *a, uint32_t level, struct rp_array_box *box)
{
    struct rp_error err;
    struct rp_array *l = rp_array_level(a, level, &err);
    const struct image *m = &l->image;
    const struct image_level *e = &m->levels[0];
    *box = (struct rp_array_box){.width = (uint64_t)e->width * rp_element_bytes(m->element), .height = e->height};
    box->depth = m->layered || m->cube ? m->layers : e->depth;
    uint8_t *texels = malloc(box->width * box->height * box->depth);
    rp_array_read(d, l, box, texels, box->width, box->width * box->height, &err);
    return texels;
}

bool images_take(struct rp_device *d)
{
    held_count = 0;
    for (struct rp_array *a = d->arrays; a; a = a->next) {
        if (held_count == ARRAYS)
            return false;
        struct held *h = &held[held_count++];
        *h = (struct held){.array = a};
        for (uint32_t l = 0; l < a->image.level_count; l++)
            h->levels[l].texels = read_level(d, a, l, &h->levels[l].box);
    }
    return true;
}

bool images_hold(const struct rp_device *d, uint64_t address)
{
    for (const struct rp_array *a = d->arrays; a; a = a->next)
        if (a->image.address == address)
            return true;
    return false;
}

static CUDA_MEMCPY3D copy_of(const struct level *l, CUarray array, void *host, bool up)
{
    enum { ON_HOST = 1, IN_ARRAY = 3 };
    CUDA_MEMCPY3D c = {.WidthInBytes = l->box.width, .Height = l->box.height, .Depth = l->box.depth};
    c.srcMemoryType = (CUmemorytype)(up ? ON_HOST : IN_ARRAY);
    c.dstMemoryType = (CUmemorytype)(up ? IN_ARRAY : ON_HOST);
    c.srcHost = c.dstHost = host;
    c.srcArray = c.dstArray = array;
    c.srcPitch = c.dstPitch = l->box.width;
    c.srcHeight = c.dstHeight = l->box.height;
    return c;
}

static CUarray array_level(const struct held *h, uint32_t level)
{
    CUarray a = h->plain;
    if (h->mipmap)
        GPU(cuMipmappedArrayGetLevel, &a, h->mipmap, level);
    return a;
}

static unsigned format_of(struct rp_element e)
{
    unsigned size = e.bits == 8 ? 0 : e.bits == 16 ? 1 : 2;
    return e.kind == RP_ELEMENT_UNSIGNED ? 1 + size : e.kind == RP_ELEMENT_SIGNED ? 8 + size : size == 1 ? 0x10 : 0x20;
}

static const char *upload_array(struct held *h)
{
    enum { LAYERED = 1, SURFACES = 2, CUBE = 4 };
    const struct rp_array_config *c = &h->array->config;
    const CUDA_ARRAY3D_DESCRIPTOR d = {c->width,
                                       c->height,
                                       c->depth,
                                       (CUarray_format)format_of(c->element),
                                       c->element.channels,
                                       (c->flags & RP_ARRAY_LAYERED ? LAYERED : 0) | SURFACES |
                                           (c->flags & RP_ARRAY_CUBEMAP ? CUBE : 0)};
    int r =
        c->levels > 1 ? GPU(cuMipmappedArrayCreate, &h->mipmap, &d, c->levels) : GPU(cuArray3DCreate_v2, &h->plain, &d);
    for (uint32_t l = 0; !r && l < h->array->image.level_count; l++) {
        const CUDA_MEMCPY3D copy = copy_of(&h->levels[l], array_level(h, l), h->levels[l].texels, true);
        r = GPU(cuMemcpy3D_v2, &copy);
    }
    return r ? gpu_message("array", r) : NULL;
}

/* ---- objects ----------------------------------------------------------------------------------------------------- */

static CUDA_TEXTURE_DESC description(const struct rp_sampler *s)
{
    enum { AS_INTEGER = 1, NORMALIZED = 2, SRGB = 16 };
    CUDA_TEXTURE_DESC t = {.filterMode = (CUfilter_mode)s->filter,
                           .mipmapFilterMode = (CUfilter_mode)s->mip_filter,
                           .maxAnisotropy = s->max_anisotropy,
                           .mipmapLevelBias = s->mip_bias,
                           .minMipmapLevelClamp = s->mip_min,
                           .maxMipmapLevelClamp = s->mip_max};
    t.flags =
        (s->read_as_integer ? AS_INTEGER : 0) | (s->normalized_coordinates ? NORMALIZED : 0) | (s->srgb ? SRGB : 0);
    for (int i = 0; i < 3; i++)
        t.addressMode[i] = (CUaddress_mode)s->address[i];
    memcpy(t.borderColor, s->border, sizeof t.borderColor);
    return t;
}

static void plain_resource(const struct image *m, CUDA_RESOURCE_DESC *r)
{
    enum { LINEAR = 2, PITCH = 3 };
    const struct image_level *l = &m->levels[0];
    r->resType = (CUresourcetype)(m->linear ? LINEAR : PITCH);
    r->res.pitch2D.devPtr = m->address + (uint64_t)gpu_moved();
    r->res.pitch2D.format = (CUarray_format)format_of(m->element);
    r->res.pitch2D.numChannels = m->element.channels;
    if (m->linear) {
        r->res.linear.sizeInBytes = m->bytes;
        return;
    }
    r->res.pitch2D.width = l->width;
    r->res.pitch2D.height = l->height;
    r->res.pitch2D.pitchInBytes = l->row;
}

static const char *place(const struct texture_object *o, unsigned long long *handle)
{
    enum { ARRAY = 0, MIPMAP = 1 };
    const char *why = NULL;
    struct held *h = held;
    CUDA_RESOURCE_DESC r = {.flags = 0};
    while (h < held + held_count && h->array->image.address != o->image.address)
        h++;
    if (h == held + held_count) {
        plain_resource(&o->image, &r);
    } else {
        if (!h->plain && !h->mipmap && (why = upload_array(h)))
            return why;
        r.resType = (CUresourcetype)(h->mipmap && !o->is_surface ? MIPMAP : ARRAY);
        if (h->mipmap && !o->is_surface)
            r.res.mipmap.hMipmappedArray = h->mipmap;
        else
            r.res.array.hArray = array_level(h, 0);
    }
    const CUDA_TEXTURE_DESC t = description(&o->sampler);
    int failed = o->is_surface ? GPU(cuSurfObjectCreate, handle, &r) : GPU(cuTexObjectCreate, handle, &r, &t, NULL);
    if (failed)
        return gpu_message("texture or surface", failed);
    objects[object_count].handle = *handle;
    objects[object_count++].surface = o->is_surface;
    return NULL;
}

const char *images_place(struct rp_device *d, uint8_t *params, size_t bytes)
{
    for (size_t i = 0; d->arrays && i + 8 <= bytes; i += 8) {
        unsigned long long v;
        memcpy(&v, params + i, 8);
        const struct texture_object *o = v && v < d->textures.count ? d->textures.at[v] : NULL;
        const char *why = o && object_count < OBJECTS ? place(o, &v) : NULL;
        if (why)
            return why;
        memcpy(params + i, &v, 8);
    }
    return NULL;
}

/* ---- after the launch -------------------------------------------------------------------------------------------- */

uint64_t images_differ(struct rp_device *d, uint64_t *texels)
{
    uint64_t differ = 0;
    for (struct held *h = held; h < held + held_count; h++) {
        if (!h->plain && !h->mipmap)
            continue;
        struct level *l = &h->levels[0];
        size_t bytes = l->box.width * l->box.height * l->box.depth, size = rp_element_bytes(h->array->config.element);
        uint8_t *now = read_level(d, h->array, 0, &l->box), *gpu = malloc(bytes);
        const CUDA_MEMCPY3D copy = copy_of(l, array_level(h, 0), gpu, false);
        if (GPU(cuMemcpy3D_v2, &copy))
            differ++;
        for (size_t i = 0; i < bytes; i += size)
            differ += memcmp(now + i, gpu + i, size) != 0;
        *texels += bytes / size;
        free(now);
        free(gpu);
    }
    return differ;
}

void images_drop(void)
{
    for (unsigned i = 0; i < object_count; i++)
        objects[i].surface ? GPU(cuSurfObjectDestroy, objects[i].handle) : GPU(cuTexObjectDestroy, objects[i].handle);
    object_count = 0;
    for (struct held *h = held; h < held + held_count; h++) {
        for (uint32_t l = 0; l < IMAGE_LEVELS; l++)
            free(h->levels[l].texels);
        if (h->mipmap)
            GPU(cuMipmappedArrayDestroy, h->mipmap);
        if (h->plain)
            GPU(cuArrayDestroy, h->plain);
    }
    held_count = 0;
}
