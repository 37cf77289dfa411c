/* What blocks that are not replayed would leave in L2.
 *
 * A sampled replay passes over blocks. L2 then sees the sectors of global memory that they access, each once, in the
 * order of the last accesses, without time. Only the last blocks matter: going back from the end, the walk stops once
 * the sectors fill L2, or once further blocks bring hardly any new ones. L1s, TLBs, instruction and constant caches
 * stay as they are: the blocks that are replayed before measuring begins fill them.
 */
#ifndef REPRISE_REPLAY_MEMORY_FOOTPRINT_H
#define REPRISE_REPLAY_MEMORY_FOOTPRINT_H

#include "replay/memory/memory_system.h"
#include "tracefmt/reader.h"

/* Blocks of launches of a trace: from one to before another. */
struct footprint {
    uint32_t launch, until_launch;
    uint64_t block, until_block;
    uint64_t step; /* blocks of a wave, at least 1 */
};

/* Fills *touches for this memory system; free touches->list. Reads nothing else of the memory system than its layout.
 * False: the trace is damaged, or memory ran out; nothing need be freed. */
bool footprint_touches(struct rp_trace *, const struct memory_system *, const struct footprint *,
                       struct memory_touches *, struct rp_error *);

/* A piece of global memory that a block accesses. access: the number of the warp's access, from 1 on. */
typedef void footprint_see(void *data, uint64_t address, const struct rp_memory_operand *, uint32_t access);

/* Calls `see` for each access of the block to global memory, with the address of each aligned piece of so many bytes
 * that it touches; a lane whose piece is that of the one before is left out. False: the trace is damaged. */
bool footprint_visit_block(struct rp_trace *, uint32_t launch, uint64_t block, uint64_t piece, footprint_see *see,
                           void *data, struct rp_error *);

#endif
