/* Many copies in one call: one after another in stream order, which CUDA allows. */
#include "frontend/cuda/driver/driver.h"

/* CUmemcpySrcAccessOrder */
enum { ORDER_STREAM = 1, ORDER_DURING_CALL, ORDER_ANY };

/* Attributes k apply to copies first[k] to first[k + 1] - 1. */
static bool attributes_fit(const CUmemcpyAttributes *attributes, const size_t *first, size_t attribute_count,
                           size_t count)
{
    if (!attributes || !first || !attribute_count || attribute_count > count || first[0])
        return false;
    for (size_t k = 0; k < attribute_count; k++)
        if (first[k] >= count || (k && first[k] <= first[k - 1]) || attributes[k].srcAccessOrder < ORDER_STREAM ||
            attributes[k].srcAccessOrder > ORDER_ANY)
            return false;
    return true;
}

CUresult cuMemcpyBatchAsync(CUdeviceptr *to, CUdeviceptr *from, size_t *bytes, size_t count,
                            CUmemcpyAttributes *attributes, size_t *first, size_t attribute_count, size_t *failed,
                            CUstream stream)
{
    if (failed)
        *failed = SIZE_MAX; /* no copy in particular */
    if (!to || !from || !bytes || (!stream && !per_thread_streams) || stream == CU_STREAM_LEGACY ||
        !attributes_fit(attributes, first, attribute_count, count))
        return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < count; i++) {
        CUresult r = cuMemcpyAsync(to[i], from[i], bytes[i], stream);
        if (r && failed)
            *failed = i;
        if (r)
            return r;
    }
    return CUDA_SUCCESS;
}

CUresult cuMemcpyBatchAsync_v2(CUdeviceptr *to, CUdeviceptr *from, size_t *bytes, size_t count,
                               CUmemcpyAttributes *attributes, size_t *first, size_t attribute_count, CUstream stream)
{
    return cuMemcpyBatchAsync(to, from, bytes, count, attributes, first, attribute_count, NULL, stream);
}
