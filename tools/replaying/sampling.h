/* --sample ERROR%@CONFIDENCE: the option, and how sampled results are printed. docs/sampling.md */
#ifndef REPRISE_TOOLS_REPLAYING_SAMPLING_H
#define REPRISE_TOOLS_REPLAYING_SAMPLING_H

#include "replay/session/replay.h"
#include "tools/lib/json.h"

#define ROW_SAMPLE(keys)                                                                                               \
    {                                                                                                                  \
        "sample", keys, "ERROR%@CONFIDENCE",                                                                           \
            "Replay some launches and blocks, and estimate the rest: the cycles of the total within ERROR, with this " \
            "confidence; for example 2%@95%; without @CONFIDENCE: 95%"                                                 \
    }

/* Reads "2%@95%", "0.5%@99%", or "2%", whose confidence is 95 %. RP_USAGE. */
bool sample_parse(const char *text, struct sample_request *, struct rp_error *);
/* "2%@95%"; "" without sampling. Equal requests have equal texts. */
#define SAMPLE_TEXT 64
const char *sample_text(const struct sample_request *, char text[SAMPLE_TEXT]);

/* "cycles 12,345 ± 1.2 % (95 %)", and what was replayed. */
void sample_print(const struct sample_request *, const struct sample_result *, const struct statistics *total);
/* {"error", "confidence", "reached", "launches": {...}, "warp_instructions": {"replayed", "all", "share"}, "strata",
 * "half_width": {...}} */
json_t *sample_json(const struct machine *, const struct sample_request *, const struct sample_result *);

/* "replayed", "equal", "in part", "estimated". */
const char *replay_source_name(unsigned source);

#endif
