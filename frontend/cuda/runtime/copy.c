/* Copies and fills of linear memory, and of variables. */
#include "frontend/cuda/runtime/runtime.h"

static CUresult copy_async(CUdeviceptr to, CUdeviceptr from, size_t bytes, int kind, CUstream stream)
{
    switch (kind) {
    case KIND_HOST_TO_DEVICE: return cuMemcpyHtoDAsync_v2(to, (const void *)from, bytes, stream);
    case KIND_DEVICE_TO_HOST: return cuMemcpyDtoHAsync_v2((void *)to, from, bytes, stream);
    case KIND_DEVICE_TO_DEVICE: return cuMemcpyDtoDAsync_v2(to, from, bytes, stream);
    default: return cuMemcpyAsync(to, from, bytes, stream);
    }
}

static CUresult copy_now(CUdeviceptr to, CUdeviceptr from, size_t bytes, int kind)
{
    switch (kind) {
    case KIND_HOST_TO_DEVICE: return cuMemcpyHtoD_v2(to, (const void *)from, bytes);
    case KIND_DEVICE_TO_HOST: return cuMemcpyDtoH_v2((void *)to, from, bytes);
    case KIND_DEVICE_TO_DEVICE: return cuMemcpyDtoD_v2(to, from, bytes);
    default: return cuMemcpy(to, from, bytes);
    }
}

/* Waits in the thread's default stream, so that the operation is complete when the call returns. */
static CUresult wait_for(CUresult begun) { return begun ? begun : cuStreamSynchronize(CU_STREAM_PER_THREAD); }

static cudaError_t copy(CUdeviceptr to, CUdeviceptr from, size_t bytes, int kind, bool async, cudaStream_t stream)
{
    if (kind < KIND_HOST_TO_HOST || kind > KIND_DEFAULT)
        return fail(cudaErrorInvalidMemcpyDirection);
    if (!ready())
        return last_error();
    if (!bytes)
        return cudaSuccess;
    if (!to || !from)
        return fail(cudaErrorInvalidValue);
    if (async)
        return done(copy_async(to, from, bytes, kind, stream_of(stream)));
    if (per_thread())
        return done(wait_for(copy_async(to, from, bytes, kind, CU_STREAM_PER_THREAD)));
    return done(copy_now(to, from, bytes, kind));
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, int kind)
{
    return copy((CUdeviceptr)to, (CUdeviceptr)from, bytes, kind, false, NULL);
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, int kind, cudaStream_t stream)
{
    return copy((CUdeviceptr)to, (CUdeviceptr)from, bytes, kind, true, stream);
}

/* ---- variables --------------------------------------------------------------------------------------------------- */

static cudaError_t copy_variable(const void *symbol, CUdeviceptr other, size_t bytes, size_t offset, int kind,
                                 bool to_symbol, bool async, cudaStream_t stream)
{
    CUdeviceptr address;
    size_t size;
    int wrong = to_symbol ? KIND_DEVICE_TO_HOST : KIND_HOST_TO_DEVICE;
    if (kind == wrong || kind == KIND_HOST_TO_HOST)
        return fail(cudaErrorInvalidMemcpyDirection);
    if (!symbol_of(symbol, &address, &size))
        return last_error();
    if (offset > size || bytes > size - offset)
        return fail(cudaErrorInvalidValue);
    address += offset;
    return to_symbol ? copy(address, other, bytes, kind, async, stream)
                     : copy(other, address, bytes, kind, async, stream);
}

cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from, size_t bytes, size_t offset, int kind)
{
    return copy_variable(symbol, (CUdeviceptr)from, bytes, offset, kind, true, false, NULL);
}

cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t bytes, size_t offset, int kind,
                                    cudaStream_t stream)
{
    return copy_variable(symbol, (CUdeviceptr)from, bytes, offset, kind, true, true, stream);
}

cudaError_t cudaMemcpyFromSymbol(void *to, const void *symbol, size_t bytes, size_t offset, int kind)
{
    return copy_variable(symbol, (CUdeviceptr)to, bytes, offset, kind, false, false, NULL);
}

cudaError_t cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t bytes, size_t offset, int kind,
                                      cudaStream_t stream)
{
    return copy_variable(symbol, (CUdeviceptr)to, bytes, offset, kind, false, true, stream);
}

cudaError_t cudaGetSymbolAddress(void **pointer, const void *symbol)
{
    CUdeviceptr address;
    size_t bytes;
    if (!pointer)
        return fail(cudaErrorInvalidValue);
    if (!symbol_of(symbol, &address, &bytes))
        return last_error();
    *pointer = (void *)address;
    return cudaSuccess;
}

cudaError_t cudaGetSymbolSize(size_t *bytes, const void *symbol)
{
    CUdeviceptr address;
    if (!bytes)
        return fail(cudaErrorInvalidValue);
    return symbol_of(symbol, &address, bytes) ? cudaSuccess : last_error();
}

/* ---- fills ------------------------------------------------------------------------------------------------------- */

static cudaError_t set(void *to, size_t pitch, int value, size_t width, size_t height, bool async, cudaStream_t stream)
{
    CUdeviceptr at = (CUdeviceptr)to;
    unsigned char byte = (unsigned char)value;
    CUresult result;
    if (!ready())
        return last_error();
    if (!width || !height)
        return cudaSuccess;
    if (height > 1 && width > pitch)
        return fail(cudaErrorInvalidPitchValue);
    if (async || per_thread())
        result = height == 1 ? cuMemsetD8Async(at, byte, width, stream_of(stream))
                             : cuMemsetD2D8Async(at, pitch, byte, width, height, stream_of(stream));
    else
        result = height == 1 ? cuMemsetD8_v2(at, byte, width) : cuMemsetD2D8_v2(at, pitch, byte, width, height);
    return done(result);
}

cudaError_t cudaMemset(void *to, int value, size_t bytes) { return set(to, bytes, value, bytes, 1, false, NULL); }

cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t stream)
{
    return set(to, bytes, value, bytes, 1, true, stream);
}

cudaError_t cudaMemset2D(void *to, size_t pitch, int value, size_t width, size_t height)
{
    return set(to, pitch, value, width, height, false, NULL);
}

cudaError_t cudaMemset2DAsync(void *to, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream)
{
    return set(to, pitch, value, width, height, true, stream);
}

static cudaError_t set3d(struct cudaPitchedPtr to, int value, struct cudaExtent e, bool async, cudaStream_t stream)
{
    cudaError_t error = cudaSuccess;
    for (size_t z = 0; z < e.depth && !error; z++)
        error = set((char *)to.ptr + z * to.pitch * to.ysize, to.pitch, value, e.width, e.height, async, stream);
    return error;
}

cudaError_t cudaMemset3D(struct cudaPitchedPtr to, int value, struct cudaExtent extent)
{
    return set3d(to, value, extent, false, NULL);
}

cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr to, int value, struct cudaExtent extent, cudaStream_t stream)
{
    return set3d(to, value, extent, true, stream);
}

#if CUDART_MAJOR == 12
cudaError_t cudaMemcpyBatchAsync(void **to, void **from, size_t *bytes, size_t count, CUmemcpyAttributes *attributes,
                                 size_t *first, size_t attribute_count, size_t *failed, cudaStream_t stream)
{
    return ready() ? done(cuMemcpyBatchAsync((CUdeviceptr *)to, (CUdeviceptr *)from, bytes, count, attributes, first,
                                             attribute_count, failed, stream_of(stream)))
                   : last_error();
}
#elif CUDART_MAJOR > 12
cudaError_t cudaMemcpyBatchAsync(void *const *to, const void *const *from, const size_t *bytes, size_t count,
                                 CUmemcpyAttributes *attributes, size_t *first, size_t attribute_count,
                                 cudaStream_t stream)
{
    return ready() ? done(cuMemcpyBatchAsync_v2((CUdeviceptr *)to, (CUdeviceptr *)from, (size_t *)bytes, count,
                                                attributes, first, attribute_count, stream_of(stream)))
                   : last_error();
}
#endif
