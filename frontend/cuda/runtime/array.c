/* Arrays and the formats of their elements. */
#include "frontend/cuda/runtime/runtime.h"

static const struct format {
    CUarray_format format;
    int bits, kind;
} formats[] = {
    {CU_AD_FORMAT_UNSIGNED_INT8, 8, CHANNEL_UNSIGNED},
    {CU_AD_FORMAT_UNSIGNED_INT16, 16, CHANNEL_UNSIGNED},
    {CU_AD_FORMAT_UNSIGNED_INT32, 32, CHANNEL_UNSIGNED},
    {CU_AD_FORMAT_SIGNED_INT8, 8, CHANNEL_SIGNED},
    {CU_AD_FORMAT_SIGNED_INT16, 16, CHANNEL_SIGNED},
    {CU_AD_FORMAT_SIGNED_INT32, 32, CHANNEL_SIGNED},
    {CU_AD_FORMAT_HALF, 16, CHANNEL_FLOAT},
    {CU_AD_FORMAT_FLOAT, 32, CHANNEL_FLOAT},
};

bool array_format(const struct cudaChannelFormatDesc *channel, CUarray_format *format, unsigned *channels)
{
    unsigned count = !!channel->x + !!channel->y + !!channel->z + !!channel->w;
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (formats[i].bits == channel->x && formats[i].kind == channel->f &&
            (count == 1 || count == 2 || count == 4)) {
            *format = formats[i].format;
            *channels = count;
            return true;
        }
    return fail(cudaErrorInvalidChannelDescriptor), false;
}

static const struct format *row_of(CUarray_format format)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (formats[i].format == format)
            return &formats[i];
    return NULL;
}

struct cudaChannelFormatDesc channel_of(CUarray_format format, unsigned channels)
{
    const struct format *f = row_of(format);
    int bits = f ? f->bits : 0;
    return (struct cudaChannelFormatDesc){bits, channels > 1 ? bits : 0, channels > 2 ? bits : 0,
                                          channels > 3 ? bits : 0, f ? f->kind : CHANNEL_NONE};
}

unsigned element_bytes(CUarray_format format, unsigned channels)
{
    const struct format *f = row_of(format);
    return f ? (unsigned)f->bits / 8 * channels : 1;
}

struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, int format)
{
    return (struct cudaChannelFormatDesc){x, y, z, w, format};
}

static bool describe(CUDA_ARRAY3D_DESCRIPTOR *d, const struct cudaChannelFormatDesc *channel, struct cudaExtent extent,
                     unsigned flags)
{
    *d = (CUDA_ARRAY3D_DESCRIPTOR){
        .Width = extent.width, .Height = extent.height, .Depth = extent.depth, .Flags = flags};
    return channel ? array_format(channel, &d->Format, &d->NumChannels) : (fail(cudaErrorInvalidValue), false);
}

cudaError_t cudaMalloc3DArray(cudaArray_t *array, const struct cudaChannelFormatDesc *channel, struct cudaExtent extent,
                              unsigned flags)
{
    CUDA_ARRAY3D_DESCRIPTOR d;
    return describe(&d, channel, extent, flags) && ready() ? done(cuArray3DCreate_v2(array, &d)) : last_error();
}

cudaError_t cudaMallocArray(cudaArray_t *array, const struct cudaChannelFormatDesc *channel, size_t width,
                            size_t height, unsigned flags)
{
    return cudaMalloc3DArray(array, channel, (struct cudaExtent){width, height, 0}, flags);
}

cudaError_t cudaFreeArray(cudaArray_t array)
{
    if (!ready())
        return last_error();
    return array ? done(cuArrayDestroy(array)) : cudaSuccess;
}

cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *channel, struct cudaExtent *extent, unsigned *flags,
                             cudaArray_t array)
{
    CUDA_ARRAY3D_DESCRIPTOR d;
    if (!ready() || done(cuArray3DGetDescriptor_v2(&d, array)))
        return last_error();
    if (channel)
        *channel = channel_of(d.Format, d.NumChannels);
    if (extent)
        *extent = (struct cudaExtent){d.Width, d.Height, d.Depth};
    if (flags)
        *flags = d.Flags;
    return cudaSuccess;
}

cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *channel, cudaArray_t array)
{
    return cudaArrayGetInfo(channel, NULL, NULL, array);
}

/* ---- levels ------------------------------------------------------------------------------------------------------ */

cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t *array, const struct cudaChannelFormatDesc *channel,
                                     struct cudaExtent extent, unsigned levels, unsigned flags)
{
    CUDA_ARRAY3D_DESCRIPTOR d;
    return describe(&d, channel, extent, flags) && ready() ? done(cuMipmappedArrayCreate(array, &d, levels))
                                                           : last_error();
}

cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t array)
{
    if (!ready())
        return last_error();
    return array ? done(cuMipmappedArrayDestroy(array)) : cudaSuccess;
}

cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t *level, cudaMipmappedArray_t array, unsigned number)
{
    return ready() ? done(cuMipmappedArrayGetLevel(level, array, number)) : last_error();
}
