/* The names of events in a trace for Perfetto, each interned when it is needed first. */
#ifndef REPRISE_TOOLS_TIMELINE_LABELS_H
#define REPRISE_TOOLS_TIMELINE_LABELS_H

#include "replay/base/observer.h"
#include "tools/timeline/perfetto.h"
#include "tracefmt/reader.h"

struct labels {
    struct perfetto *out;
    const struct rp_trace *trace;
    const struct machine *machine;
    uint32_t **instructions; /* of each kernel, by index; NULL: none yet */
    uint32_t stalls[STALL_COUNT][MACHINE_UNITS + RESPONSE_LEVELS];
    bool starved; /* memory ran out: names are missing */
};

bool labels_open(struct labels *, struct perfetto *, const struct rp_trace *, const struct machine *,
                 struct rp_error *);
void labels_close(struct labels *);

/* The text of an instruction of the launch's kernel, with plain names. */
uint32_t label_instruction(struct labels *, uint32_t launch, uint32_t index);
/* Those of the launch's kernel, by index, as far as they are known; NULL: none is. */
const uint32_t *labels_of(const struct labels *, uint32_t launch);
/* "launch 3: matmul" */
uint32_t label_launch(struct labels *, uint32_t launch);
/* "stall: memory, DRAM", "stall: unit, fp32", "stall: barrier" */
uint32_t label_stall(struct labels *, const struct observed_stall *);
/* A name that the caller keeps in *label; 0: it has none yet. */
uint32_t label_once(struct labels *, uint32_t *label, const char *text);

#endif
