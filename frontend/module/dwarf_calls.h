/* Calls that a compiler replaced by the function's body, from .debug_info: DW_TAG_inlined_subroutine of DWARF 2 to 5
 * (DWARF 4, sections 3.3.8.2, 7.5 and 7.10; DWARF 5, sections 3.3.8.2, 7.5, 7.26 and 7.27). LLVM and nvcc -G write
 * them, in DWARF 2. Bodies in several pieces (DW_AT_ranges) are not found. */
#ifndef REPRISE_FRONTEND_MODULE_DWARF_CALLS_H
#define REPRISE_FRONTEND_MODULE_DWARF_CALLS_H

#include "frontend/module/arena.h"
#include "frontend/module/cubin.h"

struct dwarf_call {
    const char *function;        /* its linkage name, else its name; "?": it has neither */
    uint32_t file, line, column; /* of the call; file: number in the unit's line table, of DWARF 5 plus 1; 0: none */
    uint32_t around;             /* the call around this one: number, from 1, of an earlier one; 0: none */
    uint32_t line_table;         /* of the unit: offset in .debug_line */
};

/* Code of a call, or of a function itself. */
struct dwarf_body {
    uint64_t low, high;  /* addresses, without high; 0, 0: not given */
    uint32_t call;       /* number, from 1; 0: of a function itself */
    uint32_t file, line; /* where its function is declared; line 0: not known */
    uint32_t line_table;
};

/* In the order of .debug_info. Each call has a body. A call comes after the call around it. */
struct dwarf_calls {
    VECTOR(struct dwarf_call) calls;
    VECTOR(struct dwarf_body) bodies;
};

/* .debug_info, .debug_abbrev and .debug_str; of DWARF 5 also .debug_line_str, .debug_str_offsets and .debug_addr.
 * Addresses in `info` and `addresses` are relocated. */
struct dwarf_sections {
    struct cubin_bytes info, abbrev, strings, line_strings, string_offsets, addresses;
};

/* Damaged data and units of other versions yield no calls, which is no error: kernels run without them. */
void dwarf_read_calls(struct arena *, const struct dwarf_sections *, struct dwarf_calls *);

/* An instruction: its address and line. Files have the same numbers as those of the bodies. */
struct dwarf_location {
    uint64_t address;
    uint32_t file, line;
};

/* Finds for each place, in order of address, the number of the innermost call that contains it, from 1; 0: none. LLVM
 * gives a body the whole range of addresses from its first instruction to its last, and moves other instructions into
 * that range. So if several bodies contain the address, the body counts whose function begins last before the place's
 * line in the place's file; if several do, or none, the innermost body counts. */
void dwarf_innermost(struct arena *, const struct dwarf_calls *, const struct dwarf_location *, uint32_t count,
                     uint32_t *innermost);

#endif
