/* reprise compare: launches of a trace as a machine replays them, beside what a GPU measured of them. */
#ifndef REPRISE_TOOLS_COMPARE_COMPARE_H
#define REPRISE_TOOLS_COMPARE_COMPARE_H

#include "tools/compare/measured.h"
#include "tools/replaying/replaying.h"
#include "tools/results/result.h"
#include "tracefmt/reader.h"

struct compare_args {
    const char *trace, *measured, *cache;
    struct machine_args machine;
    unsigned threads;
    long long
        skip;  /* of the trace's launches of measured kernels, those before the first measured one; -1: not given */
    bool warm; /* ncu --cache-control none */
    bool all_launches, json, csv, quiet;
};

/* Why a measured launch has no launch of the trace, or a launch of the trace was not measured. */
struct compare_stray {
    bool in_trace;
    size_t number; /* index of the launch, in the trace or in the file */
    char *why;
};

struct compare {
    const struct compare_args *args;
    struct rp_trace *trace;
    struct machine *machine;
    struct result_cache *cache;
    struct measured measured;
    int64_t *launch_of; /* for each measured launch its launch of the trace, or -1 */
    size_t matched;
    size_t by_order; /* 1 + the first measured launch that its order alone tells from others; 0: there is none */
    struct compare_stray *strays;
    size_t stray_count;
    struct result result;
    struct statistics *replayed; /* for each measured launch; those without a launch are empty */
};

/* Finds launch_of and strays: by kernel and shape, in order, where trace and file have equally many launches of them;
 * or with --launch-skip by their order alone. Never by guess. False: out of memory, or nothing matches. */
bool compare_match(struct compare *, struct rp_error *);

/* The clock of a measured launch in MHz: as it was measured, or else the machine's. */
double compare_clock(const struct compare *, size_t measured);

/* Prints the comparison, and returns the exit status. */
int compare_print(const struct compare *);

#endif
