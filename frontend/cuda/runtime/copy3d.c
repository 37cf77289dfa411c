/* Copies of rectangles and boxes, also from and into arrays. */
#include "frontend/cuda/runtime/runtime.h"

/* One end of a copy: an array, or linear memory. */
struct end {
    CUarray array;
    const void *memory;
    size_t pitch, rows; /* for linear memory */
    size_t x, y, z;     /* x in bytes */
};

static CUmemorytype side(int kind, bool from)
{
    switch (kind) {
    case KIND_HOST_TO_HOST: return CU_MEMORYTYPE_HOST;
    case KIND_HOST_TO_DEVICE: return from ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
    case KIND_DEVICE_TO_HOST: return from ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST;
    case KIND_DEVICE_TO_DEVICE: return CU_MEMORYTYPE_DEVICE;
    default: return CU_MEMORYTYPE_UNIFIED;
    }
}

static CUDA_MEMCPY3D box(const struct end *from, const struct end *to, struct cudaExtent bytes, int kind)
{
    CUmemorytype source = from->array ? CU_MEMORYTYPE_ARRAY : side(kind, true);
    CUmemorytype target = to->array ? CU_MEMORYTYPE_ARRAY : side(kind, false);
    return (CUDA_MEMCPY3D){
        .srcXInBytes = from->x,
        .srcY = from->y,
        .srcZ = from->z,
        .srcMemoryType = source,
        .srcHost = source == CU_MEMORYTYPE_HOST ? from->memory : NULL,
        .srcDevice = source == CU_MEMORYTYPE_HOST ? 0 : (CUdeviceptr)from->memory,
        .srcArray = from->array,
        .srcPitch = from->pitch,
        .srcHeight = from->rows,
        .dstXInBytes = to->x,
        .dstY = to->y,
        .dstZ = to->z,
        .dstMemoryType = target,
        .dstHost = target == CU_MEMORYTYPE_HOST ? (void *)to->memory : NULL,
        .dstDevice = target == CU_MEMORYTYPE_HOST ? 0 : (CUdeviceptr)to->memory,
        .dstArray = to->array,
        .dstPitch = to->pitch,
        .dstHeight = to->rows,
        .WidthInBytes = bytes.width,
        .Height = bytes.height,
        .Depth = bytes.depth,
    };
}

static cudaError_t copy_box(const CUDA_MEMCPY3D *copy, int kind, bool async, cudaStream_t stream)
{
    CUresult result;
    if (kind < KIND_HOST_TO_HOST || kind > KIND_DEFAULT)
        return fail(cudaErrorInvalidMemcpyDirection);
    if (!ready())
        return last_error();
    if (!copy->WidthInBytes || !copy->Height || !copy->Depth)
        return cudaSuccess;
    if (!async && !per_thread())
        return done(cuMemcpy3D_v2(copy));
    result = cuMemcpy3DAsync_v2(copy, stream_of(stream));
    return done(async || result ? result : cuStreamSynchronize(CU_STREAM_PER_THREAD));
}

/* ---- two dimensions ---------------------------------------------------------------------------------------------- */

static cudaError_t copy2d(struct end from, struct end to, size_t width, size_t height, int kind, bool async,
                          cudaStream_t stream)
{
    CUDA_MEMCPY3D copy = box(&from, &to, (struct cudaExtent){width, height, 1}, kind);
    if ((from.memory && width > from.pitch) || (to.memory && width > to.pitch))
        return fail(cudaErrorInvalidPitchValue);
    if ((!from.array && !from.memory) || (!to.array && !to.memory))
        return fail(cudaErrorInvalidValue);
    return copy_box(&copy, kind, async, stream);
}

#define LINEAR(pointer, bytes) ((struct end){.memory = (pointer), .pitch = (bytes)})
#define ARRAY(handle, at_x, at_y) ((struct end){.array = (handle), .x = (at_x), .y = (at_y)})

cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
                         int kind)
{
    return copy2d(LINEAR(from, from_pitch), LINEAR(to, to_pitch), width, height, kind, false, NULL);
}

cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                              size_t height, int kind, cudaStream_t stream)
{
    return copy2d(LINEAR(from, from_pitch), LINEAR(to, to_pitch), width, height, kind, true, stream);
}

cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch, size_t width,
                                size_t height, int kind)
{
    return copy2d(LINEAR(from, pitch), ARRAY(to, x, y), width, height, kind, false, NULL);
}

cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch, size_t width,
                                     size_t height, int kind, cudaStream_t stream)
{
    return copy2d(LINEAR(from, pitch), ARRAY(to, x, y), width, height, kind, true, stream);
}

cudaError_t cudaMemcpy2DFromArray(void *to, size_t pitch, cudaArray_t from, size_t x, size_t y, size_t width,
                                  size_t height, int kind)
{
    return copy2d(ARRAY(from, x, y), LINEAR(to, pitch), width, height, kind, false, NULL);
}

cudaError_t cudaMemcpy2DFromArrayAsync(void *to, size_t pitch, cudaArray_t from, size_t x, size_t y, size_t width,
                                       size_t height, int kind, cudaStream_t stream)
{
    return copy2d(ARRAY(from, x, y), LINEAR(to, pitch), width, height, kind, true, stream);
}

cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, size_t to_x, size_t to_y, cudaArray_t from, size_t from_x,
                                     size_t from_y, size_t width, size_t height, int kind)
{
    return copy2d(ARRAY(from, from_x, from_y), ARRAY(to, to_x, to_y), width, height, kind, false, NULL);
}

/* ---- bytes in a row into an array, line after line --------------------------------------------------------------- */

static bool line_bytes(cudaArray_t array, size_t *bytes)
{
    CUDA_ARRAY3D_DESCRIPTOR d;
    if (!ready() || done(cuArray3DGetDescriptor_v2(&d, array)))
        return false;
    *bytes = d.Width * element_bytes(d.Format, d.NumChannels);
    return true;
}

/* Copies whole lines at once if it begins with a line; otherwise first the rest of the first line; and last an
 * incomplete line. */
static cudaError_t copy_lines(cudaArray_t array, size_t x, size_t y, char *memory, size_t bytes, int kind,
                              bool to_array, bool async, cudaStream_t stream)
{
    size_t line;
    cudaError_t error = cudaSuccess;
    if (!line_bytes(array, &line))
        return last_error();
    while (bytes && !error) {
        size_t width = bytes < line - x ? bytes : line - x, height = !x && bytes > line ? bytes / line : 1;
        struct end inside = ARRAY(array, x, y), outside = LINEAR(memory, width);
        error = copy2d(to_array ? outside : inside, to_array ? inside : outside, width, height, kind, async, stream);
        memory += width * height;
        bytes -= width * height;
        y += height;
        x = 0;
    }
    return error;
}

cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t bytes, int kind)
{
    return copy_lines(to, x, y, (char *)from, bytes, kind, true, false, NULL);
}

cudaError_t cudaMemcpyToArrayAsync(cudaArray_t to, size_t x, size_t y, const void *from, size_t bytes, int kind,
                                   cudaStream_t stream)
{
    return copy_lines(to, x, y, (char *)from, bytes, kind, true, true, stream);
}

cudaError_t cudaMemcpyFromArray(void *to, cudaArray_t from, size_t x, size_t y, size_t bytes, int kind)
{
    return copy_lines(from, x, y, to, bytes, kind, false, false, NULL);
}

cudaError_t cudaMemcpyFromArrayAsync(void *to, cudaArray_t from, size_t x, size_t y, size_t bytes, int kind,
                                     cudaStream_t stream)
{
    return copy_lines(from, x, y, to, bytes, kind, false, true, stream);
}

/* ---- three dimensions -------------------------------------------------------------------------------------------- */

/* If an array takes part, widths are in its elements, and so is x in an array; x in linear memory is in bytes. */
bool copy3d_of(const struct cudaMemcpy3DParms *p, CUDA_MEMCPY3D *copy)
{
    CUDA_ARRAY3D_DESCRIPTOR d = {0};
    size_t element = 1;
    if (!p || (!p->srcArray && !p->srcPtr.ptr) || (!p->dstArray && !p->dstPtr.ptr))
        return fail(cudaErrorInvalidValue), false;
    if (p->srcArray || p->dstArray) {
        if (!ready() || done(cuArray3DGetDescriptor_v2(&d, p->srcArray ? p->srcArray : p->dstArray)))
            return false;
        element = element_bytes(d.Format, d.NumChannels);
    }
    struct end from = {
        p->srcArray, p->srcArray ? NULL : p->srcPtr.ptr, p->srcPtr.pitch, p->srcPtr.ysize, p->srcPos.x, p->srcPos.y,
        p->srcPos.z};
    struct end to = {
        p->dstArray, p->dstArray ? NULL : p->dstPtr.ptr, p->dstPtr.pitch, p->dstPtr.ysize, p->dstPos.x, p->dstPos.y,
        p->dstPos.z};
    if (from.array)
        from.x *= element;
    if (to.array)
        to.x *= element;
    struct cudaExtent bytes = {p->extent.width * element, p->extent.height, p->extent.depth};
    *copy = box(&from, &to, bytes, p->kind);
    return true;
}

cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *p)
{
    CUDA_MEMCPY3D copy;
    return copy3d_of(p, &copy) ? copy_box(&copy, p->kind, false, NULL) : last_error();
}

cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *p, cudaStream_t stream)
{
    CUDA_MEMCPY3D copy;
    return copy3d_of(p, &copy) ? copy_box(&copy, p->kind, true, stream) : last_error();
}

/* Addresses and arrays say where they are. */
static bool copy_on_device(const struct cudaMemcpy3DPeerParms *p, CUDA_MEMCPY3D *copy)
{
    if (!p)
        return fail(cudaErrorInvalidValue), false;
    CUdevice device;
    if (!device_handle(p->srcDevice, &device) || !device_handle(p->dstDevice, &device))
        return false;
    struct cudaMemcpy3DParms plain = {.srcArray = p->srcArray,
                                      .srcPos = p->srcPos,
                                      .srcPtr = p->srcPtr,
                                      .dstArray = p->dstArray,
                                      .dstPos = p->dstPos,
                                      .dstPtr = p->dstPtr,
                                      .extent = p->extent,
                                      .kind = KIND_DEVICE_TO_DEVICE};
    return copy3d_of(&plain, copy);
}

cudaError_t cudaMemcpy3DPeer(const struct cudaMemcpy3DPeerParms *p)
{
    CUDA_MEMCPY3D copy;
    return copy_on_device(p, &copy) ? copy_box(&copy, KIND_DEVICE_TO_DEVICE, false, NULL) : last_error();
}

cudaError_t cudaMemcpy3DPeerAsync(const struct cudaMemcpy3DPeerParms *p, cudaStream_t stream)
{
    CUDA_MEMCPY3D copy;
    return copy_on_device(p, &copy) ? copy_box(&copy, KIND_DEVICE_TO_DEVICE, true, stream) : last_error();
}
