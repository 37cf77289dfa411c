/* Launches with equal content and geometry, which a machine whose launches begin alike replays in the same way.
 *
 * Two launches are equal if these are: kernel; grid, block, cluster, shared memory and address windows; how their
 * recording ended; each step of each warp, with its masks, addresses and further values (rp_trace_launch_hash); and,
 * with warm_l2, all that the host had allocated, freed and copied before. Then each sees the same requests from empty
 * caches, and its replay is the same in each cycle.
 */
#ifndef REPRISE_REPLAY_SESSION_CLASSES_H
#define REPRISE_REPLAY_SESSION_CLASSES_H

#include "replay/base/machine.h"
#include "tracefmt/reader.h"

/* Whether equal launches have equal results on the machine: caches are empty when a launch begins, and latencies are
 * not sampled. */
bool classes_are_exact(const struct machine *);
/* Writes for each of these launches, ascending, the index in the list of the first one that equals it. Reads the
 * content of launches whose geometry and counts equal those of others. */
bool classes_find(struct rp_trace *, const struct machine *, const uint32_t *launches, uint32_t count, uint32_t *first,
                  struct rp_error *);
/* A hash of kernel and geometry, without addresses. */
uint64_t launch_shape(const struct rp_launch *);

#endif
