/* Arrays, plain and mipmapped. */
#include "frontend/cuda/driver/array.h"

#include <stdlib.h>

#include "frontend/cuda/driver/check.h"
#include "frontend/cuda/driver/pending.h"

bool element_of(CUarray_format format, unsigned channels, struct rp_element *e)
{
    static const struct {
        CUarray_format format;
        uint8_t kind, bits;
    } formats[] = {
        {CU_AD_FORMAT_UNSIGNED_INT8, RP_ELEMENT_UNSIGNED, 8},
        {CU_AD_FORMAT_UNSIGNED_INT16, RP_ELEMENT_UNSIGNED, 16},
        {CU_AD_FORMAT_UNSIGNED_INT32, RP_ELEMENT_UNSIGNED, 32},
        {CU_AD_FORMAT_SIGNED_INT8, RP_ELEMENT_SIGNED, 8},
        {CU_AD_FORMAT_SIGNED_INT16, RP_ELEMENT_SIGNED, 16},
        {CU_AD_FORMAT_SIGNED_INT32, RP_ELEMENT_SIGNED, 32},
        {CU_AD_FORMAT_HALF, RP_ELEMENT_FLOAT, 16},
        {CU_AD_FORMAT_FLOAT, RP_ELEMENT_FLOAT, 32},
    };
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (formats[i].format == format) {
            *e = (struct rp_element){formats[i].kind, formats[i].bits, (uint8_t)channels};
            return channels == 1 || channels == 2 || channels == 4;
        }
    return false;
}

static size_t at_least_one(size_t extent) { return extent ? extent : 1; }

/* The bytes of the elements of all levels. */
static uint64_t bytes_of(const CUDA_ARRAY3D_DESCRIPTOR *d, unsigned levels)
{
    struct rp_element e = {0};
    uint64_t bytes = 0;
    bool layered = d->Flags & (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP);
    element_of(d->Format, d->NumChannels, &e);
    for (unsigned i = 0; i < levels; i++)
        bytes += (uint64_t)at_least_one(d->Width >> i) * at_least_one(d->Height >> i) *
                 at_least_one(layered ? d->Depth : d->Depth >> i) * e.bits / 8 * e.channels;
    return bytes;
}

static CUresult make(const CUDA_ARRAY3D_DESCRIPTOR *d, unsigned levels, struct rp_array **to)
{
    struct rp_array_config c = {.width = (uint32_t)d->Width,
                                .height = (uint32_t)d->Height,
                                .depth = (uint32_t)d->Depth,
                                .levels = levels,
                                .flags = (d->Flags & CUDA_ARRAY3D_LAYERED ? RP_ARRAY_LAYERED : 0) |
                                         (d->Flags & CUDA_ARRAY3D_CUBEMAP ? RP_ARRAY_CUBEMAP : 0)};
    struct rp_error err = {0};
    if (!element_of(d->Format, d->NumChannels, &c.element) || (d->Width | d->Height | d->Depth) >> 31)
        return CUDA_ERROR_INVALID_VALUE;
    if ((*to = rp_array_new(driver.device, &c, "array", &err)))
        return CUDA_SUCCESS;
    say("an array cannot be made: %s", err.text);
    return err.status == RP_SYSTEM ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_ERROR_INVALID_VALUE;
}

static CUresult wrap(struct rp_array *array, const CUDA_ARRAY3D_DESCRIPTOR *d, CUcontext context, CUarray *to)
{
    CUarray a = malloc(sizeof *a);
    if (!a || !handle_add(HANDLE_ARRAY, a)) {
        free(a);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *a = (struct CUarray_st){array, *d, context};
    *to = a;
    return CUDA_SUCCESS;
}

static void unwrap(CUarray a)
{
    handle_remove(a);
    free(a);
}

CUresult cuArray3DCreate_v2(CUarray *array, const CUDA_ARRAY3D_DESCRIPTOR *d)
{
    CUresult r = enter(NEED_CONTEXT);
    if (r)
        return r;
    struct rp_array *made;
    struct rp_error err;
    r = array && d ? make(d, 1, &made) : CUDA_ERROR_INVALID_VALUE;
    if (!r && (r = wrap(made, d, current_context(), array)))
        rp_array_free(driver.device, made, &err);
    if (!r)
        check_array_made(*array, false, current_context(), bytes_of(d, 1));
    return leave(r);
}

CUresult cuArrayCreate_v2(CUarray *array, const CUDA_ARRAY_DESCRIPTOR *d)
{
    if (!d)
        return CUDA_ERROR_INVALID_VALUE;
    return cuArray3DCreate_v2(array, &(CUDA_ARRAY3D_DESCRIPTOR){d->Width, d->Height, 0, d->Format, d->NumChannels, 0});
}

/* Enters the driver for an operation on an array; `result`, where the value goes, must not be NULL. */
static CUresult enter_array(CUarray array, const void *result)
{
    CUresult r = enter(NEED_CONTEXT);
    if (r)
        return r;
    if (result && !handle_is(HANDLE_ARRAY, array))
        check_array_misused(array, "used");
    if (!result || !handle_is(HANDLE_ARRAY, array))
        return leave(result ? CUDA_ERROR_INVALID_HANDLE : CUDA_ERROR_INVALID_VALUE);
    return CUDA_SUCCESS;
}

CUresult cuArray3DGetDescriptor_v2(CUDA_ARRAY3D_DESCRIPTOR *d, CUarray array)
{
    CUresult r = enter_array(array, d);
    if (r)
        return r;
    *d = array->descriptor;
    return leave(CUDA_SUCCESS);
}

CUresult cuArrayGetDescriptor_v2(CUDA_ARRAY_DESCRIPTOR *d, CUarray array)
{
    CUresult r = enter_array(array, d);
    if (r)
        return r;
    const CUDA_ARRAY3D_DESCRIPTOR *all = &array->descriptor;
    *d = (CUDA_ARRAY_DESCRIPTOR){all->Width, all->Height, all->Format, all->NumChannels};
    return leave(CUDA_SUCCESS);
}

CUresult cuArrayDestroy(CUarray array)
{
    CUresult r = enter(NEED_CONTEXT);
    if (r) {
        check_array_given_back(array);
        return r;
    }
    if (!handle_is(HANDLE_ARRAY, array)) {
        check_array_misused(array, "freed");
        return leave(array ? CUDA_ERROR_INVALID_HANDLE : CUDA_ERROR_INVALID_VALUE);
    }
    if ((r = pending_wait(NULL, NULL)))
        return leave(r);
    struct rp_error err;
    if (!array->context || !rp_array_free(driver.device, array->array, &err))
        return leave(CUDA_ERROR_INVALID_HANDLE);
    check_array_freed(array);
    unwrap(array);
    return leave(CUDA_SUCCESS);
}

/* ---- levels ------------------------------------------------------------------------------------------------------ */

static unsigned most_levels(const CUDA_ARRAY3D_DESCRIPTOR *d)
{
    size_t extent = d->Width > d->Height ? d->Width : d->Height;
    extent = !(d->Flags & CUDA_ARRAY3D_LAYERED) && d->Depth > extent ? d->Depth : extent;
    unsigned levels = 1;
    for (; extent > 1 && levels < 16; extent /= 2)
        levels++;
    return levels;
}

CUresult cuMipmappedArrayCreate(CUmipmappedArray *array, const CUDA_ARRAY3D_DESCRIPTOR *d, unsigned levels)
{
    CUresult r = enter(NEED_CONTEXT);
    if (r)
        return r;
    CUmipmappedArray a = array && d ? calloc(1, sizeof *a) : NULL;
    struct rp_error err;
    if (!a)
        return leave(CUDA_ERROR_INVALID_VALUE);
    unsigned count = levels < most_levels(d) ? levels : most_levels(d);
    a->descriptor = *d;
    a->level_count = count ? count : 1;
    r = make(d, a->level_count, &a->array);
    if (!r && !handle_add(HANDLE_MIPMAP, a)) {
        rp_array_free(driver.device, a->array, &err);
        r = CUDA_ERROR_OUT_OF_MEMORY;
    }
    if (r) {
        free(a);
        return leave(r);
    }
    check_array_made(a, true, current_context(), bytes_of(d, a->level_count));
    *array = a;
    return leave(CUDA_SUCCESS);
}

static size_t smaller(size_t extent, unsigned level) { return extent >> level ? extent >> level : extent != 0; }

static CUresult level_of(CUmipmappedArray a, unsigned number, CUarray *to)
{
    struct rp_error err;
    struct rp_array *level = rp_array_level(a->array, number, &err);
    CUDA_ARRAY3D_DESCRIPTOR d = a->descriptor;
    d.Width = smaller(d.Width, number);
    d.Height = smaller(d.Height, number);
    if (!(d.Flags & (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP)))
        d.Depth = smaller(d.Depth, number);
    CUresult r = level ? wrap(level, &d, NULL, &a->levels[number]) : CUDA_ERROR_INVALID_VALUE;
    if (!r)
        *to = a->levels[number];
    return r;
}

CUresult cuMipmappedArrayGetLevel(CUarray *level, CUmipmappedArray array, unsigned number)
{
    CUresult r = enter(NEED_CONTEXT);
    if (r)
        return r;
    if (!handle_is(HANDLE_MIPMAP, array))
        check_array_misused(array, "used");
    if (!handle_is(HANDLE_MIPMAP, array) || !level || number >= array->level_count)
        return leave(handle_is(HANDLE_MIPMAP, array) ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_HANDLE);
    *level = array->levels[number];
    return leave(*level ? CUDA_SUCCESS : level_of(array, number, level));
}

CUresult cuMipmappedArrayDestroy(CUmipmappedArray array)
{
    CUresult r = enter(NEED_CONTEXT);
    if (r) {
        check_array_given_back(array);
        return r;
    }
    if ((r = pending_wait(NULL, NULL)))
        return leave(r);
    struct rp_error err;
    if (!handle_is(HANDLE_MIPMAP, array)) {
        check_array_misused(array, "freed");
        return leave(CUDA_ERROR_INVALID_HANDLE);
    }
    if (!rp_array_free(driver.device, array->array, &err))
        return leave(CUDA_ERROR_INVALID_HANDLE);
    check_array_freed(array);
    for (unsigned i = 0; i < array->level_count; i++)
        if (array->levels[i])
            unwrap(array->levels[i]);
    handle_remove(array);
    free(array);
    return leave(CUDA_SUCCESS);
}

/* ---- copies of a row --------------------------------------------------------------------------------------------- */

/* `place`: the other side in memory; unused if the other side is an array, too. */
static CUresult copy_row(CUarray to, size_t to_offset, CUarray from, size_t from_offset, CUdeviceptr place,
                         size_t bytes)
{
    CUDA_MEMCPY3D c = {.srcMemoryType = from ? CU_MEMORYTYPE_ARRAY : CU_MEMORYTYPE_UNIFIED,
                       .srcArray = from,
                       .srcXInBytes = from_offset,
                       .srcDevice = place,
                       .dstMemoryType = to ? CU_MEMORYTYPE_ARRAY : CU_MEMORYTYPE_UNIFIED,
                       .dstArray = to,
                       .dstXInBytes = to_offset,
                       .dstDevice = place,
                       .WidthInBytes = bytes,
                       .Height = 1,
                       .Depth = 1};
    return cuMemcpy3D_v2(&c);
}
CUresult cuMemcpyHtoA_v2(CUarray to, size_t offset, const void *from, size_t bytes)
{
    return to ? copy_row(to, offset, NULL, 0, (uintptr_t)from, bytes) : CUDA_ERROR_INVALID_HANDLE;
}
CUresult cuMemcpyDtoA_v2(CUarray to, size_t offset, CUdeviceptr from, size_t bytes)
{
    return to ? copy_row(to, offset, NULL, 0, from, bytes) : CUDA_ERROR_INVALID_HANDLE;
}
CUresult cuMemcpyAtoH_v2(void *to, CUarray from, size_t offset, size_t bytes)
{
    return from ? copy_row(NULL, 0, from, offset, (uintptr_t)to, bytes) : CUDA_ERROR_INVALID_HANDLE;
}
CUresult cuMemcpyAtoD_v2(CUdeviceptr to, CUarray from, size_t offset, size_t bytes)
{
    return from ? copy_row(NULL, 0, from, offset, to, bytes) : CUDA_ERROR_INVALID_HANDLE;
}
CUresult cuMemcpyAtoA_v2(CUarray to, size_t to_offset, CUarray from, size_t from_offset, size_t bytes)
{
    return to && from ? copy_row(to, to_offset, from, from_offset, 0, bytes) : CUDA_ERROR_INVALID_HANDLE;
}
