#include "frontend/isa/ptx/matrix.h"

#include <string.h>

struct ptx_shape ptx_shape_of(const struct ptx_modifiers *mods)
{
    static const enum ptx_group groups[] = {G_SHAPE, G_SHAPE_K8, G_SHAPE_K16, G_SHAPE_K32, G_SHAPE_K64, G_SHAPE_K256};
    uint32_t code = 0;
    for (unsigned i = 0; !code && i < sizeof groups / sizeof *groups; i++)
        code = (uint32_t)mods_value(mods, groups[i], 0);
    return (struct ptx_shape){8 * (code & 255), 8 * (code >> 8 & 255), 4 * (code >> 16)};
}

static enum matrix_format format_of(enum ptx_type type)
{
    switch (type) {
    case PT_BF16: return MATRIX_BF16;
    case PT_TF32: return MATRIX_TF32;
    case PT_F32: return MATRIX_F32;
    case PT_F64: return MATRIX_F64;
    case PT_E4M3: return MATRIX_E4M3;
    case PT_E5M2: return MATRIX_E5M2;
    case PT_S8: return MATRIX_S8;
    case PT_U8: return MATRIX_U8;
    case PT_S4: return MATRIX_S4;
    case PT_U4: return MATRIX_U4;
    case PT_B1: return MATRIX_B1;
    case PT_S32: return MATRIX_S32;
    default: return MATRIX_F16;
    }
}

static enum ptx_type register_of(enum matrix_format format)
{
    switch (format) {
    case MATRIX_F32: return PT_F32;
    case MATRIX_F64: return PT_F64;
    case MATRIX_S32: return PT_S32;
    default: return PT_B32;
    }
}

static bool is_wmma(const struct ptx_form *form) { return !strcmp(form->opcode, "wmma"); }

/* The type of a matrix. wmma.mma on f16 names only the types of D and C. */
static enum ptx_type type_of(const struct ptx_form *form, const struct ptx_modifiers *mods, char matrix)
{
    if (form->type_count == 1)
        return (enum ptx_type)mods->types[0];
    if (form->type_count == 2)
        return matrix == 'd' ? (enum ptx_type)mods->types[0] : matrix == 'c' ? (enum ptx_type)mods->types[1] : PT_F16;
    if (form->type_count == 3 && matrix == 'c')
        matrix = 'd';
    return (enum ptx_type)mods->types[matrix == 'd' ? 0 : matrix - 'a' + 1];
}

static bool in_quads(const struct ptx_form *form, const struct ptx_modifiers *mods)
{
    return form->lowering == LOW_MMA && !is_wmma(form) && mods_have(mods, M_M8N8K4) && mods->types[1] == PT_F16;
}

struct ptx_fragment ptx_fragment_of(const struct ptx_form *form, const struct ptx_modifiers *mods, char matrix)
{
    if (form->lowering == LOW_LDMATRIX || form->lowering == LOW_STMATRIX) {
        uint32_t count = (uint32_t)mods_value(mods, G_COUNT_OF_TILES, 1);
        return (struct ptx_fragment){count, count, PT_B32, MATRIX_F16};
    }
    struct ptx_shape s = ptx_shape_of(mods);
    struct ptx_fragment f = {.format = format_of(type_of(form, mods, matrix))};
    f.type = register_of(f.format);
    bool source = matrix == 'a' || matrix == 'b', sparse = mods_have(mods, M_SP) || mods_have(mods, M_SP_ORDERED);
    if (in_quads(form, mods)) /* four products of 8 x 8 x 4, each in 8 lanes */
        f.count = source ? 2 : f.format == MATRIX_F16 ? 4 : 8;
    else if (source)
        f.count = matrix_source_registers(matrix == 'a' ? s.m : s.n, sparse && matrix == 'a' ? s.k / 2 : s.k, f.format);
    else
        f.count = matrix_result_registers(s.m, s.n, f.format);
    f.distinct = f.count;
    if (is_wmma(form) && source && f.format == MATRIX_F16)
        f.count = 8; /* whatever the shape */
    return f;
}

void ptx_matrix_describe(const struct ptx_form *form, const struct ptx_modifiers *mods, unsigned mode,
                         uint8_t detail[8])
{
    struct ptx_shape s = ptx_shape_of(mods);
    enum matrix_format formats[4];
    for (char matrix = 'a'; matrix <= 'd'; matrix++)
        formats[matrix - 'a'] = ptx_fragment_of(form, mods, matrix).format;
    matrix_describe(detail, s.m, s.n, s.k, formats, mode);
}

char ptx_matrix_of(const struct ptx_form *form, const struct ptx_modifiers *mods, char role)
{
    bool moves = form->lowering == LOW_WMMA_LOAD || form->lowering == LOW_WMMA_STORE;
    return moves ? (char)mods_value(mods, G_FRAGMENT, role) : role;
}

/* PTX ISA, "Target ISA Notes" of each instruction, checked against ptxas of CUDA 12.9. */
static unsigned mma_target(const struct ptx_modifiers *mods)
{
    struct ptx_shape s = ptx_shape_of(mods);
    switch (mods->types[1]) {
    case PT_F16: return s.m == 8 ? 70 : s.k == 8 ? 75 : 80;
    case PT_F64: return s.m == 8 ? 80 : 90;
    case PT_E4M3:
    case PT_E5M2: return 89;
    case PT_B1: return s.m == 8 && mods_have(mods, M_XOR) ? 75 : 80;
    case PT_BF16:
    case PT_TF32: return 80;
    default: return s.m == 8 ? 75 : 80;
    }
}

static unsigned wmma_target(const struct ptx_form *form, const struct ptx_modifiers *mods)
{
    struct ptx_shape s = ptx_shape_of(mods);
    if (mods_have(mods, M_M8N8K4) || mods_have(mods, M_M16N16K8) || (mods_have(mods, M_AND)))
        return 80;
    for (unsigned i = 0; i < form->type_count; i++)
        if (mods->types[i] == PT_BF16)
            return 80;
    for (unsigned i = 0; i < form->type_count; i++)
        if (mods->types[i] == PT_S8 || mods->types[i] == PT_U8 || mods->types[i] == PT_S32)
            return s.k == 16 ? 72 : 75;
    return s.k == 16 ? 70 : 75;
}

unsigned ptx_matrix_target(const struct ptx_form *form, const struct ptx_modifiers *mods)
{
    switch (form->lowering) {
    case LOW_LDMATRIX:
    case LOW_MOVMATRIX: return 75;
    case LOW_STMATRIX: return 90;
    case LOW_WMMA_LOAD:
    case LOW_WMMA_STORE: return wmma_target(form, mods);
    default: break;
    }
    if (is_wmma(form))
        return wmma_target(form, mods);
    return mods_have(mods, M_SP) || mods_have(mods, M_SP_ORDERED) ? (mma_target(mods) > 80 ? 89 : 80)
                                                                  : mma_target(mods);
}
