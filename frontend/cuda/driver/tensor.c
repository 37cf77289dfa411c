/* Tensor maps, which describe the boxes that kernels copy (frontend/host/tensor_map.h). */
#include <stdint.h>
#include <string.h>

#include "frontend/cuda/driver/driver.h"
#include "frontend/host/tensor_map.h"

/* The L2 promotion is a hint. */
CUresult cuTensorMapEncodeTiled(void *map, int element, uint32_t rank, void *address, const uint64_t *sizes,
                                const uint64_t *strides, const uint32_t *box, const uint32_t *steps, int interleave,
                                int swizzle, int promotion, int fill)
{
    CUresult r = enter(NEED_DRIVER);
    if (r)
        return r;
    (void)promotion;
    struct rp_error err = {0};
    struct tensor_map made;
    if (!map || !address || !sizes || !box || !steps || (rank > 1 && !strides))
        return leave(CUDA_ERROR_INVALID_VALUE);
    const struct rp_tensor_map_config config = {.element = (unsigned)element,
                                                .rank = rank,
                                                .address = (uintptr_t)address,
                                                .sizes = sizes,
                                                .strides = strides,
                                                .box = box,
                                                .steps = steps,
                                                .interleave = (unsigned)interleave,
                                                .swizzle = (unsigned)swizzle,
                                                .fill = (unsigned)fill};
    if (!rp_tensor_map_encode(&made, &config, &err)) {
        say("cuTensorMapEncodeTiled: %s", err.text);
        return leave(CUDA_ERROR_INVALID_VALUE);
    }
    memcpy(map, &made, sizeof made);
    return leave(CUDA_SUCCESS);
}
