/* Writes cubins. */
#ifndef REPRISE_TOOLS_ASM_WRITE_H
#define REPRISE_TOOLS_ASM_WRITE_H

#include "frontend/module/arena.h"
#include "frontend/module/cubin.h"

/* Makes the ELF file: an executable with the sections, symbols and attributes that ptxas writes, without line
 * information. Sections go by name: relocations name theirs in `from`, and their symbols in `symbol`; what is no
 * variable, function or section of the file becomes an undefined symbol. Allocates from the arena alone. NULL: err says
 * why. The caller frees the bytes. */
uint8_t *cubin_write(struct arena *, const struct cubin *, size_t *size, struct rp_error *);

#endif
