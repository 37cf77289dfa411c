/* A private cache in a few lines, for comparison: sets of lines in the order of their last use. It knows nothing of the
 * project. */
#ifndef REPRISE_TESTS_CORES_MODEL_H
#define REPRISE_TESTS_CORES_MODEL_H

#include <stdint.h>

#define MODEL_SETS 256
#define MODEL_WAYS 16

struct model_cache {
    uint32_t sets, ways, line;
    uint64_t misses;
    uint32_t count[MODEL_SETS];
    uint32_t lines[MODEL_SETS][MODEL_WAYS]; /* the one that was used last comes first */
};

void model_touch(struct model_cache *, uint32_t address, uint32_t bytes);

#endif
