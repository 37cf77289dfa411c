/* The addresses of module variables, parameters and frames: PTX ISA "State Spaces" and "Function ABI".
 *
 * A function's frame is in local memory, relative to the warp's frame base. It holds results, then parameters, each at
 * its alignment, then .local variables. Its size is a multiple of the unit's frame alignment, so that every frame
 * begins aligned. The frame of a callee begins where the caller's ends, so arguments are at the caller's frame_bytes
 * plus their offset. The .local variables of the module are at the beginning of local memory, below those of the kernel
 * in its frame. */
#ifndef REPRISE_FRONTEND_ISA_PTX_LAYOUT_H
#define REPRISE_FRONTEND_ISA_PTX_LAYOUT_H

#include "frontend/core/program.h"
#include "frontend/isa/ptx/ast.h"

/* Sets the address of every module variable, and the offset of every parameter and local variable. Binds the .param
 * variables of calls; builds the images and the table of variables. Reports errors by ptx_error. */
void ptx_layout(struct ptx_unit *, struct module *);

/* The generic address at which a space begins; 0 for .global. */
uint64_t ptx_generic_base(uint8_t space);

/* The address of a function or kernel (frontend/operation/uop.h). */
static inline uint64_t ptx_address(const struct ptx_function *f) { return (uint64_t)FUNCTION_STEP * f->number; }

/* The signature of the function, or of the prototype, that a call instruction uses. */
const struct ptx_signature *ptx_call_signature(const struct ptx_instruction *call);

#endif
