/* The lines of a text that say what a cubin has more than code. 'reprise disasm' prints them and 'reprise asm' reads
 * them; docs/assembly.md describes them. They begin with a dot, so that readers of cuobjdump's listings pass over them.
 *
 * Numbers are as in C. Lines before the first function speak of the module:
 *
 *   .elf CLASS OS_ABI ABI_VERSION TOOLKIT FLAGS VIRTUAL_SM
 *   .relocatable                   it is not linked: no cubin can be made of the text
 *   .data constant0..constant31|initialised|zeroed SIZE
 *   .bytes OFFSET HEX              what that data holds; 0 elsewhere
 *   .variable NAME OFFSET SIZE     in that data
 *   .relocation OFFSET TYPE NAME [ADDEND]
 *
 * Lines below the name of a function speak of the function. Before its first .data, relocations are those of its code:
 *
 *   .entry                         it is a kernel
 *   .registers N, .barriers N, .shared BYTES, .frame BYTES, .callee_frames BYTES, .stack BYTES|unknown, .crs BYTES
 *   .param OFFSET SIZE             in order
 *   .parameters BASE BYTES         where they begin in constant bank 0, and how long they are
 *   .max_threads X Y Z, .required_threads X Y Z, .cluster X Y Z, .explicit_cluster, .max_cluster N
 *   .function NAME OFFSET SIZE     a function within the code
 *   .targets OFFSET TARGET...      of an indirect branch
 *   .attribute NUMBER [byte N|half N|words N...|bytes HEX]
 *   .relocation, .data constantN SIZE, .bytes as above
 */
#ifndef REPRISE_TOOLS_ASM_DIRECTIVES_H
#define REPRISE_TOOLS_ASM_DIRECTIVES_H

#include <stdio.h>

#include "frontend/isa/isa.h"
#include "frontend/module/arena.h"
#include "frontend/module/cubin.h"
#include "tools/asm/needs.h"

/* ---- printing ---- */
/* The lines of the module. */
void directives_print_module(FILE *, const struct cubin *);
/* The lines of a function. */
void directives_print_function(FILE *, const struct cubin *, const struct cubin_kernel *);

/* ---- reading ---- */
struct data_block {
    struct cubin_bytes *bytes; /* NULL: zeroed data */
    uint64_t size;
    const char *section;
    enum cubin_space space;
    uint32_t bank;
};

/* What the text has said so far. Begins zeroed, with the arena's out_of_memory set. */
struct module_text {
    struct arena arena;
    struct cubin cubin; /* its arrays are those below, after directives_finish */
    bool has_elf;
    VECTOR(struct cubin_kernel *) kernels;
    VECTOR(struct cubin_variable) variables;
    VECTOR(struct cubin_relocation) relocations;
    struct data_block data; /* the last .data; section NULL: none yet */

    /* the function at hand: the last one of kernels, unless there is none */
    VECTOR(struct cubin_parameter) parameters;
    VECTOR(struct cubin_function) functions;
    VECTOR(struct cubin_branch) branches;
    VECTOR(uint32_t) targets;
    VECTOR(struct cubin_attribute) attributes;
    bool has_registers, has_barriers, has_parameters;
};

/* Reads a line that begins with a dot. Lines that NVIDIA's tools print are passed over. RP_BAD_INPUT: it is none of
 * ours, or says what cannot be; the error names neither file nor line. */
bool directives_read(struct module_text *, const char *line, struct rp_error *);
/* Begins a function. */
void directives_begin_function(struct module_text *, const char *name);
/* Ends it: its code, and what that needs. RP_BAD_INPUT: no line says so; the error names the function. */
bool directives_end_function(struct module_text *, const struct assembly *, const struct code_needs *,
                             struct rp_error *);
/* Completes the cubin for this architecture: header and parameters where the text does not give them. `accelerators`:
 * sm_90a. */
void directives_finish(struct module_text *, unsigned sm, bool accelerators);

#endif
