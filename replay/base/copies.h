/* How long copies and memsets of the host take: copy.latency + bytes / bandwidth, rounded up to whole cycles.
 *
 * A GPU has engines for copies beside its SMs, one for each direction or one for both (CUDA C++ Programming Guide,
 * "Concurrent Data Transfers"; cudaDeviceProp.asyncEngineCount). An engine carries out one copy at a time, in the order
 * in which they may begin. What stays on the device (copies and memsets) goes one after the other, too, beside them.
 * Copies within the host's memory are no work of the device.
 */
#ifndef REPRISE_REPLAY_BASE_COPIES_H
#define REPRISE_REPLAY_BASE_COPIES_H

#include "replay/base/machine.h"

enum copy_path { COPY_PATH_TO_DEVICE, COPY_PATH_TO_HOST, COPY_PATH_ON_DEVICE, COPY_PATHS };
extern const char *const copy_path_names[COPY_PATHS]; /* as in results: "to_device" */

/* What was copied on a path. */
struct copy_counts {
    uint64_t count, bytes;
    uint64_t cycles; /* of an engine, summed */
};

static inline void copy_counts_add(struct copy_counts *to, const struct copy_counts *c)
{
    to->count += c->count;
    to->bytes += c->bytes;
    to->cycles += c->cycles;
}

/* Whether anything that the host copies takes time. */
bool copies_take_time(const struct machine *);
/* The path of a copy or memset that takes time; COPY_PATHS: the operation is none, or takes no time. */
enum copy_path copy_path_of(const struct machine *, const struct rp_host_operation *);
/* The engine of the path, below COPY_PATHS. */
unsigned copy_engine_of(const struct machine *, enum copy_path);
#define COPY_LONGEST (UINT64_C(1) << 56) /* sums of them fit */
/* Cycles of the engine, at most COPY_LONGEST. */
uint64_t copy_cycles(const struct machine *, enum copy_path, uint64_t bytes);

#endif
