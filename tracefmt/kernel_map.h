/* What both halves of the codec derive from a kernel's static table and from a path: how many guards, aux values and
 * accesses a path demands, and which memory operand each of its accesses belongs to.
 *
 * A *slot* is one memory operand of one static instruction, numbered through the kernel. A *path* is the runs and guard
 * masks of a warp; all else that the path decides follows from it. The *ranks* of a path number the slots that occur in
 * it, in the order of their first occurrence. */
#ifndef REPRISE_TRACEFMT_KERNEL_MAP_H
#define REPRISE_TRACEFMT_KERNEL_MAP_H

#include "tracefmt/error.h"
#include "tracefmt/pool.h"
#include "tracefmt/trace.h"

/* An instruction that accesses memory, has aux values or is guarded. */
struct notable {
    uint32_t at;     /* instruction_count: there is none */
    uint32_t memory; /* accesses of each execution */
    uint16_t aux;    /* and values */
    bool guarded;
};

struct kernel_map {
    const struct rp_kernel *kernel;
    uint32_t slot_count;
    uint32_t *slot; /* first slot of each instruction; one more entry than instructions */
    uint64_t *aux;  /* how many aux values the instructions before each one have; one more entry, too */
    /* By instruction, and one more: the first one at or after it that is guarded, instruction_count if there is none;
     * and the first one that is notable. */
    uint32_t *next_guarded;
    struct notable *notable;
};

/* NULL: out of memory or limit. */
struct kernel_map *kernel_map_new(struct pool *, const struct rp_kernel *);

/* Limits on the accesses and on the aux values of one warp in one chunk: as many as the logs of the largest chunk
 * (CHUNK_LOG_LIMIT) can hold. Without limits, a small damaged file could make a reader count for hours. */
#define PATH_VALUE_LIMIT (8 << 20)

struct path {
    const struct rp_run *runs;
    const rp_lanemask *guards;
    size_t run_count, guard_count;
    uint64_t access_count, aux_count, warp_instructions, thread_instructions;
    uint32_t *rank;     /* of each access */
    uint32_t *first_at; /* per rank: its first access */
    uint32_t *slot;     /* per rank */
    uint32_t rank_count;
};

/* Checks every run and guard (in range, not empty, guards within the active mask, as many as the runs demand) and fills
 * the four sums. False: the error says what is wrong; callers prefix "warp ...: ". */
bool path_measure(struct path *, const struct kernel_map *, struct rp_error *);
/* Fills rank, first_at, slot and rank_count of a measured path from the pool. `scratch`: RANK_SCRATCH(slots of the
 * kernel) entries; the first `slots` of them are UINT32_MAX before the call and after it. lanes: the executing lanes of
 * each access, with room for RANK_ROOM more; or NULL. False: out of memory or limit. */
#define RANK_ROOM 8
#define RANK_SCRATCH(slots) (3 * (size_t)(slots) + RANK_ROOM)
bool path_rank(struct path *, const struct kernel_map *, struct pool *, uint32_t *scratch, rp_lanemask *lanes);
/* Both in one pass, of a path that is thought to make so many accesses. If it makes more, its ranks end there. */
bool path_measure_and_rank(struct path *, const struct kernel_map *, struct pool *, uint64_t accesses,
                           uint32_t *scratch, rp_lanemask *lanes, struct rp_error *);

#endif
