/* An ablation: traces replayed on a machine, and on the machine after each step; how each step changes the cycles. */
#ifndef REPRISE_TOOLS_ABLATE_ABLATION_H
#define REPRISE_TOOLS_ABLATE_ABLATION_H

#include "tools/ablate/steps.h"
#include "tools/results/result.h"

struct ablation_request {
    char **traces;
    size_t trace_count;
    struct machine_args machine;
    struct steps steps;
    const char *cache; /* a folder of results; NULL: none */
    bool alone;        /* each step is taken by itself, and compared with the whole machine */
    bool quiet;        /* no warnings, no progress */
    unsigned threads;  /* 0: one for each processor of the host */
};

/* Stage 0 is the machine itself, stage n the machine after step n. */
struct stage {
    struct machine *machine;
    struct result *results; /* [traces]; only if `same` is the stage itself */
    size_t same;            /* the first stage with the same machine: it is replayed for all of them */
};

struct ablation {
    const struct ablation_request *request; /* must outlive the ablation */
    struct rp_trace **traces;               /* [traces] */
    struct stage stages[MOST_STEPS + 1];
    size_t count; /* stages */
};

/* Makes the machines and opens the traces. ablation_free must follow, also after an error. */
bool ablation_open(struct ablation *, const struct ablation_request *, struct rp_error *);
/* Replays each trace on each machine. The error is that of the first replay that failed. */
bool ablation_replay(struct ablation *, struct rp_error *);
void ablation_free(struct ablation *);

/* "baseline", or the name of the step that leads to the stage. */
const char *ablation_stage_name(const struct ablation *, size_t stage);
/* The stage that a stage is compared with; stage 0 is compared with none. */
size_t ablation_before(const struct ablation *, size_t stage);
/* Whether the step leaves the machine as it was. */
bool ablation_unchanged(const struct ablation *, size_t stage);
/* The result of a trace on the machine of a stage, and its launches. */
const struct result *ablation_result(const struct ablation *, size_t stage, size_t trace);
const struct launch_log *ablation_log(const struct ablation *, size_t stage, size_t trace);

/* Over all launches: cycles before a step, divided by those after it. Launches without cycles do not count. */
struct ablation_summary {
    uint64_t launches;
    double speedup, deviation, least, greatest; /* the mean; of a sample */
};
struct ablation_summary ablation_summary(const struct ablation *, size_t stage);

/* text.c: the steps, after the cycles of each launch if `launches`. */
void ablation_print(const struct ablation *, bool launches);
/* csv.c: a row for each launch and stage. */
bool ablation_print_csv(const struct ablation *, struct rp_error *);
/* json.c: prints all, and returns the exit status. */
int ablation_print_json(const struct ablation *);

#endif
