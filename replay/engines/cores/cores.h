/* The pipeline `cores`: a chip of many cores, which replays guests (docs/guests.md). docs/timing-model.md has the
 * model.
 *
 * A lane of the trace is a core: in order, one instruction at a time, which waits for its fetch and for each of its
 * accesses. Cores have private caches of instructions and data (hw-models/cache/lines.h), and are tiles of a mesh, as
 * are the banks of L2 and the channels of device memory. With coherence `msi` the bank of a line has its directory.
 *
 * An access that misses takes effect when the bank serves it, in the order of the cycles in which requests reach banks,
 * and of the cores' numbers in one cycle. The messages that follow cost time; they change nothing more.
 */
#ifndef REPRISE_REPLAY_ENGINES_CORES_CORES_H
#define REPRISE_REPLAY_ENGINES_CORES_CORES_H

#include "replay/engines/period.h"

extern const struct model pipeline_cores;

#endif
