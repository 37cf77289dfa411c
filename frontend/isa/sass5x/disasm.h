/* Machine code to text and back, one instruction at a time. */
#ifndef REPRISE_FRONTEND_ISA_SASS5X_DISASM_H
#define REPRISE_FRONTEND_ISA_SASS5X_DISASM_H

#include "frontend/isa/sass5x/table.h"
#include "tracefmt/error.h"

#define SASS_TEXT_SIZE 256

/* The text of an instruction in the style of NVIDIA's disassembler, without the closing semicolon: "@!P0 IADD.X R4.CC,
 * R2.reuse, -R3". `address` is the word's own byte address, which branch targets count from; `control` its 21 control
 * bits, of which the reuse flags and the texture phase show. False for a word that is no instruction of `arch` or has a
 * reserved value in a field; the error names word, address and reason. */
bool sass_print(uint64_t word, uint32_t control, uint32_t address, enum sass_arch arch, char text[SASS_TEXT_SIZE],
                struct rp_error *);

/* The reverse. *control gets only the bits that the text shows: reuse flags and phase. */
bool sass_assemble(const char *text, uint32_t address, enum sass_arch arch, uint64_t *word, uint32_t *control,
                   struct rp_error *);

/* True when the control bits mark the first of a pair that issues together; printed as { before it, } after the next.
 */
static inline bool sass_pairs(uint32_t control) { return (control & 31) == 16; }

#endif
