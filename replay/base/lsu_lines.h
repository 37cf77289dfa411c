/* How long loads and stores keep an SM's shared memory from serving others.
 *
 * On GPUs since Volta one array holds L1 and shared memory. On a TU102 (RTX 2080 Ti) global memory and shared memory
 * take turns: an access to global memory takes one cycle for each line of 128 bytes that a load touches, two for each
 * of a store. A pass of shared memory takes two. So a load that touches 16 lines takes as long as eight loads from
 * shared memory. docs/accuracy.md, "Which variant is the fastest?", says how this was found.
 *
 *     start of a turn  = the later of the cycle of dispatch and the end of the turn before, of shared memory or lines
 *     end of a turn    = start + cycles of a line * lines
 *
 * An access reaches the caches as much later as its first turn starts after its dispatch. Local memory goes the same
 * way as global memory. Atomics take no turn: nothing is known of them.
 */
#ifndef REPRISE_REPLAY_BASE_LSU_LINES_H
#define REPRISE_REPLAY_BASE_LSU_LINES_H

#include "hw-models/cache/cache.h"
#include "replay/base/machine.h"

#define LSU_LINE 128u /* bytes */

/* Cycles of a line of an access of this kind. 0: it takes no turn. */
static inline uint64_t lsu_line_cycles(const struct machine *m, enum cache_kind kind)
{
    return kind == CACHE_READ ? (uint64_t)m->lsu_load_line : kind == CACHE_WRITE ? (uint64_t)m->lsu_store_line : 0;
}

#endif
