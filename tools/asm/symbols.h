/* What names in a cubin stand for, and where parameters lie. */
#ifndef REPRISE_TOOLS_ASM_SYMBOLS_H
#define REPRISE_TOOLS_ASM_SYMBOLS_H

#include "frontend/module/cubin.h"

/* Whether the name is that of one variable or function alone, and that one is there. section: its number in the
 * file. */
bool symbol_is(const struct cubin *, const char *name, uint32_t section, uint64_t value);
/* The name of a section that has symbols, in two parts: ".text." and the function's name, or all of it and "". NULL: it
 * has none that relocations may name. */
const char *symbol_section(const struct cubin *, uint32_t section);
const char *symbol_section_of(const struct cubin *, uint32_t section);

/* Where the parameters of kernels begin in constant bank 0. */
uint32_t parameter_base(unsigned sm);
/* From there to the end of the last one. */
uint32_t parameter_bytes(const struct cubin_kernel *);

#endif
