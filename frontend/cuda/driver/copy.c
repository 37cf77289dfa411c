/* Copies of every shape: each is a box with two ends, as in cuMemcpy3D. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/cuda/driver/array.h"
#include "frontend/cuda/driver/check.h"
#include "frontend/cuda/driver/driver.h"

/* One end of a copy: source or destination. */
struct end {
    CUarray array; /* NULL: rows in memory */
    uint64_t address;
    size_t pitch, slice, x, y, z;
};

static CUresult end_of(struct end *e, CUmemorytype type, const void *host, CUdeviceptr device, CUarray array,
                       const CUDA_MEMCPY3D *c, size_t pitch, size_t height)
{
    e->pitch = pitch ? pitch : e->x + c->WidthInBytes;
    e->slice = e->pitch * (height ? height : e->y + c->Height);
    if (type == CU_MEMORYTYPE_ARRAY) {
        e->array = array;
        return handle_is(HANDLE_ARRAY, array) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
    }
    e->address = type == CU_MEMORYTYPE_HOST ? (uintptr_t)host : device;
    bool known = type == CU_MEMORYTYPE_HOST || type == CU_MEMORYTYPE_DEVICE || type == CU_MEMORYTYPE_UNIFIED;
    if (!known || !e->address || (c->Height > 1 && e->x + c->WidthInBytes > e->pitch))
        return CUDA_ERROR_INVALID_VALUE;
    e->address += e->x + e->y * e->pitch + e->z * e->slice;
    return CUDA_SUCCESS;
}

static CUresult ends(const CUDA_MEMCPY3D *c, struct end *to, struct end *from)
{
    *to = (struct end){.x = c->dstXInBytes, .y = c->dstY, .z = c->dstZ};
    *from = (struct end){.x = c->srcXInBytes, .y = c->srcY, .z = c->srcZ};
    CUresult r = end_of(to, c->dstMemoryType, c->dstHost, c->dstDevice, c->dstArray, c, c->dstPitch, c->dstHeight);
    return r ? r : end_of(from, c->srcMemoryType, c->srcHost, c->srcDevice, c->srcArray, c, c->srcPitch, c->srcHeight);
}

static bool is_empty(const CUDA_MEMCPY3D *c) { return !c->WidthInBytes || !c->Height || !c->Depth; }

CUresult copy_check(const CUDA_MEMCPY3D *c)
{
    struct end to, from;
    return is_empty(c) ? CUDA_SUCCESS : ends(c, &to, &from);
}

bool copy_is_pageable(const CUDA_MEMCPY3D *c)
{
    struct end to, from;
    bool device[2] = {true, true};
    if (is_empty(c) || ends(c, &to, &from))
        return false;
    if (!to.array)
        view(to.address, 0, false, &device[0]);
    if (!from.array)
        view(from.address, 0, false, &device[1]);
    return !device[0] || !device[1];
}

static size_t bytes_of(const struct end *e, const CUDA_MEMCPY3D *c)
{
    return (c->Depth - 1) * e->slice + (c->Height - 1) * e->pitch + c->WidthInBytes;
}

/* The host address of an end's rows in memory. NULL: they are not all in one allocation. */
static uint8_t *rows_of(const struct end *e, const CUDA_MEMCPY3D *c, bool write, bool *device)
{
    return view(e->address, bytes_of(e, c), write, device);
}

/* Whether the destination, memory of the device, has the content that it is to get. */
static bool is_copied(const CUDA_MEMCPY3D *c, const struct end *to, const struct end *from, const uint8_t *source)
{
    const uint8_t *at = driver.defaults.spare_repeats ? content_at(to->address, bytes_of(to, c)) : NULL;
    for (size_t z = 0; at && z < c->Depth; z++)
        for (size_t y = 0; y < c->Height; y++)
            if (memcmp(at + z * to->slice + y * to->pitch, source + z * from->slice + y * from->pitch, c->WidthInBytes))
                return false;
    return at;
}

static void copy_rows(const CUDA_MEMCPY3D *c, const struct end *to, uint8_t *at, const struct end *from,
                      const uint8_t *source)
{
    size_t width = c->WidthInBytes, rows = c->Height, slices = c->Depth;
    if (to->pitch == width && from->pitch == width && (slices == 1 || to->slice == from->slice)) {
        width *= rows;
        rows = 1;
    }
    for (size_t z = 0; z < slices; z++)
        for (size_t y = 0; y < rows; y++)
            memmove(at + z * to->slice + y * to->pitch, source + z * from->slice + y * from->pitch, width);
}

static struct rp_array_box box_of(const struct end *e, const CUDA_MEMCPY3D *c)
{
    return (struct rp_array_box){e->x, e->y, e->z, c->WidthInBytes, c->Height, c->Depth};
}

/* Copies between two arrays through host memory. */
static bool copy_arrays(const CUDA_MEMCPY3D *c, const struct end *to, const struct end *from, struct rp_error *err)
{
    struct rp_array_box source = box_of(from, c), target = box_of(to, c);
    size_t pitch = c->WidthInBytes, slice = pitch * c->Height;
    uint8_t *between = malloc(slice * c->Depth);
    bool ok = between && rp_array_read(driver.device, from->array->array, &source, between, pitch, slice, err) &&
              rp_array_write(driver.device, to->array->array, &target, between, pitch, slice, err);
    free(between);
    return ok;
}

/* Rows of a slice go to plain memory: tells the check of uninitialised reads which bytes are initialised. */
static void check_copied(const struct end *to, const struct end *from, const bool device[2], size_t slice,
                         const CUDA_MEMCPY3D *c)
{
    CUdeviceptr at = to->address + slice * to->slice, source = from->address + slice * from->slice;
    if (device[1] && !device[0] && !from->array)
        check_host_reads(source, c->WidthInBytes, from->pitch, c->Height);
    else if (!device[1] || from->array)
        wrote(at, c->WidthInBytes, to->pitch, c->Height);
    else
        for (size_t y = 0; y < c->Height; y++)
            rp_copied(driver.device, driver.defaults.check, at + y * to->pitch, source + y * from->pitch,
                      c->WidthInBytes);
}

static bool copy_ends(const CUDA_MEMCPY3D *c, const struct end *to, const struct end *from, bool device[2],
                      struct rp_error *err)
{
    device[0] = device[1] = true;
    if (to->array && from->array)
        return copy_arrays(c, to, from, err);
    struct rp_array_box target = box_of(to, c), source = box_of(from, c);
    const uint8_t *rows = from->array ? NULL : rows_of(from, c, false, &device[1]);
    bool done = rows && !to->array && is_copied(c, to, from, rows);
    uint8_t *at = to->array ? NULL : rows_of(to, c, !done, &device[0]);
    if ((!to->array && !at) || (!from->array && !rows))
        return false;
    if (to->array)
        return rp_array_write(driver.device, to->array->array, &target, rows, from->pitch, from->slice, err);
    for (size_t z = 0; driver.defaults.check && z < c->Depth; z++)
        check_copied(to, from, device, z, c);
    if (from->array)
        return rp_array_read(driver.device, from->array->array, &source, at, to->pitch, to->slice, err);
    if (!done)
        copy_rows(c, to, at, from, rows);
    return true;
}

/* Constants have no address in the global space: 0. */
static uint64_t address_of(const struct end *e)
{
    uint64_t bytes;
    struct rp_range range;
    if (!e->array && rp_find_constants(driver.device, e->address, &range))
        return 0;
    return e->array ? rp_array_address(e->array->array, &bytes) : e->address;
}

/* Pinned and registered memory belongs to the host, although kernels can access it. */
static bool is_device_memory(const struct end *e, bool device)
{
    const struct buffer *b = device && !e->array ? buffer_at(e->address) : NULL;
    return device && !(b && (b->kind == BUFFER_PINNED || b->kind == BUFFER_REGISTERED));
}

/* The device that has the end, which is device memory; managed memory is where it is needed. */
static uint32_t device_of(const struct end *e, CUstream stream)
{
    const struct CUctx_st *context = e->array ? e->array->context : NULL;
    return (uint32_t)(context ? context->device : e->array ? stream->device : device_at(e->address, stream->device));
}

/* CUDA Driver API, "API synchronization behavior", Memcpy: the host does not wait for copies within the device.
 * Pageable host memory is staged, also by asynchronous calls, and the host waits for that. */
static enum rp_host_waits copy_waits(const struct work *w, const bool device[2], bool pageable)
{
    if (w->call == OF_GRAPH || (device[0] && device[1]))
        return RP_WAITS_NOT;
    return pageable || w->call == BLOCKING ? RP_WAITS : RP_WAITS_NOT;
}

CUresult copy_run(CUstream stream, const struct work *w)
{
    const CUDA_MEMCPY3D *c = &w->copy;
    static const uint8_t directions[2][2] = {{RP_COPY_ON_HOST, RP_COPY_TO_HOST},
                                             {RP_COPY_TO_DEVICE, RP_COPY_ON_DEVICE}};
    struct end to, from;
    struct rp_error err = {0};
    bool device[2];
    CUresult r = is_empty(c) ? CUDA_SUCCESS : ends(c, &to, &from);
    if (r || is_empty(c))
        return r;
    if (!copy_ends(c, &to, &from, device, &err)) {
        if (*err.text)
            say("copy: %s", err.text);
        return CUDA_ERROR_INVALID_VALUE;
    }
    bool pageable = !device[0] || !device[1];
    device[0] = is_device_memory(&to, device[0]);
    device[1] = is_device_memory(&from, device[1]);
    record_operation(&(struct rp_host_operation){.kind = RP_HOST_COPY,
                                                 .direction = directions[device[0]][device[1]],
                                                 .waits = copy_waits(w, device, pageable),
                                                 .device = (uint32_t)stream->device,
                                                 .to = device[0] ? device_of(&to, stream) : 0,
                                                 .from = device[1] ? device_of(&from, stream) : 0,
                                                 .stream = stream->number,
                                                 .address = device[0] ? address_of(&to) : 0,
                                                 .source = device[1] ? address_of(&from) : 0,
                                                 .size = c->WidthInBytes * c->Height * c->Depth});
    return CUDA_SUCCESS;
}

/* ---- what a call says of its ends -------------------------------------------------------------------------------- */

static const char *memory_name(CUmemorytype type) { return type == CU_MEMORYTYPE_HOST ? "the host" : "the device"; }

/* Whether an end is not in the memory that the call says. Pinned, registered and managed memory are both, and a
 * variable may be managed. */
static bool is_elsewhere(const struct end *e, CUmemorytype said)
{
    bool device;
    const struct buffer *b = e->array ? NULL : buffer_at(e->address);
    if (e->array || (said != CU_MEMORYTYPE_HOST && said != CU_MEMORYTYPE_DEVICE))
        return false;
    if (said == CU_MEMORYTYPE_HOST)
        return b && b->kind == BUFFER_DEVICE;
    view(e->address, 0, false, &device);
    return !device;
}

/* With checks: a copy whose direction is wrong, which a GPU may refuse. */
static void check_direction(const CUDA_MEMCPY3D *c, CUmemorytype to_said, CUmemorytype from_said)
{
    struct end to, from;
    if (!check_any() || is_empty(c) || ends(c, &to, &from))
        return;
    bool wrong_to = is_elsewhere(&to, to_said), wrong_from = is_elsewhere(&from, from_said);
    const char *is[] = {memory_name(CU_MEMORYTYPE_DEVICE), memory_name(CU_MEMORYTYPE_HOST)};
    if (wrong_to && wrong_from)
        check_misused(to.address,
                      "a copy says that it goes from %s to %s, but 0x%" PRIx64 " is memory of %s, and 0x%" PRIx64
                      " memory of %s",
                      memory_name(from_said), memory_name(to_said), from.address, is[from_said != CU_MEMORYTYPE_HOST],
                      to.address, is[to_said != CU_MEMORYTYPE_HOST]);
    else if (wrong_to)
        check_misused(to.address, "a copy says that it goes to %s, but 0x%" PRIx64 " is memory of %s",
                      memory_name(to_said), to.address, is[to_said != CU_MEMORYTYPE_HOST]);
    else if (wrong_from)
        check_misused(from.address, "a copy says that it comes from %s, but 0x%" PRIx64 " is memory of %s",
                      memory_name(from_said), from.address, is[from_said != CU_MEMORYTYPE_HOST]);
}

/* A copy's ends are no arrays. */
static void check_arrays(const CUDA_MEMCPY3D *c)
{
    if (c->dstMemoryType == CU_MEMORYTYPE_ARRAY && !handle_is(HANDLE_ARRAY, c->dstArray))
        check_array_misused(c->dstArray, "used");
    if (c->srcMemoryType == CU_MEMORYTYPE_ARRAY && !handle_is(HANDLE_ARRAY, c->srcArray))
        check_array_misused(c->srcArray, "used");
}

/* ---- functions --------------------------------------------------------------------------------------------------- */

static CUresult copy_said(const CUDA_MEMCPY3D *c, CUmemorytype to, CUmemorytype from, CUstream handle, bool blocking)
{
    CUresult r = enter(NEED_CONTEXT);
    if (r)
        return r;
    CUstream stream = stream_of(handle);
    if (!c || !stream)
        return leave(c ? CUDA_ERROR_INVALID_HANDLE : CUDA_ERROR_INVALID_VALUE);
    struct work w = {.kind = WORK_COPY, .call = blocking ? BLOCKING : ASYNCHRONOUS, .copy = *c};
    check_direction(c, to, from);
    r = copy_check(c);
    if (r == CUDA_ERROR_INVALID_HANDLE)
        check_arrays(c);
    return leave(r ? r : submit(stream, &w));
}

static CUresult copy(const CUDA_MEMCPY3D *c, CUstream handle, bool blocking)
{
    CUmemorytype unknown = CU_MEMORYTYPE_UNIFIED;
    return copy_said(c, c ? c->dstMemoryType : unknown, c ? c->srcMemoryType : unknown, handle, blocking);
}

/* What the call says of a line's ends is for checks: where they are, the addresses say. */
static CUresult copy_line(CUdeviceptr to, CUmemorytype to_said, CUdeviceptr from, CUmemorytype from_said, size_t bytes,
                          CUstream stream, bool blocking)
{
    CUDA_MEMCPY3D c = {.srcMemoryType = CU_MEMORYTYPE_UNIFIED,
                       .srcDevice = from,
                       .dstMemoryType = CU_MEMORYTYPE_UNIFIED,
                       .dstDevice = to,
                       .WidthInBytes = bytes,
                       .Height = 1,
                       .Depth = 1};
    return copy_said(&c, to_said, from_said, stream, blocking);
}

static CUresult copy_any(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream, bool blocking)
{
    return copy_line(to, CU_MEMORYTYPE_UNIFIED, from, CU_MEMORYTYPE_UNIFIED, bytes, stream, blocking);
}
static CUresult copy_in(CUdeviceptr to, const void *from, size_t bytes, CUstream stream, bool blocking)
{
    return copy_line(to, CU_MEMORYTYPE_DEVICE, (uintptr_t)from, CU_MEMORYTYPE_HOST, bytes, stream, blocking);
}
static CUresult copy_out(void *to, CUdeviceptr from, size_t bytes, CUstream stream, bool blocking)
{
    return copy_line((uintptr_t)to, CU_MEMORYTYPE_HOST, from, CU_MEMORYTYPE_DEVICE, bytes, stream, blocking);
}
static CUresult copy_within(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream, bool blocking)
{
    return copy_line(to, CU_MEMORYTYPE_DEVICE, from, CU_MEMORYTYPE_DEVICE, bytes, stream, blocking);
}

CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes) { return copy_any(to, from, bytes, NULL, true); }
CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream)
{
    return copy_any(to, from, bytes, stream, false);
}
CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t bytes)
{
    return copy_in(to, from, bytes, NULL, true);
}
CUresult cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t bytes) { return copy_out(to, from, bytes, NULL, true); }
CUresult cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes)
{
    return copy_within(to, from, bytes, NULL, true);
}
CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t bytes, CUstream stream)
{
    return copy_in(to, from, bytes, stream, false);
}
CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t bytes, CUstream stream)
{
    return copy_out(to, from, bytes, stream, false);
}
CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream)
{
    return copy_within(to, from, bytes, stream, false);
}

/* What comes later in stream `then` comes after what is in `first` now. */
static void order(CUstream first, CUstream then)
{
    uint32_t event = ++driver.event_count;
    record_stream_operation(RP_HOST_RECORD_EVENT, first, event);
    record_stream_operation(RP_HOST_WAIT_EVENT, then, event);
}

/* CUDA Runtime API, cudaMemcpyPeer: such a copy waits for the work of both devices and of the current one, and later
 * work of all of them waits for it. */
static void order_device(CUcontext c, bool before)
{
    CUstream here = default_stream(current_device()), there = default_stream(c->device);
    if (there != here)
        order(before ? there : here, before ? here : there);
}

static CUresult enter_peers(CUcontext to, CUcontext from)
{
    CUresult r = enter(NEED_CONTEXT);
    return r || (is_context(to) && is_context(from)) ? r : leave(CUDA_ERROR_INVALID_CONTEXT);
}

CUresult cuMemcpyPeer(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context, size_t bytes)
{
    CUresult r = enter_peers(to_context, from_context);
    if (r)
        return r;
    order_device(from_context, true);
    order_device(to_context, true);
    leave(CUDA_SUCCESS);
    if ((r = cuMemcpy(to, from, bytes)) || (r = enter(NEED_CONTEXT)))
        return r;
    order_device(from_context, false);
    order_device(to_context, false);
    return leave(CUDA_SUCCESS);
}
CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context, size_t bytes,
                           CUstream stream)
{
    CUresult r = enter_peers(to_context, from_context);
    if (r)
        return r;
    leave(CUDA_SUCCESS);
    return cuMemcpyAsync(to, from, bytes, stream);
}

static CUresult copy_flat(const CUDA_MEMCPY2D *c, CUstream stream, bool blocking)
{
    if (!c)
        return CUDA_ERROR_INVALID_VALUE;
    CUDA_MEMCPY3D box = {.srcXInBytes = c->srcXInBytes,
                         .srcY = c->srcY,
                         .srcMemoryType = c->srcMemoryType,
                         .srcHost = c->srcHost,
                         .srcDevice = c->srcDevice,
                         .srcArray = c->srcArray,
                         .srcPitch = c->srcPitch,
                         .dstXInBytes = c->dstXInBytes,
                         .dstY = c->dstY,
                         .dstMemoryType = c->dstMemoryType,
                         .dstHost = c->dstHost,
                         .dstDevice = c->dstDevice,
                         .dstArray = c->dstArray,
                         .dstPitch = c->dstPitch,
                         .WidthInBytes = c->WidthInBytes,
                         .Height = c->Height,
                         .Depth = 1};
    return copy(&box, stream, blocking);
}

CUresult cuMemcpy2D_v2(const CUDA_MEMCPY2D *c) { return copy_flat(c, NULL, true); }
CUresult cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D *c) { return copy_flat(c, NULL, true); }
CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D *c, CUstream stream) { return copy_flat(c, stream, false); }
CUresult cuMemcpy3D_v2(const CUDA_MEMCPY3D *c) { return copy(c, NULL, true); }
CUresult cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D *c, CUstream stream) { return copy(c, stream, false); }

/* The two structs differ only in the fields at `reserved`. */
CUresult cuMemcpy3DPeer(const CUDA_MEMCPY3D_PEER *c) { return copy((const void *)c, NULL, true); }
CUresult cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER *c, CUstream stream)
{
    return copy((const void *)c, stream, false);
}
