/* Calls that a compiler replaced by the function's body, as .debug_info has them: DW_TAG_inlined_subroutine of DWARF 2
 * to 4 (DWARF 4, sections 3.3.8.2, 7.5 and 7.10). LLVM and nvcc -G write them. */
#ifndef REPRISE_FRONTEND_LOADER_DWARF_CALLS_H
#define REPRISE_FRONTEND_LOADER_DWARF_CALLS_H

#include "frontend/loader/arena.h"
#include "frontend/loader/cubin.h"

struct dwarf_call {
    uint64_t low, high;          /* addresses of the body, without high; 0, 0: not given */
    const char *function;        /* "?": has no name */
    uint32_t file, line, column; /* of the call; file: as the line table of the unit counts them, from 1 */
    uint32_t around;             /* the call whose body that is in: number, from 1, of one before this; 0: of none */
    uint32_t line_table;         /* of the unit: offset in .debug_line */
};
typedef VECTOR(struct dwarf_call) dwarf_calls;

/* Addresses in `info` are relocated. A name's offset counts in `strings`. */
struct dwarf_sections {
    struct cubin_bytes info, abbrev, strings;
};

/* Appends the calls, in the order of the file. No kernel needs them to run: what is damaged, and a unit of another
 * version, has none. */
void dwarf_read_calls(struct arena *, const struct dwarf_sections *, dwarf_calls *);

/* Of each address, which ascend, the number of the innermost call whose body has it, from 1; 0: none. */
void dwarf_innermost(struct arena *, const dwarf_calls *, const uint64_t *addresses, uint32_t count,
                     uint32_t *innermost);

#endif
