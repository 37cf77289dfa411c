/* Copies of boxes of a tensor, and copies that reduce into their destination (tensor.c). */
#ifndef REPRISE_FRONTEND_CORE_TENSOR_H
#define REPRISE_FRONTEND_CORE_TENSOR_H

#include "frontend/operation/uop.h"

/* Executes an OP_TENSOR_TO_SHARED or OP_TENSOR_TO_GLOBAL; the imm of these is the number of coordinates. */
void handle_tensor(struct warp *, const struct uop *, lanemask);
/* Combines elements, `bytes` in all, at `to` with those at `from`. */
void bulk_reduce(enum rp_atomic, enum lane_type, uint8_t *to, const uint8_t *from, uint64_t bytes);

#endif
