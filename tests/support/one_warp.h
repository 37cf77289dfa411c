/* A trace of one warp of another trace's block, alone in a block of its own: its barriers wait for nobody. */
#ifndef REPRISE_TESTS_ONE_WARP_H
#define REPRISE_TESTS_ONE_WARP_H

#include "tracefmt/reader.h"

bool one_warp_write(const char *path, struct rp_trace *, uint32_t launch, uint64_t block, uint32_t warp,
                    struct rp_error *);

#endif
