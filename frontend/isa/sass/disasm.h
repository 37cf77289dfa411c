/* Machine code to text and back, one instruction at a time. */
#ifndef REPRISE_FRONTEND_ISA_SASS_DISASM_H
#define REPRISE_FRONTEND_ISA_SASS_DISASM_H

#include "frontend/isa/sass/table.h"
#include "tracefmt/error.h"

enum { SASS_TEXT_SIZE = 256 };

/* Where an instruction is: its table, its architecture, and the byte address from which branch targets count. */
struct sass_site {
    const struct sass_table *table;
    unsigned arch;
    uint32_t address;
};

/* Prints an instruction in the style of NVIDIA's disassembler, without the closing semicolon: "@!P0 IADD.X R4.CC,
 * R2.reuse, -R3". `control`: its 21 control bits; the text shows the reuse flags and the texture phase. False: the
 * word is no instruction of the architecture, or a field has a reserved value; the error gives word, address and
 * reason. */
bool sass_print(const struct sass_site *, struct isa_word, uint32_t control, char text[SASS_TEXT_SIZE],
                struct rp_error *);

/* The reverse. *control gets only the bits that the text shows: reuse flags and phase. The word has no control bits. */
bool sass_assemble(const struct sass_site *, const char *text, struct isa_word *, uint32_t *control, struct rp_error *);
/* The same. After a failure *stopped is the place in the text up to which some form could be read. */
bool sass_assemble_from(const struct sass_site *, const char *text, struct isa_word *, uint32_t *control,
                        uint32_t *stopped, struct rp_error *);

#endif
