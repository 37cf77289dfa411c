/* reprise info --registers: live registers of the kernels of a trace, of its launches along the paths of their warps,
 * and over time in a replay. A register here is one of a warp: 32 bits for each of 32 lanes. */
#ifndef REPRISE_TOOLS_LIVE_LIVE_H
#define REPRISE_TOOLS_LIVE_LIVE_H

#include "replay/base/machine.h"
#include "tools/lib/json.h"
#include "tracefmt/reader.h"

/* RP_BAD_INPUT: the trace has a kernel without live registers. */
bool live_check(const struct rp_trace *, struct rp_error *);

/* Live registers along the paths of a launch's warps. */
struct live_path {
    uint64_t warps, instructions; /* warp instructions */
    uint64_t sum;                 /* of live registers, over these instructions */
    unsigned peak;
    uint32_t peak_index; /* the first static instruction with the peak */
};
bool live_path(struct rp_trace *, uint32_t launch, struct live_path *, struct rp_error *);

/* Live registers over time. From the issue of an instruction to the next issue its warp has the instruction's live
 * registers; after the last instruction, until that is done. */
struct live_extent {
    uint64_t peak, peak_cycle; /* peak_cycle: the first cycle with the peak, counted over all launches */
    uint64_t sum, cycles;      /* sum: registers × cycles; cycles: the number of these cycles */
    uint32_t where;            /* sub-core or SM of the peak */
};
struct live_time {
    uint64_t cycles;
    /* cycles of warps: from their first issue to their end, summed; of sub-cores and SMs: the cycles of the replay
     * times their number. */
    struct live_extent warp, subcore, sm;
};
/* launch: -1 for all. csv: NULL, or gets a row per change: cycle, SM, sub-core, registers. */
bool live_time(struct rp_trace *, const struct machine *, int64_t launch, FILE *csv, struct live_time *,
               struct rp_error *);

/* Print the results of the command. machine: to replay on; NULL: no replay. */
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
