/* Checks that an instruction's operands are what its form takes: PTX ISA "Operand Type Information". */
#ifndef REPRISE_FRONTEND_ISA_PTX_CHECK_H
#define REPRISE_FRONTEND_ISA_PTX_CHECK_H

#include "frontend/isa/ptx/ast.h"

/* Reports errors by ptx_error. Does not check forms with any_operands. */
void ptx_check_operands(struct ptx_source *, const struct ptx_function *, const struct ptx_instruction *);
/* The same of the coordinates and what follows them, of an instruction that reads or writes texels. */
void ptx_check_image(struct ptx_source *, const struct ptx_function *, const struct ptx_instruction *);
/* The type that the form wants of an operand; PT_NONE: any. */
enum ptx_type ptx_operand_type(const struct operand_form *, const struct ptx_modifiers *);

#endif
