/* Machine code to text and back, one instruction at a time. */
#ifndef REPRISE_FRONTEND_ISA_SASS_DISASM_H
#define REPRISE_FRONTEND_ISA_SASS_DISASM_H

#include "frontend/isa/sass/table.h"
#include "tracefmt/error.h"

enum { SASS_TEXT_SIZE = 256 };

/* The site of an instruction: its table and architecture, and the byte address from which branch targets count. */
struct sass_site {
    const struct sass_table *table;
    unsigned arch;
    uint32_t address;
};

/* The text of an instruction in the style of NVIDIA's disassembler, without the closing semicolon: "@!P0 IADD.X R4.CC,
 * R2.reuse, -R3". `control`: its 21 control bits, of which reuse flags and the texture phase show. False for a word
 * that is no instruction of the architecture or has a reserved value in a field; the error names word, address and
 * reason. */
bool sass_print(const struct sass_site *, struct isa_word, uint32_t control, char text[SASS_TEXT_SIZE],
                struct rp_error *);

/* The reverse. *control gets only the bits that the text shows: reuse flags and phase. The word is without control
 * bits. */
bool sass_assemble(const struct sass_site *, const char *text, struct isa_word *, uint32_t *control, struct rp_error *);

#endif
