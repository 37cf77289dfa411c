/* The groups of lane handlers: each GROUP.simd.c chooses the handlers of its ops, NULL for others. Private to
 * operation_bind. */
#ifndef REPRISE_FRONTEND_CORE_LANES_GROUPS_H
#define REPRISE_FRONTEND_CORE_LANES_GROUPS_H

#include "frontend/core/lanes/simd.h"
#include "frontend/operation/uop.h"

#define LANE_GROUPS(X)                                                                                                 \
    X(move)                                                                                                            \
    X(integer)                                                                                                         \
    X(carry)                                                                                                           \
    X(logic)                                                                                                           \
    X(bits)                                                                                                            \
    X(float)                                                                                                           \
    X(extremes)                                                                                                        \
    X(approx)                                                                                                          \
    X(compare)                                                                                                         \
    X(convert)                                                                                                         \
    X(float_convert)                                                                                                   \
    X(half)                                                                                                            \
    X(half_order)                                                                                                      \
    X(warp)                                                                                                            \
    X(video)                                                                                                           \
    X(matrix)                                                                                                          \
    X(matrix_move)                                                                                                     \
    X(sass)                                                                                                            \
    X(sass7x)

#define DECLARE_GROUP(g) SIMD_DECLARE(uop_fn, lanes_##g, (const struct operation *))
LANE_GROUPS(DECLARE_GROUP)
#undef DECLARE_GROUP

#endif
