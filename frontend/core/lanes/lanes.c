#include "frontend/core/lanes/lanes.h"

#include "frontend/core/lanes/groups.h"
#include "frontend/core/lanes/matrix.h"

/* Properties of lane types: bits, bytes of an element in a register, kind. */
static const struct {
    uint8_t bits, bytes, is_signed, is_float;
} types[T_COUNT] = {
    [T_PRED] = {1, 0, 0, 0},   [T_B8] = {8, 2, 0, 0},      [T_U8] = {8, 2, 0, 0},      [T_S8] = {8, 2, 1, 0},
    [T_B16] = {16, 2, 0, 0},   [T_U16] = {16, 2, 0, 0},    [T_S16] = {16, 2, 1, 0},    [T_B32] = {32, 4, 0, 0},
    [T_U32] = {32, 4, 0, 0},   [T_S32] = {32, 4, 1, 0},    [T_B64] = {64, 8, 0, 0},    [T_U64] = {64, 8, 0, 0},
    [T_S64] = {64, 8, 1, 0},   [T_B128] = {128, 8, 0, 0},  [T_F16] = {16, 2, 1, 1},    [T_F16X2] = {32, 4, 1, 1},
    [T_BF16] = {16, 2, 1, 1},  [T_BF16X2] = {32, 4, 1, 1}, [T_F32] = {32, 4, 1, 1},    [T_F64] = {64, 8, 1, 1},
    [T_TF32] = {32, 4, 1, 1},  [T_E4M3X2] = {16, 2, 1, 1}, [T_E5M2X2] = {16, 2, 1, 1}, [T_U16X2] = {32, 4, 0, 0},
    [T_S16X2] = {32, 4, 1, 0},
};

const uint8_t matrix_bits[MATRIX_FORMAT_COUNT] = {
#define X(id, bits, name) [MATRIX_##id] = bits,
    MATRIX_FORMATS(X)
#undef X
};

unsigned lane_type_bits(enum lane_type t) { return types[t].bits; }
unsigned lane_element_bytes(enum lane_type t) { return types[t].bytes; }
bool lane_is_signed(enum lane_type t) { return types[t].is_signed; }
bool lane_is_float(enum lane_type t) { return types[t].is_float; }

bool operation_bind(struct operation *o)
{
#define SELECTED(g) SIMD_SELECT(lanes_##g),
    uop_fn (*const groups[])(const struct operation *) = {LANE_GROUPS(SELECTED)};
#undef SELECTED
    o->fn = 0;
    if (o->op >= OP_COUNT || o->type >= T_COUNT || o->stype >= T_COUNT)
        return false;
    for (unsigned i = 0; !o->fn && i < sizeof groups / sizeof *groups; i++)
        o->fn = groups[i](o);
    return o->fn;
}
