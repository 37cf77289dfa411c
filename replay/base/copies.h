/* How long copies and memsets of the host take: copy.latency + bytes / bandwidth, rounded up to whole cycles.
 *
 * A GPU has engines for copies beside its SMs, one for each direction or one for both (CUDA C++ Programming Guide,
 * "Concurrent Data Transfers"; cudaDeviceProp.asyncEngineCount). An engine carries out one copy at a time, in the order
 * in which they become ready. Copies and memsets within the device run one at a time, too, and concurrently with these
 * engines. Copies within the host's memory take no time of the device.
 */
#ifndef REPRISE_REPLAY_BASE_COPIES_H
#define REPRISE_REPLAY_BASE_COPIES_H

#include "replay/base/machine.h"

enum copy_path { COPY_PATH_TO_DEVICE, COPY_PATH_TO_HOST, COPY_PATH_ON_DEVICE, COPY_PATHS };
extern const char *const copy_path_names[COPY_PATHS]; /* as in results: "to_device" */

/* What was copied on a path. */
struct copy_counts {
    uint64_t count, bytes;
    uint64_t cycles; /* in which an engine was busy, summed */
};

static inline void copy_counts_add(struct copy_counts *to, const struct copy_counts *c)
{
    to->count += c->count;
    to->bytes += c->bytes;
    to->cycles += c->cycles;
}

/* Whether copies of the host take time. */
bool copies_take_time(const struct machine *);
/* The path of a copy or memset; COPY_PATHS: it takes no time, or the operation is something else. */
enum copy_path copy_path_of(const struct machine *, const struct rp_host_operation *);
/* The engine of the path, below COPY_PATHS. */
unsigned copy_engine_of(const struct machine *, enum copy_path);
#define COPY_LONGEST (UINT64_C(1) << 56) /* cycles; sums of such values fit into 64 bits */
/* Whether a copy is one from a device to another, which machines give time by link.bandwidth and link.latency. */
bool copy_crosses(const struct rp_host_operation *);
/* Cycles that such a copy takes, at most COPY_LONGEST; 0: link.bandwidth is 0. */
uint64_t copy_link_cycles(const struct machine *, uint64_t bytes);
/* Cycles for which the copy occupies its engine, at most COPY_LONGEST. */
uint64_t copy_cycles(const struct machine *, enum copy_path, uint64_t bytes);

#endif
