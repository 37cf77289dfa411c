/* reprise info --registers: live registers of a trace's kernels, of its launches along the paths of their warps, and
 * over time under a replay. A register here is one of a warp: 32 bits for each of 32 lanes. */
#ifndef REPRISE_TOOLS_LIVE_LIVE_H
#define REPRISE_TOOLS_LIVE_LIVE_H

#include "replay/base/machine.h"
#include "tools/lib/json.h"
#include "tracefmt/reader.h"

/* RP_BAD_INPUT: a kernel of the trace does not tell its live registers. */
bool live_check(const struct rp_trace *, struct rp_error *);

/* Along the paths of the warps of a launch. */
struct live_path {
    uint64_t warps, instructions; /* warp instructions */
    uint64_t sum;                 /* of live registers over them */
    unsigned peak;
    uint32_t peak_index; /* of the first static instruction that has it */
};
bool live_path(struct rp_trace *, uint32_t launch, struct live_path *, struct rp_error *);

/* In time: a warp's registers are those of its last instruction that issued, from its issue on; of its last one until
 * it is done. */
struct live_extent {
    uint64_t peak, peak_cycle; /* the first cycle, counted over all launches */
    uint64_t sum, cycles;      /* registers × cycles, and over how many cycles */
    uint32_t where;            /* sub-core or SM of the peak */
};
struct live_time {
    uint64_t cycles;
    /* Of warps cycles are those from their first issue to their end, summed; of sub-cores and SMs those of the replay
     * times their number. */
    struct live_extent warp, subcore, sm;
};
/* launch: the only one, -1: all. csv: NULL, or gets a row for each change: cycle, SM, sub-core, registers. */
bool live_time(struct rp_trace *, const struct machine *, int64_t launch, FILE *csv, struct live_time *,
               struct rp_error *);

/* What the command prints; machine: NULL, or what to replay on. */
struct live_request {
    const char *file;
    struct rp_trace *trace;
    const struct machine *machine;
    int64_t launch; /* -1: all */
};
int live_print(const struct live_request *);
int live_print_csv(const struct live_request *);
int live_print_json(const struct live_request *);

#endif
