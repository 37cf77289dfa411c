/* The instruction sets that modules come in. A new one is a folder in frontend/isa/ and a line in isa.c. */
#ifndef REPRISE_FRONTEND_LOADER_ISA_H
#define REPRISE_FRONTEND_LOADER_ISA_H

#include "frontend/isa/isa.h"

/* The ISA of a module; NULL: it is of none of them. */
const struct isa *isa_of_module(const void *bytes, size_t size);
/* The ISA of an architecture's machine code; NULL: none is known. */
const struct isa *isa_of_sm(unsigned sm);
/* The same for the code in file `path`. If it returns NULL, the error lists the architectures that are known. */
const struct isa *isa_of_code(const char *path, unsigned sm, struct rp_error *);
/* The order in which ISAs are chosen from a fat binary; 0 comes first. */
unsigned isa_rank(const struct isa *);
/* Whether a GPU of this architecture runs machine code of that one: code of its major version with the same minor
 * version or an earlier one (CUDA C++ Programming Guide, "Binary Compatibility"). */
bool isa_sm_runs(unsigned sm, unsigned code);
/* Lists the architectures whose machine code can be loaded, as far as the text has room: "sm_50 to sm_62", or each of
 * them. */
void isa_ranges(char *text, size_t size);
void isa_architectures(char *text, size_t size);
/* The mnemonics of all tables of machine code, see struct isa. */
void isa_mnemonics(isa_mnemonic_fn use, void *data);

#endif
