/* Converts traces of Accel-Sim to our format. */
#ifndef REPRISE_TOOLS_ACCELSIM_IMPORT_H
#define REPRISE_TOOLS_ACCELSIM_IMPORT_H

#include "tracefmt/error.h"
#include "tracefmt/trace.h"

struct accelsim_import {
    const char *list, *output; /* list: kernelslist.g; output: the trace to write */
    bool quiet;
    /* Results. */
    uint64_t kernels, launches, blocks, warp_instructions, bytes;
    uint64_t missing_blocks,
        bulk_copies;          /* missing_blocks: imported as empty blocks; bulk_copies: imported without addresses */
    uint64_t unknown;         /* executions of opcodes that opcodes.def does not have */
    char unknown_opcode[64];  /* the first of these */
    unsigned unknown_opcodes; /* static instructions with such opcodes */
};
bool accelsim_import(struct accelsim_import *, struct rp_error *);

struct accelsim_export {
    const char *trace, *folder;
    bool quiet;
    uint64_t launches, blocks, warp_instructions;
    uint64_t left_out; /* executions with several memory operands: only the first is exported */
    uint64_t barriers; /* executions of barriers for a part of the block */
    uint64_t clusters; /* launches in clusters */
    uint64_t partial;  /* launches of which the trace has only a part */
};
bool accelsim_export(struct accelsim_export *, struct rp_error *);

#endif
