/* Adaptive L1: an SM has one array (`l1.unified` bytes) for L1 and shared memory. A launch takes the smallest of
 * `l1.shared_sizes` that holds the shared memory of the blocks that fit on an SM at a time. L1 gets the rest (NVIDIA,
 * CUDA C++ Programming Guide, "Shared Memory" of compute capabilities 7.x to 9.0; Accel-Sim:
 * -gpgpu_adaptive_cache_config). The number of sets stays, the number of ways changes.
 */
#ifndef REPRISE_REPLAY_BASE_CARVEOUT_H
#define REPRISE_REPLAY_BASE_CARVEOUT_H

#include "replay/base/machine.h"

/* Bytes of L1 beside `shared` bytes of shared memory; l1.size where the machine has no unified array,
 * 0 where L1 has no size. */
int64_t carveout_l1(const struct machine *, uint64_t shared);
/* The largest size that L1 can have, in bytes. */
int64_t carveout_most(const struct machine *);
/* Writes the machine's L1 part with a size of `bytes`. Its text is the machine's own, as below. */
void carveout_part(const struct machine *, int64_t bytes, struct machine_part *l1);
/* Copies the machine with an L1 of `bytes`: the same sets, as many ways as fit. The copy points to the text of the
 * machine and is not freed. */
void carveout_apply(const struct machine *, int64_t bytes, struct machine *out);
/* NULL, or what is wrong with l1.unified or l1.shared_sizes. */
const char *carveout_check(const struct machine *);

#endif
