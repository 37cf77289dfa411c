/* The lives of instructions, as Konata shows them, and their order. */
#ifndef REPRISE_TOOLS_TIMELINE_LIVES_H
#define REPRISE_TOOLS_TIMELINE_LIVES_H

#include <stdbool.h>
#include <stddef.h>

#include "tools/timeline/sorting.h"
#include "tracefmt/error.h"

/* An instruction. There are a million, so that it is half a cache line. */
struct life {
    uint64_t issue;          /* life_issue() */
    uint64_t warp;           /* the block's number times the warps of a block, plus the warp's in its block */
    uint32_t dispatch, done; /* cycles behind the issue */
    uint32_t launch;
    uint32_t index : 31; /* the instruction's, in its kernel */
    uint32_t first : 1;  /* of its warp, as far as lives_order() knows; later ones may say so, too */
};
_Static_assert(sizeof(struct life) == 32, "half a cache line");

/* Lives, added in the order in which they end. */
struct lives {
    struct life *list;
    uint32_t count, room;
    uint64_t subcores; /* of the machine */
    /* From lives_order() on: keyed by cycles behind `begin`. Issues have numbers in `list`. What is dispatched or ends
     * has the place of its issue in `issues`. */
    uint64_t begin;
    uint64_t *issues, *dispatches, *ends;
    uint32_t dispatch_count; /* of lives that are dispatched after their issue; all lives issue and end */
    uint64_t *words;         /* where these three lie */
};

#define LIVES_MOST (1u << KEYED_BITS)

/* False: out of memory. Then, too, close it. */
bool lives_open(struct lives *, uint64_t subcores, struct rp_error *);
void lives_close(struct lives *);

/* A cycle, and a sub-core of the machine. */
static inline uint64_t life_issue(const struct lives *l, uint64_t cycle, uint64_t subcore)
{
    return cycle * l->subcores + subcore;
}

/* Puts issues, dispatches and ends in order: by cycles, and issues of one cycle by sub-cores. Uses two threads. False:
 * out of memory, or more cycles than keys can have. */
bool lives_order(struct lives *, struct rp_error *);

#endif
