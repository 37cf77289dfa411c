/* Instruction caches: when a warp's next instruction is there.
 *
 * A warp fetches its next instruction in the cycle in which it issues the one before, or in which it is placed. Fetches
 * are made in the order of these cycles; in one cycle, in the order of sub-cores and, at placement, of warps. A hit
 * takes no time of its own: hardware hides it in the pipeline.
 *
 * The same models serve as constant caches. Then a fetch is for a word that a load of constants or parameters names,
 * and the time of a hit is in the machine's spaces.const and spaces.param.
 */
#ifndef REPRISE_HW_MODELS_INSTRUCTION_CACHE_H
#define REPRISE_HW_MODELS_INSTRUCTION_CACHE_H

#include "hw-models/model.h"

struct instruction_cache_reply {
    bool hit;       /* the line was there or in flight */
    uint64_t cycle; /* the first in which the instruction may issue; the cycle of the fetch if the line was there */
};

struct instruction_cache_model {
    struct model model;
    bool keeps; /* false: has no lines at all; nothing is counted */
    void (*reset)(void *state, const int64_t *options);
    /* A sub-core fetches the instruction at `address` in `cycle`; `subcore`: its number among those that share the
     * cache. */
    void (*fetch)(void *state, unsigned subcore, uint64_t address, uint64_t cycle, struct instruction_cache_reply *);
};

extern const struct instruction_cache_model instruction_cache_perfect, instruction_cache_set_associative,
    instruction_cache_two_level, instruction_cache_three_level;

#endif
