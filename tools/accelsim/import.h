/* Traces of Accel-Sim become traces of ours. */
#ifndef REPRISE_TOOLS_ACCELSIM_IMPORT_H
#define REPRISE_TOOLS_ACCELSIM_IMPORT_H

#include "tracefmt/error.h"
#include "tracefmt/trace.h"

struct accelsim_import {
    const char *list, *output; /* kernelslist.g; the trace to be written */
    bool quiet;
    /* What came of it. */
    uint64_t kernels, launches, blocks, warp_instructions, bytes;
    uint64_t missing_blocks, bulk_copies; /* left empty; without their addresses */
    uint64_t unknown;                     /* executions of opcodes that are not in the table */
    char unknown_opcode[64];              /* the first of these */
    unsigned unknown_opcodes;             /* static instructions that have them */
};
bool accelsim_import(struct accelsim_import *, struct rp_error *);

struct accelsim_export {
    const char *trace, *folder;
    bool quiet;
    uint64_t launches, blocks, warp_instructions;
    uint64_t left_out; /* executions with memory operands beyond the first */
    uint64_t barriers; /* executions of barriers that are not for the whole block */
    uint64_t clusters; /* launches in clusters */
    uint64_t partial;  /* launches of which the trace has not all */
};
bool accelsim_export(struct accelsim_export *, struct rp_error *);

#endif
