/* memory.from: probabilities of a memory that draws, taken from the caches of another machine. */
#ifndef REPRISE_TOOLS_REPLAYING_SHARES_H
#define REPRISE_TOOLS_REPLAYING_SHARES_H

#include "replay/base/sampled.h"
#include "replay/base/served.h"
#include "tools/lib/json.h"
#include "tools/replaying/replaying.h"

/* Probabilities as settings. A kind of access that the trace has none of keeps the machine's own. */
struct shares {
    char from[256]; /* "": nothing was asked for */
    struct served served;
    char value[SAMPLE_KINDS][40];
    struct machine_setting settings[SAMPLE_KINDS + 1];
    size_t count;
};

/* If the machine wants probabilities from another one, replays the launches there once and fills *shares in. */
bool shares_of(const struct machine *, struct rp_trace *, int64_t launch, unsigned threads, struct shares *,
               struct rp_error *);
/* The machine that machine_args_open gives, with the shares that it asks for; NULL: err says why. */
struct machine *shares_machine_open(const struct machine_args *, const struct machine_setting *extra,
                                    size_t extra_count, struct rp_trace *, int64_t launch, unsigned threads,
                                    struct shares *, struct rp_error *);
/* The machine, and how many transactions of each kind each level served there: {"machine", "global_load": {"l1", "l2",
 * "dram"}, ...}. */
json_t *shares_json(const struct shares *);
/* A table of them. */
void shares_print(const struct shares *);
/* Writes the machine as a machine file. */
bool shares_write(const struct machine *, const struct shares *, const char *path, struct rp_error *);

#endif
