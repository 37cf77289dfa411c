/* Where things are: module variables, parameters, frames. PTX ISA "State Spaces" and "Function ABI".
 *
 * A frame of a function, in local memory from the warp's frame base: results, then parameters, each at its alignment,
 * then .local variables; its size is rounded to the unit's frame alignment, so that every frame begins aligned. The
 * frame of a callee begins where the caller's ends, so a caller finds arguments at its own frame_bytes + their offset.
 */
#ifndef REPRISE_FRONTEND_ISA_PTX_LAYOUT_H
#define REPRISE_FRONTEND_ISA_PTX_LAYOUT_H

#include "frontend/core/program.h"
#include "frontend/isa/ptx/ast.h"

/* Gives every module variable its address, every parameter and local its offset, and binds the .param variables of
 * calls; builds the images and the table of variables. Leaves through ptx_error. */
void ptx_layout(struct ptx_unit *, struct module *);

/* Where generic addresses of a space begin; 0 for .global. */
uint64_t ptx_generic_base(uint8_t space);

/* The signature that a call instruction uses; NULL: only the arguments themselves tell. */
const struct ptx_signature *ptx_call_signature(const struct ptx_instruction *call);

#endif
