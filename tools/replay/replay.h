/* reprise replay: what is asked for, what was replayed, and how it is printed. */
#ifndef REPRISE_TOOLS_REPLAY_REPLAY_H
#define REPRISE_TOOLS_REPLAY_REPLAY_H

#include "tools/hotspots/hotspots.h"
#include "tools/replaying/repeating.h"
#include "tools/replaying/replaying.h"
#include "tools/replaying/shares.h"
#include "tools/results/result.h"

struct replay_request {
    char **traces;
    size_t trace_count;
    const char *trace; /* the one that is replayed */
    struct machine_args machine;
    struct replay_options replay;
    const char *by; /* NULL: launches, not places */
    bool units;     /* --by unit: shares, from places that are instructions */
    enum place_kind kind;
    long long top; /* -1: as many as fit the output; 0: all */
    struct repeat_args repeat;
    bool exact;
    struct shares shares;
    const char *save_machine; /* NULL: nowhere */
    const char *cache;        /* NULL: none */
    bool json, csv, quiet, explain, markdown;
    struct trace_output out;
};

/* What was replayed. */
struct outcome {
    struct result result;
    struct places *places;   /* with --by */
    struct profile *profile; /* the same */
    struct hotspots hotspots;
    struct source_files *files;
};

/* run.c: replays and prints; the exit status. */
int replay_command(struct replay_request *);

/* explain.c: all statistics with their definitions. */
int replay_explain(bool markdown, bool csv);

/* Print the results, and return the exit status. text.c: as text or CSV. */
int replay_print(struct replay_request *, struct rp_trace *, const struct machine *, const struct outcome *);
int replay_print_repeated(struct replay_request *, struct rp_trace *, const struct machine *,
                          const struct repeat_result *);
int replay_print_exact(struct replay_request *, struct rp_trace *, const struct machine *, const struct engine_exact *);

/* json.c. */
int replay_print_json(struct replay_request *, struct rp_trace *, const struct machine *, const struct outcome *);
/* repeated: NULL with --exact alone. */
int replay_print_repeated_json(struct replay_request *, struct rp_trace *, const struct machine *,
                               const struct repeat_result *repeated, const struct engine_exact *);

/* How many places --top lets through. */
size_t replay_top(const struct replay_request *);

#endif
