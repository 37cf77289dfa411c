/* Calls that a compiler replaced by the function's body, as .debug_info has them: DW_TAG_inlined_subroutine of DWARF 2
 * to 4 (DWARF 4, sections 3.3.8.2, 7.5 and 7.10). LLVM and nvcc -G write them. */
#ifndef REPRISE_FRONTEND_MODULE_DWARF_CALLS_H
#define REPRISE_FRONTEND_MODULE_DWARF_CALLS_H

#include "frontend/module/arena.h"
#include "frontend/module/cubin.h"

struct dwarf_call {
    const char *function;        /* as linkers know it, if that is said; "?": has no name */
    uint32_t file, line, column; /* of the call; file: as the line table of the unit counts them, from 1; 0: none */
    uint32_t around;             /* the call whose body that is in: number, from 1, of one before this; 0: of none */
    uint32_t line_table;         /* of the unit: offset in .debug_line */
};

/* Code of a call, or of a function itself. */
struct dwarf_body {
    uint64_t low, high;  /* addresses, without high; 0, 0: not given */
    uint32_t call;       /* number, from 1; 0: of a function itself */
    uint32_t file, line; /* where its function is declared; line 0: not known */
    uint32_t line_table;
};

/* In the order of .debug_info; each call has a body, and what is around it stands before it. */
struct dwarf_calls {
    VECTOR(struct dwarf_call) calls;
    VECTOR(struct dwarf_body) bodies;
};

/* Addresses in `info` are relocated. A name's offset counts in `strings`. */
struct dwarf_sections {
    struct cubin_bytes info, abbrev, strings;
};

/* No kernel needs the calls to run: what is damaged, and a unit of another version, has none. */
void dwarf_read_calls(struct arena *, const struct dwarf_sections *, struct dwarf_calls *);

/* An instruction: its address and line. Files are counted as those of the bodies. */
struct dwarf_place {
    uint64_t address;
    uint32_t file, line;
};

/* Of each place, by address, the number of the innermost call that it is in, from 1; 0: none. LLVM gives a body all
 * addresses from its first instruction to its last, and moves others between them. So of the bodies that have the
 * address that one counts whose function is the last to begin before the line, if any does in its file; of several the
 * innermost. */
void dwarf_innermost(struct arena *, const struct dwarf_calls *, const struct dwarf_place *, uint32_t count,
                     uint32_t *innermost);

#endif
