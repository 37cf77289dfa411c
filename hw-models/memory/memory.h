/* What stands behind the load/store units.
 *
 * hierarchy: caches, ports and device memory (the parts l1, l2, dram, ...; replay/memory).
 * stochastic: no addresses are looked at. Each access draws where it ends, in L1, L2 or DRAM, and takes the cost of
 * that level (Terrosi et al., "Modeling of GPGPU architectures for performance analysis of CUDA programs", 2023,
 * section 4.3 and Table 2). Four kinds of access have probabilities of their own.
 */
#ifndef REPRISE_HW_MODELS_MEMORY_H
#define REPRISE_HW_MODELS_MEMORY_H

#include "hw-models/memory/random_stream.h"
#include "hw-models/model.h"

struct memory_model {
    struct model model;
    bool drawn;
};
extern const struct memory_model memory_hierarchy, memory_stochastic;

enum draw_kind { DRAW_GLOBAL_LOAD, DRAW_GLOBAL_STORE, DRAW_LOCAL_LOAD, DRAW_LOCAL_STORE, DRAW_KINDS };
enum draw_level { LEVEL_L1, LEVEL_L2, LEVEL_DRAM, DRAW_LEVELS };

/* The rows of `stochastic`; the first four are the probabilities of enum draw_kind. */
enum {
    STOCHASTIC_COST = DRAW_KINDS, /* of L1, L2 and DRAM */
    STOCHASTIC_DRAW = STOCHASTIC_COST + DRAW_LEVELS,
    STOCHASTIC_SHARED,
    STOCHASTIC_FROM,
};

/* The options, ready for drawing. */
struct stochastic {
    uint64_t below[DRAW_KINDS][2]; /* a draw under the first is L1, under the second L2, else DRAM */
    double probability[DRAW_KINDS][DRAW_LEVELS];
    uint32_t cost[DRAW_LEVELS]; /* cycles from dispatch */
    bool by_transaction;        /* each transaction draws, and the slowest counts; else one draw for all lanes */
    bool separate_shared;       /* shared memory has its own model; else it draws as local memory does */
    bool chance;                /* some kind has more than one level */
    const char *from;           /* "", or the machine whose caches say the probabilities */
};
void stochastic_of(const int64_t *options, struct stochastic *);

static inline unsigned stochastic_level(const struct stochastic *s, unsigned kind, uint64_t draw)
{
    return (draw >= s->below[kind][0]) + (draw >= s->below[kind][1]);
}

#endif
