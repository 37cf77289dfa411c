/* The memory behind the load/store units.
 *
 * hierarchy: caches, ports and device memory (the parts l1, l2, dram, ...; replay/memory).
 * stochastic: addresses do not matter. The level at which each access ends (L1, L2 or DRAM) is sampled, and the access
 * takes the cost of that level (Terrosi et al., "Modeling of GPGPU architectures for performance analysis of CUDA
 * programs", 2023, section 4.3 and Table 2). Four kinds of access have probabilities of their own.
 */
#ifndef REPRISE_HW_MODELS_MEMORY_H
#define REPRISE_HW_MODELS_MEMORY_H

#include "hw-models/memory/random_stream.h"
#include "hw-models/model.h"

struct memory_model {
    struct model model;
    bool sampled;
};
extern const struct memory_model memory_hierarchy, memory_stochastic;

enum sample_kind { SAMPLE_GLOBAL_LOAD, SAMPLE_GLOBAL_STORE, SAMPLE_LOCAL_LOAD, SAMPLE_LOCAL_STORE, SAMPLE_KINDS };
enum sample_level { LEVEL_L1, LEVEL_L2, LEVEL_DRAM, SAMPLE_LEVELS };

/* The rows of `stochastic`; the first four are the probabilities of enum sample_kind. */
enum {
    STOCHASTIC_COST = SAMPLE_KINDS, /* of L1, L2 and DRAM */
    STOCHASTIC_SAMPLE = STOCHASTIC_COST + SAMPLE_LEVELS,
    STOCHASTIC_SHARED,
    STOCHASTIC_FROM,
};

/* The options, prepared for sampling. */
struct stochastic {
    uint64_t below[SAMPLE_KINDS][2]; /* a random number below the first is L1, below the second L2, else DRAM */
    double probability[SAMPLE_KINDS][SAMPLE_LEVELS];
    uint32_t cost[SAMPLE_LEVELS]; /* cycles from dispatch */
    bool by_transaction;  /* each transaction is sampled, and the slowest counts; else one level for all lanes */
    bool separate_shared; /* shared memory has its own model; else it is sampled as local memory is */
    bool chance;          /* some kind has more than one level */
    const char *from;     /* "", or the machine whose caches give the probabilities */
};
void stochastic_of(const int64_t *options, struct stochastic *);

static inline unsigned stochastic_level(const struct stochastic *s, unsigned kind, uint64_t number)
{
    return (number >= s->below[kind][0]) + (number >= s->below[kind][1]);
}

#endif
