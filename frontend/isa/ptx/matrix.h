/* Shapes and fragments of the matrix instructions: PTX ISA "Warp-level matrix instructions". */
#ifndef REPRISE_FRONTEND_ISA_PTX_MATRIX_H
#define REPRISE_FRONTEND_ISA_PTX_MATRIX_H

#include "frontend/core/lanes/matrix.h"
#include "frontend/isa/ptx/ast.h"

struct ptx_shape {
    uint32_t m, n, k;
};
struct ptx_shape ptx_shape_of(const struct ptx_modifiers *);

/* The registers of one matrix of an instruction, each of `type`. `distinct` of them differ; the others repeat these in
 * turns (matrix.h). */
struct ptx_fragment {
    uint32_t count, distinct;
    enum ptx_type type;
    enum matrix_format format;
};
/* matrix: 'a' 'b' 'c' 'd'; for ldmatrix and stmatrix 'd' or 'a'. */
struct ptx_fragment ptx_fragment_of(const struct ptx_form *, const struct ptx_modifiers *, char matrix);
/* Sets the detail of a product; mode: as its operation has it. */
void ptx_matrix_describe(const struct ptx_form *, const struct ptx_modifiers *, unsigned mode, uint8_t detail[8]);
/* The matrix that an operand of the form holds: its role or, for wmma.load and wmma.store, the matrix that the modifier
 * names. */
char ptx_matrix_of(const struct ptx_form *, const struct ptx_modifiers *, char role);
/* The least target that has the instruction: 75 for sm_75. */
unsigned ptx_matrix_target(const struct ptx_form *, const struct ptx_modifiers *);

#endif
