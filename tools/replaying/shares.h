/* memory.from: the probabilities of a memory with random latencies, measured in the caches of another machine. */
#ifndef REPRISE_TOOLS_REPLAYING_SHARES_H
#define REPRISE_TOOLS_REPLAYING_SHARES_H

#include "replay/base/sampled.h"
#include "replay/base/served.h"
#include "tools/lib/json.h"
#include "tools/replaying/replaying.h"

/* The probabilities as settings. The machine's own stay for a kind of access that the trace does not have. */
struct shares {
    char from[256]; /* "": no other machine was asked for */
    struct served served;
    char value[SAMPLE_KINDS][40];
    struct machine_setting settings[SAMPLE_KINDS + 1];
    size_t count;
};

/* If the machine takes probabilities from another machine, replays the launches on that one once and fills *shares. */
bool shares_of(const struct machine *, struct rp_trace *, int64_t launch, unsigned threads, struct shares *,
               struct rp_error *);
/* Opens the machine of machine_args_open with the shares for which it asks. NULL: err says why. */
struct machine *shares_machine_open(const struct machine_args *, const struct machine_setting *extra,
                                    size_t extra_count, struct rp_trace *, int64_t launch, unsigned threads,
                                    struct shares *, struct rp_error *);
/* The machine, and the number of transactions that each of its levels served, by kind: {"machine", "global_load":
 * {"l1", "l2", "dram"}, ...}. */
json_t *shares_json(const struct shares *);
/* A table of them. */
void shares_print(const struct shares *);
/* Writes the machine as a machine file. */
bool shares_write(const struct machine *, const struct shares *, const char *path, struct rp_error *);

#endif
