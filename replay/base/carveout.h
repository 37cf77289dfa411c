/* Adaptive L1: an SM has one array (`l1.unified` bytes) for L1 and shared memory. A launch takes the least of
 * `l1.shared_sizes` that holds the shared memory of the blocks that an SM can have at a time, and leaves L1 the rest
 * (NVIDIA, CUDA C++ Programming Guide, "Shared Memory" of compute capabilities 7.x to 9.0; Accel-Sim:
 * -gpgpu_adaptive_cache_config). L1 keeps its sets, and has more or fewer ways.
 */
#ifndef REPRISE_REPLAY_BASE_CARVEOUT_H
#define REPRISE_REPLAY_BASE_CARVEOUT_H

#include "replay/base/machine.h"

/* Bytes of L1 beside `shared` bytes of shared memory; l1.size where the machine has no unified array,
 * 0 where L1 has no size. */
int64_t carveout_l1(const struct machine *, uint64_t shared);
/* The most that L1 can have. */
int64_t carveout_most(const struct machine *);
/* L1 of so many bytes: its options; text in them is shared with the machine, as below. */
void carveout_part(const struct machine *, int64_t bytes, struct machine_part *l1);
/* The machine with an L1 of so many bytes: the same number of sets, more or fewer ways; a part of a way is lost. The
 * copy shares its text with the machine and is not freed. */
void carveout_apply(const struct machine *, int64_t bytes, struct machine *out);
/* NULL, or what is wrong with the machine's two options. */
const char *carveout_check(const struct machine *);

#endif
